// SPDX-License-Identifier: Apache-2.0
/**
 * Removes the content of namespaces that are being deleted, then lets them go. Level-triggered: a round looks at what is there
 * and does what is missing; it may run at any time, any number of times, and starts again after a crash.
 *
 * I1 a namespace loses the finalizer `kubernetes` only after a round that found no object of any served kind in it.
 * I2 nothing new comes into it meanwhile: a create is bound to the revision of a namespace that is not terminating.
 * I3 a round is for one namespace, by its uid: another of the same name, made while it waited or ran, is left alone.
 */
import {
  type CachedObject,
  type Controller,
  type ControllerFactory,
  type ControllerHost,
  decodeItem,
  deleteObject,
  hasObjects,
  type KindDefinition,
  PLAIN_DELETE,
  type QueueCounts,
  type RequestContext,
  toKubeTime,
  trackFields,
  updateObject,
} from '@palisade/apiserver';
import {type Remains, toConditions} from './conditions.ts';
import {KUBERNETES_FINALIZER, type Namespace} from './types.ts';

/** After a round that failed or left something, the next one comes at the latest after this time. */
const RETRY_MS = 5_000;
/** The same where rounds come by time only: half of upstream's finalizerEstimateSeconds, and one second. */
const UPSTREAM_RETRY_MS = 8_000;
/** Deletes under way at the same time. */
const DELETES_IN_FLIGHT = 64;
const NOW = {...PLAIN_DELETE, gracePeriodSeconds: 0, propagationPolicy: 'Background'} as const;

/** A namespace that is being deleted. */
type Deleted = {readonly name: string; readonly uid: string};

export const namespaceDeletion: ControllerFactory = host => new NamespaceDeletion(host);

class NamespaceDeletion implements Controller {
  readonly #host: ControllerHost;
  readonly #namespaces: KindDefinition;
  readonly #kinds: readonly KindDefinition[];
  readonly #queue = new Set<string>();
  readonly #counts: QueueCounts;
  readonly #unsubscribe: (() => void)[] = [];
  /** When the next round of a namespace comes at the latest. */
  readonly #waits = new Map<string, {readonly atMs: number; cancel(): void}>();
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(host: ControllerHost) {
    this.#host = host;
    const namespaces = host.services.namespaces;
    if (namespaces === undefined) throw new Error('namespace deletion needs the kind Namespace');
    this.#namespaces = namespaces;
    this.#counts = host.services.queues.open('namespace');
    this.#kinds = host.kinds.filter(kind => kind.namespaced && hasObjects(kind));
  }

  start(): void {
    const namespaces = this.#host.services.registryOf(this.#namespaces).cache;
    this.#unsubscribe.push(
      namespaces.onEvent(({type, object}) => {
        if (type === 'DELETED') this.#forget(object.name);
        else this.#changed(object.name);
      }),
    );
    for (const kind of this.#kinds) {
      const {cache} = this.#host.services.registryOf(kind);
      this.#unsubscribe.push(
        cache.onEvent(({type, object}) => {
          if (type === 'DELETED' && this.#isPrompt) this.#consider(object.namespace);
        }),
      );
    }
    for (const slice of namespaces.objects.slices('')) for (const {name} of slice) this.#changed(name);
  }

  /** Whether content that goes is noticed at once. Upstream's controller looks only some time after the namespace changed. */
  get #isPrompt(): boolean {
    return this.#host.services.compat.namespaceGraceMs === 0;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const wait of this.#waits.values()) wait.cancel();
    await this.#running;
  }

  #changed(name: string): void {
    if (this.#isPrompt) this.#consider(name);
    else this.#considerAfter(name, this.#host.services.compat.namespaceGraceMs);
  }

  #consider(name: string): void {
    if (this.#stopped || this.#deleted(name) === undefined) return;
    this.#queue.add(name);
    this.#counts.added(name);
    this.#running ??= this.#run();
  }

  /** One that comes sooner already stays. Ref: kubernetes v1.36 client-go util/workqueue/delaying_queue.go (AddAfter). */
  #considerAfter(name: string, delayMs: number): void {
    if (this.#stopped || this.#deleted(name) === undefined) return;
    const {clock, timers} = this.#host.services;
    const atMs = clock.now() + delayMs;
    const known = this.#waits.get(name);
    if (known !== undefined && known.atMs <= atMs) return;
    known?.cancel();
    const timer = timers.after(delayMs, () => {
      this.#waits.delete(name);
      this.#consider(name);
    });
    this.#waits.set(name, {atMs, cancel: () => timer.cancel()});
  }

  /** One of the same name that comes after is another namespace. */
  #forget(name: string): void {
    if (this.#queue.delete(name)) this.#counts.forgot(name);
    this.#waits.get(name)?.cancel();
    this.#waits.delete(name);
  }

  async #run(): Promise<void> {
    await new Promise<void>(resolve => this.#host.services.timers.soon(resolve));
    for (const name of this.#queue) {
      if (this.#stopped) break;
      this.#queue.delete(name);
      this.#counts.begun(name);
      await this.#try(name);
      this.#counts.ended(name);
    }
    this.#running = undefined;
  }

  async #try(name: string): Promise<void> {
    const uid = this.#uidOfDeleted(name);
    if (uid === undefined) return;
    try {
      if (await this.#round({name, uid})) this.#retryLater(name);
    } catch (error) {
      if (this.#uidOfDeleted(name) !== uid) return;
      this.#host.log.error({err: error, namespace: name}, 'namespace deletion failed, retrying');
      this.#retryLater(name);
    }
  }

  /** Undefined if it does not exist, is not being deleted, or no deletion waits for it to be empty. */
  #deleted(name: string): CachedObject | undefined {
    const namespace = this.#host.services.registryOf(this.#namespaces).get('', name);
    if (namespace?.isDeleting !== true) return undefined;
    if (this.#host.services.compat.removeFinalizedAtOnce) return namespace;
    return this.#namespaces.strategy.deletion?.readyToRemove(decodeItem(namespace)) === false ? namespace : undefined;
  }

  #uidOfDeleted(name: string): string | undefined {
    const namespace = this.#deleted(name);
    return namespace && decodeItem(namespace).metadata.uid;
  }

  #retryLater(name: string): void {
    this.#counts.retries++;
    this.#considerAfter(name, this.#isPrompt ? RETRY_MS : UPSTREAM_RETRY_MS);
  }

  /** True when something is left. */
  async #round(namespace: Deleted): Promise<boolean> {
    const failures: string[] = [];
    for (const kind of this.#kinds) failures.push(...(await this.#deleteAll(kind, namespace)));
    if (this.#uidOfDeleted(namespace.name) !== namespace.uid) return false;
    const remains = this.#remains(namespace.name, failures);
    await this.#report(namespace, remains);
    if (remains.counts.size > 0 || failures.length > 0) return true;
    await this.#release(namespace);
    return false;
  }

  async #deleteAll(kind: KindDefinition, {name: namespace, uid}: Deleted): Promise<string[]> {
    const context = this.#host.contextFor(kind, namespace);
    const failures: string[] = [];
    const found = [...context.registry.cache.objects.slices(namespace)].flat();
    const pending = found.filter(object => !object.isDeleting || !this.#isHeld(object));
    for (let at = 0; at < pending.length && this.#uidOfDeleted(namespace) === uid; at += DELETES_IN_FLIGHT) {
      await Promise.all(
        pending.slice(at, at + DELETES_IN_FLIGHT).map(async object => {
          try {
            await deleteObject(context, object.name, {...NOW, preconditions: {uid: decodeItem(object).metadata.uid}});
          } catch (error) {
            const {code} = error as {code?: number};
            if (code !== 404) failures.push(`${kind.resource} ${object.name}: ${String(error)}`);
          }
        }),
      );
    }
    return failures;
  }

  /** By a finalizer, or by a grace period that ends by itself. */
  #isHeld(object: CachedObject): boolean {
    const {finalizers = [], deletionGracePeriodSeconds = 0} = decodeItem(object).metadata;
    return finalizers.length > 0 || (this.#host.services.compat.honourGracePeriod && deletionGracePeriodSeconds > 0);
  }

  #remains(namespace: string, failures: readonly string[]): Remains {
    const counts = new Map<string, number>();
    const finalizers = new Map<string, number>();
    for (const kind of this.#kinds) {
      const left = [...this.#host.services.registryOf(kind).cache.objects.slices(namespace)].flat();
      if (left.length > 0) counts.set(`${kind.resource}.${kind.group}`, left.length);
      for (const object of left) {
        for (const finalizer of decodeItem(object).metadata.finalizers ?? []) {
          finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
        }
      }
    }
    return {counts, finalizers, failures};
  }

  async #report({name, uid}: Deleted, remains: Remains): Promise<void> {
    const context = this.#context(name, 'status');
    const now = toKubeTime(this.#host.services.clock.now());
    await updateObject(context, {
      dryRun: false,
      uid,
      change: current => {
        const namespace = current as Namespace;
        const conditions = toConditions(namespace.status?.conditions ?? [], remains, now);
        const draft = {...current, status: {...namespace.status, phase: 'Terminating', conditions}};
        return trackFields(context, context.services.compat.managers.namespaces, current, draft, undefined);
      },
    });
  }

  /** Gives up our hold; the namespace goes as soon as nobody else holds it. */
  async #release({name, uid}: Deleted): Promise<void> {
    const context = this.#context(name, 'finalize');
    await updateObject(context, {
      dryRun: false,
      uid,
      change: current => {
        const {spec} = current as Namespace;
        const finalizers = (spec?.finalizers ?? []).filter(finalizer => finalizer !== KUBERNETES_FINALIZER);
        const draft = {...current, metadata: {...current.metadata}, spec: finalizers.length === 0 ? {} : {finalizers}};
        return trackFields(context, context.services.compat.managers.namespaces, current, draft, undefined);
      },
    });
  }

  #context(name: string, subresource: string): RequestContext {
    const context = this.#host.contextFor(this.#namespaces, '');
    return {...context, info: {...context.info, name, subresource, verb: 'update'}};
  }
}
