// SPDX-License-Identifier: Apache-2.0
/**
 * One kind over the store: reads from the cache, writes with the key's revision as precondition, and every write waits until
 * its own server can see it. Knows bytes and revisions, no HTTP and no options; the verbs hold the rules.
 * Ref: kubernetes v1.36 apiserver/pkg/registry/generic/registry/store.go.
 */
import {hasCode, isConflict, type Page, type Revision, type Store} from '@palisade/store';
import type {Log} from '../base/log.ts';
import type {KubeObject} from '../base/object.ts';
import {alreadyExists, beingDeleted, tooLarge} from '../base/status-error.ts';
import type {Random} from '../base/time.ts';
import {CachedObject, decodeItem} from '../cache/cached-object.ts';
import type {ResourceCache} from '../cache/resource-cache.ts';
import {objectKey, type WatchCache} from '../cache/watch-cache.ts';
import type {KindDefinition, Reservations} from '../kind/kind.ts';
import {type Before, encodeStored} from './object-codec.ts';

/** Somebody else changed the object since it was read. The caller reads again and decides anew. */
export class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile';
}

export type RegistryOptions = {
  readonly store: Store;
  readonly cache: WatchCache;
  readonly kind: KindDefinition;
  readonly objectBytesMax: number;
  readonly random: Random;
  readonly log: Log;
};

/** The namespace that takes the object. */
type Within = {readonly registry: Registry; readonly namespace: CachedObject};

const alreadyThere = (kind: KindDefinition, existing: CachedObject | undefined, name: string): Error =>
  existing?.isDeleting === true ? beingDeleted(kind, name) : alreadyExists(kind, name);

export class Registry {
  readonly kind: KindDefinition;
  /** What the objects of the kind hold; of kinds that share something. */
  readonly reservations: Reservations | undefined;
  readonly #store: Store;
  readonly #cache: WatchCache;
  readonly #objectBytesMax: number;

  constructor(options: RegistryOptions) {
    this.kind = options.kind;
    this.#store = options.store;
    this.#cache = options.cache;
    this.#objectBytesMax = options.objectBytesMax;
    this.reservations = this.kind.strategy.reservations?.(options.random);
    if (this.reservations !== undefined) this.#keepBook(this.reservations, options.log);
  }

  get cache(): ResourceCache {
    return this.#cache.resource(this.kind);
  }

  get(namespace: string, name: string): CachedObject | undefined {
    return this.cache.get(namespace, name);
  }

  /** One page of the store's past. Throws StoreError `compacted`, `future-revision`. */
  readHistory(
    prefix: string,
    page: {readonly at: Revision; readonly after: string | undefined; readonly limit: number},
  ): Promise<Page> {
    return this.#store.list(prefix, page);
  }

  /**
   * Writes a new object, iff its namespace (when given) is still as it was seen. Throws StatusError AlreadyExists, which names the
   * kind `as` that was asked for, ChangedMeanwhile when the namespace changed.
   */
  async create(
    draft: KubeObject,
    {within, as = this.kind}: {readonly within?: Within | undefined; readonly as?: KindDefinition | undefined} = {},
  ): Promise<CachedObject> {
    const {namespace = '', name = ''} = draft.metadata;
    this.assertAbsent(namespace, name, as);
    const value = this.#encode(draft);
    const key = this.#key(namespace, name);
    try {
      return await this.#visible(namespace, name, value, await this.#insert(key, value, within));
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (error.key !== key) {
        await within?.registry.caughtUp();
        throw new ChangedMeanwhile('the namespace has been modified', {cause: error});
      }
      await this.#cache.reached(error.revision);
      throw alreadyThere(as, this.get(namespace, name), name);
    }
  }

  /** Resolves when every write that was answered is visible. */
  async caughtUp(): Promise<void> {
    await this.#cache.caughtUp();
  }

  #insert(key: string, value: Buffer, within: Within | undefined): Promise<Revision> {
    if (within === undefined) return this.#store.put(key, value, 0n);
    const {registry, namespace} = within;
    return this.#store.txn([
      {op: 'put', key, value, expected: 0n},
      {op: 'check', key: objectKey(registry.kind, '', namespace.name), expected: namespace.revision},
    ]);
  }

  /** Throws StatusError AlreadyExists. */
  assertAbsent(namespace: string, name: string, as: KindDefinition = this.kind): void {
    const existing = this.get(namespace, name);
    if (existing !== undefined) throw alreadyThere(as, existing, name);
  }

  /** Writes over `current`, decoded `live`; equal content writes nothing and gives back `current`. Throws ChangedMeanwhile. */
  async update(current: CachedObject, draft: KubeObject, live?: KubeObject): Promise<CachedObject> {
    const value = this.#encode(draft, live === undefined ? undefined : {object: live, cached: current});
    if (value.equals(current.value)) return current;
    const {namespace, name} = current;
    const revision = await this.#guarded(this.#store.put(this.#key(namespace, name), value, current.revision));
    return this.#visible(namespace, name, value, revision);
  }

  /** The object as a write would leave it, without the write (dry run); a new one keeps the version it was sent with. */
  preview(draft: KubeObject, current: CachedObject | undefined): CachedObject {
    const value = this.#encode(draft);
    const at = {namespace: draft.metadata.namespace ?? '', name: draft.metadata.name ?? ''};
    const resourceVersion = current?.resourceVersion ?? draft.metadata.resourceVersion ?? '';
    return new CachedObject(at, value, current?.revision ?? 0n, resourceVersion);
  }

  /** Removes `current`. Returns the revision of the deletion. Throws ChangedMeanwhile. */
  async remove(current: CachedObject): Promise<Revision> {
    const revision = await this.#guarded(
      this.#store.delete(this.#key(current.namespace, current.name), current.revision),
    );
    await this.#cache.reached(revision);
    return revision;
  }

  /** A damaged object keeps neither the server from its start nor the others out of the book. */
  #keepBook(book: Reservations, log: Log): void {
    const {cache, kind} = this;
    const damaged = new Set<string>();
    const note = (object: CachedObject, isGone: boolean): void => {
      const {namespace, name} = object;
      const key = `${namespace}/${name}`;
      try {
        book.stored(key, isGone ? undefined : decodeItem(object));
        damaged.delete(key);
      } catch (error) {
        book.damaged(key, object.value.toString());
        damaged.add(key);
        const fields = {err: error, resource: kind.resource, namespace, name, damaged: damaged.size};
        log.error(fields, 'stored object is damaged, restore it from a backup');
      }
    };
    for (const slice of cache.objects.slices('')) for (const object of slice) note(object, false);
    cache.onEvent(({type, object}) => note(object, type === 'DELETED'));
  }

  #key(namespace: string, name: string): string {
    return objectKey(this.kind, namespace, name);
  }

  #encode(draft: KubeObject, before?: Before): Buffer {
    const value = encodeStored(this.kind, draft, before);
    if (value.length > this.#objectBytesMax) throw tooLarge(`limit is ${this.#objectBytesMax}`);
    return value;
  }

  async #guarded(write: Promise<Revision>): Promise<Revision> {
    try {
      return await write;
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (hasCode(error, 'revision-conflict')) await this.#cache.reached(error.revision);
      throw new ChangedMeanwhile('the object has been modified', {cause: error});
    }
  }

  async #visible(namespace: string, name: string, value: Buffer, revision: Revision): Promise<CachedObject> {
    await this.#cache.reached(revision);
    const cached = this.get(namespace, name);
    if (cached?.revision === revision) return cached;
    return new CachedObject({namespace, name}, value, revision, revision.toString());
  }
}
