// SPDX-License-Identifier: Apache-2.0
/** The embedded store: node:sqlite in a worker thread, WAL, synchronous=FULL, one transaction and one sync per group commit. */
import {mkdir} from 'node:fs/promises';
import {dirname} from 'node:path';
import {Worker} from 'node:worker_threads';
import {STORE_LIMITS, type StoreLimits} from '../../limits.ts';
import type {Commit, Loaded, LogDriver, PastChange} from '../../log/driver.ts';
import {openLogStore} from '../../log/log-store.ts';
import type {Entry, Key, Revision, Store} from '../../store.ts';
import {StoreError} from '../../store-error.ts';
import type {Answer, RequestName, Requests, WireVersion} from './messages.ts';

/** Entries read per message while loading. */
const LOAD_PAGE = 5_000;
/** Revisions compacted per message, so that writes come between. */
const COMPACT_STEP = 2_000;

type Pending = {readonly resolve: (answer: unknown) => void; readonly reject: (error: StoreError) => void};

class SqliteDriver implements LogDriver {
  readonly #file: string;
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #gone: StoreError | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#worker = new Worker(new URL(`./worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url));
    this.#worker.on('message', (message: Answer) => this.#settle(message));
    this.#worker.on('error', error => this.#fail(`the store's thread failed: ${error.message}`));
    this.#worker.on('exit', () => this.#fail("the store's thread has ended"));
  }

  async load(): Promise<Loaded> {
    const {revision, compacted} = await this.#ask('open', {file: this.#file});
    const entries: Entry[] = [];
    for (let after = ''; ; ) {
      const page = await this.#ask('load', {after, limit: LOAD_PAGE});
      for (const version of page) {
        const entry = toEntry(version);
        if (entry !== undefined) entries.push(entry);
      }
      if (page.length < LOAD_PAGE) return {revision: BigInt(revision), compacted: BigInt(compacted), entries};
      after = page.at(-1)?.[1] ?? '';
    }
  }

  async append(commits: readonly Commit[]): Promise<void> {
    await this.#ask(
      'append',
      commits.map(({revision, changes}) => [
        Number(revision),
        changes.map(({key, value, createRevision}) => [key, value ?? null, Number(createRevision)] as const),
      ]),
    );
  }

  async changes(prefix: Key, after: Revision, until: Revision, limit: number): Promise<readonly PastChange[]> {
    const found = await this.#ask('changes', {prefix, after: Number(after), until: Number(until), limit});
    return found.map(({version: [revision, key, value, created], previous}) => ({
      key,
      value: value ?? undefined,
      revision: BigInt(revision),
      createRevision: BigInt(created),
      previous: previous === null ? undefined : toEntry(previous),
    }));
  }

  async entryAt(key: Key, at: Revision): Promise<Entry | undefined> {
    const version = await this.#ask('entryAt', {key, at: Number(at)});
    return version === null ? undefined : toEntry(version);
  }

  async pageAt(
    prefix: Key,
    opts: {at: Revision; after: Key | undefined; limit: number},
  ): Promise<{entries: readonly Entry[]; remaining: number}> {
    const {versions, remaining} = await this.#ask('pageAt', {
      prefix,
      at: Number(opts.at),
      after: opts.after ?? null,
      limit: opts.limit,
    });
    return {entries: versions.flatMap(version => toEntry(version) ?? []), remaining};
  }

  async compact(below: Revision): Promise<void> {
    for (let from = 0; from < Number(below); from += COMPACT_STEP)
      await this.#ask('compact', {below: Number(below), from, to: from + COMPACT_STEP});
  }

  async close(): Promise<void> {
    if (this.#gone !== undefined) return;
    const ended = new Promise<void>(resolve => this.#worker.once('exit', () => resolve()));
    await this.#ask('close', null);
    await ended;
  }

  /** Ends the thread after a failed open. */
  async abandon(): Promise<void> {
    await this.#worker.terminate();
  }

  #ask<N extends RequestName>(name: N, args: Requests[N]['args']): Promise<Requests[N]['answer']> {
    if (this.#gone !== undefined) return Promise.reject(this.#gone);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, {resolve: resolve as Pending['resolve'], reject});
      this.#worker.postMessage({id, name, args});
    });
  }

  #settle(message: Answer): void {
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.ok) pending?.resolve(message.answer);
    else pending?.reject(new StoreError(message.code, {message: message.message}));
  }

  #fail(message: string): void {
    this.#gone ??= new StoreError('unavailable', {message: `${this.#file}: ${message}`});
    for (const {reject} of this.#pending.values()) reject(this.#gone);
    this.#pending.clear();
  }
}

const toEntry = ([revision, key, value, created]: WireVersion): Entry | undefined =>
  value === null ? undefined : {key, value, createRevision: BigInt(created), modRevision: BigInt(revision)};

/**
 * Opens or makes the file. Throws `locked` (another server has it), `format` (another program's or a newer version's),
 * `corrupt` (damaged or no database), `unavailable` (folder or disk); nothing is overwritten then.
 */
export const openSqliteStore = async (opts: {
  readonly file: string;
  readonly limits?: Partial<StoreLimits>;
}): Promise<Store> => {
  await mkdir(dirname(opts.file), {recursive: true, mode: 0o700});
  const driver = new SqliteDriver(opts.file);
  try {
    return await openLogStore(driver, {...STORE_LIMITS, ...opts.limits});
  } catch (error) {
    await driver.abandon();
    throw error;
  }
};
