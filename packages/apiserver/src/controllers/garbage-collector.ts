// SPDX-License-Identifier: Apache-2.0
/**
 * Garbage collection by owner references. Level-triggered: each unit of work looks at what is there now, so it may run any
 * number of times, and a start looks at everything again (E-199).
 *
 * Two kinds of work:
 *   dependent  an object with owners: goes when no owner is left (E-153); loses references to owners that are gone.
 *   owner      a marked object with a GC finalizer: `orphan` takes the references out of its dependents (E-198),
 *              `foregroundDeletion` has its dependents deleted and waits for those that block it (E-193, E-194).
 *
 * I1 an object is removed only under a precondition on its uid and on the version that was judged. I2 owner kinds that this server does not serve count as
 * existing (E-197). Ref: kubernetes v1.36 pkg/controller/garbagecollector/garbagecollector.go.
 */

import type {KubeObject, OwnerReference} from '../base/object.ts';
import {StatusError} from '../base/status-error.ts';
import {type CachedObject, decodeItem} from '../cache/cached-object.ts';
import {hasObjects, type KindDefinition, showsObjects, storedKindOf} from '../kind/kind.ts';
import {FOREGROUND_FINALIZER, ORPHAN_FINALIZER} from '../kind/meta/validate-object-meta.ts';
import {type DeleteOptions, PLAIN_DELETE} from '../request/options/delete-options.ts';
import {
  classifyOwners,
  hasFinalizer,
  isDeletedInForeground,
  isMarked,
  storedKindOfOwner,
} from '../verbs/object/classify-owners.ts';
import {deleteObject} from '../verbs/object/delete-object.ts';
import {trackFields} from '../verbs/object/track-fields.ts';
import {updateObject} from '../verbs/object/update-object.ts';
import type {Controller, ControllerFactory, ControllerHost} from './controller.ts';
import {type ObjectRef, OwnerGraph, ownersOf, toRef} from './owner-graph.ts';
import {WorkQueue} from './work-queue.ts';

const CONCURRENCY = 32;

export const garbageCollection: ControllerFactory = host => new GarbageCollector(host);

class GarbageCollector implements Controller {
  readonly #host: ControllerHost;
  readonly #kinds: readonly KindDefinition[];
  readonly #graph = new OwnerGraph();
  readonly #queue: WorkQueue<ObjectRef>;
  readonly #unsubscribe: (() => void)[] = [];
  /** Owners that wait for their dependents, by uid: a dependent that stops naming its owner wakes it. */
  readonly #waitingOwners = new Map<string, ObjectRef>();
  /** Keys of dependents that were left alone since an owner cannot be judged: any change of theirs may end that. */
  readonly #leftAlone = new Set<string>();
  /** Owner kinds that were named and are not served; each is logged once. */
  readonly #unknownKinds = new Set<string>();

  constructor(host: ControllerHost) {
    this.#host = host;
    this.#kinds = host.kinds.filter(showsObjects);
    const {timers} = host.services;
    this.#queue = new WorkQueue({
      timers,
      log: host.log,
      name: 'garbage collection',
      counts: host.services.queues.open('garbage_collector'),
      concurrency: CONCURRENCY,
      work: ref => this.#work(ref),
    });
  }

  start(): void {
    for (const kind of this.#kinds.filter(each => hasObjects(each) && each.strategy.ignoresOwners !== true)) {
      const {cache} = this.#host.services.registryOf(kind);
      this.#unsubscribe.push(
        cache.onEvent(({type, object}) => {
          if (type === 'DELETED') this.#gone(kind, object);
          else this.#seen(kind, object);
        }),
      );
      for (const slice of cache.objects.slices('')) for (const object of slice) this.#seen(kind, object);
    }
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#queue.stop();
  }

  #seen(kind: KindDefinition, object: CachedObject): void {
    const ref = toRef(kind, object);
    const owners = ownersOf(object);
    const before = this.#graph.ownersOf(ref);
    this.#graph.set(ref, owners);
    // An owner is known by its uid: what else changes in a reference is judged when that owner goes (E-197).
    const isNamedAnew = owners.some(({uid}) => !before.includes(uid));
    if (isNamedAnew || isMarked(object) || this.#leftAlone.has(ref.key)) this.#queue.add(ref);
    // An owner that waits may be let go when one of its dependents no longer names or blocks it.
    this.#wakeOwners(before);
  }

  #gone(kind: KindDefinition, object: CachedObject): void {
    const ref = toRef(kind, object);
    const owners = this.#graph.ownersOf(ref);
    this.#graph.set(ref, []);
    this.#leftAlone.delete(ref.key);
    const {uid = ''} = decodeItem(object).metadata;
    this.#waitingOwners.delete(uid);
    for (const dependent of this.#graph.dependentsOf(uid)) this.#queue.add(dependent);
    this.#wakeOwners(owners);
  }

  /** Those that wait, by uid: what else a reference says of its owner need not be right. */
  #wakeOwners(uids: readonly string[]): void {
    for (const uid of uids) {
      const ref = this.#waitingOwners.get(uid);
      if (ref !== undefined) this.#queue.add(ref);
    }
  }

  #kindOf(owner: OwnerReference): KindDefinition | undefined {
    const kind = storedKindOfOwner(this.#kinds, owner, this.#host.services.compat);
    return kind && storedKindOf(kind);
  }

  #get(ref: ObjectRef): CachedObject | undefined {
    return this.#host.services.registryOf(ref.kind).get(ref.namespace, ref.name);
  }

  async #work(ref: ObjectRef): Promise<void> {
    const object = this.#get(ref);
    if (object === undefined) return;
    if (isMarked(object)) {
      const {uid = ''} = decodeItem(object).metadata;
      if (hasFinalizer(object, ORPHAN_FINALIZER)) return this.#orphanDependents(ref, uid);
      if (!isDeletedInForeground(object)) return;
      this.#waitingOwners.set(uid, ref);
      return this.#deleteDependents(ref, uid);
    }
    await this.#judgeDependent(ref, object);
  }

  /** A live object with owners: keep, loosen, or delete. */
  async #judgeDependent(ref: ObjectRef, object: CachedObject): Promise<void> {
    const owners = ownersOf(object);
    this.#leftAlone.delete(ref.key);
    if (owners.length === 0) return;
    this.#logUnknown(owners);
    const {solid, unjudged, dangling, waiting} = classifyOwners(
      owners,
      {namespaced: ref.kind.namespaced, namespace: ref.namespace},
      {
        kindOf: owner => this.#kindOf(owner),
        get: (kind, namespace, name) => this.#host.services.registryOf(kind).get(namespace, name),
      },
    );
    if (unjudged.length > 0) this.#leftAlone.add(ref.key);
    // Upstream leaves an object alone while one of its owners cannot be judged; here it does not hold up one that waits.
    if (unjudged.length > 0 && waiting.length === 0) return;
    if (solid.length > 0 || unjudged.length > 0) {
      const lost = new Set([...dangling, ...waiting].map(owner => owner.uid));
      if (lost.size > 0) await this.#removeOwners(ref, lost);
      return;
    }
    const metadata = decodeItem(object).metadata;
    const uid = metadata.uid ?? '';
    const ownDependents = this.#graph.dependentsOf(uid);
    if (waiting.length > 0 && ownDependents.length > 0) {
      await this.#breakCircle(ref, ownDependents);
      await this.#delete(ref, this.#get(ref), uid, 'Foreground');
      return;
    }
    const finalizers = metadata.finalizers ?? [];
    const policy = finalizers.includes(ORPHAN_FINALIZER)
      ? 'Orphan'
      : finalizers.includes(FOREGROUND_FINALIZER)
        ? 'Foreground'
        : 'Background';
    await this.#delete(ref, object, uid, policy);
  }

  /** When a dependent of this object is itself deleted in foreground, each would wait for the other: stop blocking. */
  async #breakCircle(ref: ObjectRef, dependents: readonly ObjectRef[]): Promise<void> {
    const circular = dependents.some(dependent => {
      const object = this.#get(dependent);
      return object !== undefined && isDeletedInForeground(object);
    });
    if (circular)
      await this.#changeOwners(ref, owners =>
        owners.map(owner => (owner.blockOwnerDeletion === true ? {...owner, blockOwnerDeletion: false} : owner)),
      );
  }

  /** Foreground: the owner goes after those of its dependents that block it. */
  async #deleteDependents(ref: ObjectRef, uid: string): Promise<void> {
    const dependents = this.#graph.dependentsOf(uid).filter(dependent => dependent.key !== ref.key);
    const blocking = dependents.filter(dependent => {
      const object = this.#get(dependent);
      const owners = object === undefined ? [] : ownersOf(object);
      return owners.some(
        owner => owner.uid === uid && owner.blockOwnerDeletion === true && this.#mayBlock(owner, dependent, ref),
      );
    });
    for (const dependent of dependents) this.#queue.add(dependent);
    if (blocking.length > 0) return;
    this.#waitingOwners.delete(uid);
    await this.#removeFinalizer(ref, FOREGROUND_FINALIZER);
  }

  /** E-195: the right was asked for what the reference names, so that no other owner waits for it. Ref: requirements E-197. */
  #mayBlock(owner: OwnerReference, dependent: ObjectRef, {kind, namespace, name}: ObjectRef): boolean {
    if (!this.#host.services.compat.checkBlockOwnerDeletion) return true;
    const isNear = !kind.namespaced || dependent.namespace === namespace;
    return isNear && owner.name === name && this.#kindOf(owner) === kind;
  }

  async #orphanDependents(ref: ObjectRef, uid: string): Promise<void> {
    for (const dependent of this.#graph.dependentsOf(uid)) await this.#removeOwners(dependent, new Set([uid]));
    await this.#removeFinalizer(ref, ORPHAN_FINALIZER);
  }

  #removeOwners(ref: ObjectRef, uids: ReadonlySet<string>): Promise<void> {
    return this.#changeOwners(ref, owners => owners.filter(owner => !uids.has(owner.uid)));
  }

  #changeOwners(
    ref: ObjectRef,
    change: (owners: readonly OwnerReference[]) => readonly OwnerReference[],
  ): Promise<void> {
    return this.#change(ref, metadata => {
      const owners = change(metadata.ownerReferences ?? []);
      if (owners.length > 0) metadata.ownerReferences = [...owners];
      else delete metadata.ownerReferences;
    });
  }

  #removeFinalizer(ref: ObjectRef, finalizer: string): Promise<void> {
    return this.#change(ref, metadata => {
      const finalizers = (metadata.finalizers ?? []).filter(name => name !== finalizer);
      if (finalizers.length > 0) metadata.finalizers = finalizers;
      else delete metadata.finalizers;
    });
  }

  async #change(ref: ObjectRef, change: (metadata: KubeObject['metadata']) => void): Promise<void> {
    const base = this.#host.contextFor(ref.kind, ref.namespace);
    const context = {...base, info: {...base.info, name: ref.name, verb: 'patch'}};
    await updateObject(context, {
      dryRun: false,
      change: current => {
        const draft = {...current, metadata: {...current.metadata}};
        change(draft.metadata);
        return trackFields(context, context.services.compat.managers.garbage, current, draft, undefined);
      },
    });
  }

  async #delete(
    ref: ObjectRef,
    judged: CachedObject | undefined,
    uid: string,
    propagationPolicy: NonNullable<DeleteOptions['propagationPolicy']>,
  ): Promise<void> {
    const options: DeleteOptions = {
      ...PLAIN_DELETE,
      propagationPolicy,
      preconditions: {uid, resourceVersion: judged?.resourceVersion},
    };
    try {
      await deleteObject(this.#host.contextFor(ref.kind, ref.namespace), ref.name, options);
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return;
      // Replaced or changed meanwhile: look at it again.
      const isOutdated = this.#get(ref)?.resourceVersion !== judged?.resourceVersion;
      if (!(error instanceof StatusError && error.code === 409 && isOutdated)) throw error;
      this.#queue.add(ref);
    }
  }

  #logUnknown(owners: readonly OwnerReference[]): void {
    for (const owner of owners) {
      const name = `${owner.apiVersion} ${owner.kind}`;
      if (this.#kindOf(owner) !== undefined || this.#unknownKinds.has(name)) continue;
      this.#unknownKinds.add(name);
      this.#host.log.info({owner: name}, 'owner kind is not served here, its owners count as existing');
    }
  }
}
