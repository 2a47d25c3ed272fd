// SPDX-License-Identifier: Apache-2.0
/**
 * The server's view of the store: one feed of all Kubernetes keys, applied in revision order to one cache per resource.
 *
 * Phases of start: read all keys as they were at R (the recent past, so that watches from before a restart can resume),
 * then replay what came after R up to a marker that this start writes, then live. A write is visible to every later read of this server once `reached(revision)`
 * resolved, which is what each write waits for before it answers (read your writes).
 *
 * I1 events are applied in revision order, each once.  I2 `revision` is the revision of the last applied event or the start.
 */
import {hasCode, type Revision, type Store, type StoreEvent} from '@palisade/store';
import {toCachedObject} from './cached-object.ts';
import {ResourceCache} from './resource-cache.ts';
import type {Scheduler} from './watch/scheduler.ts';

/** `/kube/<group, core for "">/<resource>/[<namespace>/]<name>` */
const KEY_PREFIX = '/kube/';
/** Written at each start; belongs to no resource. */
const START_MARKER_KEY = `${KEY_PREFIX}-/marker`;
const LOAD_PAGE_ITEMS = 5_000;
/** How often in a row the feed is resumed when nothing came in between. */
const RESUMES_MAX = 3;

export type ResourceId = {readonly group: string; readonly resource: string; readonly namespaced: boolean};

export const resourcePrefix = ({group, resource}: ResourceId): string =>
  `${KEY_PREFIX}${group === '' ? 'core' : group}/${resource}/`;

export const objectKey = (id: ResourceId, namespace: string, name: string): string =>
  id.namespaced ? `${resourcePrefix(id)}${namespace}/${name}` : `${resourcePrefix(id)}${name}`;

export type WatchCacheOptions = {
  readonly store: Store;
  readonly resources: readonly ResourceId[];
  readonly historyEventsMax: number;
  readonly historyBytesMax: number;
  readonly scheduler: Scheduler;
  /** The feed ended because this server did not keep up, and goes on behind the last change that it applied. */
  readonly onResumed: (error: unknown) => void;
  /** The feed broke and could not be resumed: nothing new becomes visible any longer. */
  readonly onBroken: (error: unknown) => void;
};

type Waiter = {readonly revision: Revision; readonly resolve: () => void; readonly reject: (error: unknown) => void};

export class WatchCache {
  readonly #options: WatchCacheOptions;
  readonly #byPrefix = new Map<string, {readonly id: ResourceId; readonly cache: ResourceCache}>();
  readonly #abort = new AbortController();
  #revision: Revision = 0n;
  #waiters: Waiter[] = [];
  #broken: unknown;
  #feed: Promise<void> = Promise.resolve();

  constructor(options: WatchCacheOptions) {
    this.#options = options;
  }

  /** Revision of the last change that is visible. */
  get revision(): Revision {
    return this.#revision;
  }

  /** The cache of one resource. Only after `start`. */
  resource(id: ResourceId): ResourceCache {
    const known = this.#byPrefix.get(resourcePrefix(id));
    if (known === undefined) throw new Error(`no cache for ${resourcePrefix(id)}`);
    return known.cache;
  }

  /**
   * Undefined when `revision` is visible already, else a promise that resolves when it is. Who waits for a revision that a client
   * names, which may never come, gives up by `signal`: the promise rejects with its reason, and nothing of the wait stays.
   */
  reached(revision: Revision, signal?: AbortSignal): Promise<void> | undefined {
    if (revision <= this.#revision) return undefined;
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    return new Promise((resolve, reject) => {
      const waiter = {revision, resolve, reject};
      this.#waiters.push(waiter);
      signal?.addEventListener('abort', () => {
        this.#waiters = this.#waiters.filter(other => other !== waiter);
        reject(signal.reason);
      });
    });
  }

  /** Waits for a revision under way. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /** Resolves when everything that was committed before the call is visible. Costs a write: for rare cases. */
  async caughtUp(): Promise<void> {
    await this.reached(await this.#options.store.put(START_MARKER_KEY, Buffer.from('{}')));
  }

  async start(): Promise<void> {
    const {store} = this.#options;
    const newest = await store.currentRevision();
    const from = await this.#startRevision(newest);
    for (const id of this.#options.resources) {
      this.#byPrefix.set(resourcePrefix(id), {id, cache: new ResourceCache({...this.#options, from})});
    }
    if (from > 0n) await this.#load(from);
    this.#revision = from;
    this.#feed = this.#follow();
    // The feed has caught up when it shows a write of our own that came after everything else.
    await this.caughtUp();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#feed;
  }

  /** As much of the past as history may hold, but never below what the store still has. */
  async #startRevision(newest: Revision): Promise<Revision> {
    const oldest = await this.#options.store.compactedRevision();
    const wanted = newest - BigInt(this.#options.historyEventsMax);
    const from = wanted > oldest ? wanted : oldest;
    return from < 0n ? 0n : from;
  }

  async #load(at: Revision): Promise<void> {
    let after: string | undefined;
    for (;;) {
      const page = await this.#options.store.list(KEY_PREFIX, {at, after, limit: LOAD_PAGE_ITEMS});
      for (const entry of page.entries) {
        const target = this.#locate(entry.key);
        target?.cache.load(toCachedObject(target, entry));
        after = entry.key;
      }
      if (page.remaining === 0) return;
    }
  }

  /** Until `stop`. A batch holds whole revisions, so the feed can go on behind the last one that was applied. */
  async #follow(): Promise<void> {
    const {signal} = this.#abort;
    for (let resumes = 0; ; resumes++) {
      const start = this.#revision;
      try {
        for await (const batch of this.#options.store.watch(KEY_PREFIX, start, signal)) this.#apply(batch);
        if (!signal.aborted) this.#break(undefined);
        return;
      } catch (error) {
        if (signal.aborted || hasCode(error, 'closed')) return;
        if (this.#revision > start) resumes = 0;
        if (!hasCode(error, 'too-slow') || resumes === RESUMES_MAX) return this.#break(error);
        this.#options.onResumed(error);
      }
    }
  }

  #apply(batch: readonly StoreEvent[]): void {
    for (const event of batch) {
      const target = this.#locate(event.type === 'put' ? event.entry.key : event.key);
      if (target !== undefined) {
        if (event.type === 'put') target.cache.put(toCachedObject(target, event.entry));
        else target.cache.delete(target.namespace, target.name, event.revision);
      }
      this.#revision = event.revision;
    }
    if (this.#waiters.length > 0) this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiting) {
      if (waiter.revision <= this.#revision) waiter.resolve();
      else this.#waiters.push(waiter);
    }
  }

  /** Nothing more becomes visible: who waits is told, now and later. */
  #break(error: unknown): void {
    this.#broken = error ?? new Error('the store feed ended');
    for (const waiter of this.#waiters.splice(0)) waiter.reject(this.#broken);
    this.#options.onBroken(this.#broken);
  }

  /** Which cache a key belongs to; keys of resources that this server does not serve are left alone. */
  #locate(key: string): {cache: ResourceCache; namespace: string; name: string} | undefined {
    const resourceAt = key.indexOf('/', KEY_PREFIX.length);
    const end = key.indexOf('/', resourceAt + 1) + 1;
    const known = this.#byPrefix.get(key.slice(0, end));
    if (known === undefined) return undefined;
    if (!known.id.namespaced) return {cache: known.cache, namespace: '', name: key.slice(end)};
    const slash = key.indexOf('/', end);
    return {cache: known.cache, namespace: key.slice(end, slash), name: key.slice(slash + 1)};
  }
}
