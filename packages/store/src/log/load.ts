// SPDX-License-Identifier: Apache-2.0
/**
 * Builds the index from a driver: first all changes without values, then the values of the current ones.
 * It proves what the log promises, so that a damaged file is found at open and not by a client:
 *   L1 above the compacted revision, revisions follow each other without a gap, up to the newest
 *   L2 each change names the change that it superseded
 */
import type {Entry} from '../store.ts';
import {StoreError} from '../store-error.ts';
import {type ChangeHead, revisionOf} from './change.ts';
import type {LogDriver, Opened} from './driver.ts';
import {KeyIndex} from './key-index.ts';

export type Loaded = Opened & {readonly index: KeyIndex};

/** A current entry whose value is still to come. One for all: a log has many more changes than keys. */
const UNFILLED: Entry = {key: '', value: new Uint8Array(), createRevision: 0n, modRevision: 0n};

export async function loadLog(driver: LogDriver, readIdsMax: number): Promise<Loaded> {
  const opened = await driver.open();
  const loader = new Loader(driver.place, opened);
  let after = 0;
  for (let heads = await driver.heads(after); heads.length > 0; heads = await driver.heads(after)) {
    for (const head of heads) loader.add(head);
    after = heads.at(-1)?.id ?? after;
  }
  const {index} = loader;
  loader.assertWhole();
  for (const _key of index.compact(opened.compacted)); // what a compaction had not yet removed when the process ended
  const ids = index.currentIds();
  const read = (start: number) => driver.read(ids.slice(start, start + readIdsMax));
  // One call ahead: the driver reads the next values while these are put in place.
  let next = ids.length > 0 ? read(0) : undefined;
  for (let start = readIdsMax; next !== undefined; start += readIdsMax) {
    const changes = await next;
    next = start < ids.length ? read(start) : undefined;
    for (const change of changes) index.fill(change);
  }
  return {...opened, index};
}

class Loader {
  readonly index = new KeyIndex();
  readonly #place: string;
  readonly #opened: Opened;
  #revision: number;

  constructor(place: string, opened: Opened) {
    this.#place = place;
    this.#opened = opened;
    this.#revision = opened.compacted;
  }

  add(head: ChangeHead): void {
    const revision = revisionOf(head.id);
    const {compacted} = this.#opened;
    if (revision > compacted && revision !== this.#revision && revision !== this.#revision + 1)
      throw this.#broken(head, `revision ${this.#revision} is followed by ${revision}`);
    if (revision > compacted) this.#revision = revision;
    const found = this.index.currentId(head.key);
    const erased = found === 0 && revision <= compacted && revisionOf(head.previousId) <= compacted;
    if (found !== head.previousId && !erased)
      throw this.#broken(head, `it should follow change ${head.previousId} of the key, but follows ${found}`);
    if (head.createRevision === 0 && found === 0) {
      if (revision > compacted) throw this.#broken(head, 'it removes a key that does not exist');
      return; // the rest of a compaction: what it removed is gone already
    }
    this.index.apply(head, head.createRevision === 0 ? undefined : UNFILLED);
  }

  assertWhole(): void {
    const {revision} = this.#opened;
    if (this.#revision === revision) return;
    const message = `the log ends at revision ${this.#revision}, but ${revision} was written`;
    throw this.#damaged({revision: BigInt(revision), message});
  }

  #broken({id, key}: ChangeHead, what: string): StoreError {
    const revision = BigInt(revisionOf(id));
    return this.#damaged({key, revision, message: `the log is damaged at revision ${revision}, key ${key}: ${what}`});
  }

  #damaged(at: {key?: string; revision: bigint; message: string}): StoreError {
    const message = `${this.#place}: ${at.message}; restore it from a backup. It was left as it is`;
    return new StoreError('corrupt', {...at, message});
  }
}
