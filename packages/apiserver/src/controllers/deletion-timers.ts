// SPDX-License-Identifier: Apache-2.0
/**
 * Removes marked objects when their time has come (E-232, E-239). The time is stored with the object, so a start only has to
 * look at what is there; after a partition the object goes as soon as the store can be written again (E-238).
 */

import {StatusError} from '../base/status-error.ts';
import type {Timer} from '../base/time.ts';
import {type CachedObject, decodeItem} from '../cache/cached-object.ts';
import {hasObjects, type KindDefinition} from '../kind/kind.ts';
import {PLAIN_DELETE} from '../request/options/delete-options.ts';
import {isMarked} from '../verbs/object/classify-owners.ts';
import {deleteObject} from '../verbs/object/delete-object.ts';
import type {Controller, ControllerFactory, ControllerHost} from './controller.ts';
import {type ObjectRef, toRef} from './owner-graph.ts';
import {WorkQueue} from './work-queue.ts';

/** Longer waits are taken in steps: timers of the platform end at 2^31 ms. */
const STEP_MS_MAX = 3_600_000;
const CONCURRENCY = 32;

export const deletionTimers: ControllerFactory = host => new DeletionTimers(host);

class DeletionTimers implements Controller {
  readonly #host: ControllerHost;
  readonly #queue: WorkQueue<ObjectRef>;
  readonly #timers = new Map<string, Timer>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(host: ControllerHost) {
    this.#host = host;
    this.#queue = new WorkQueue({
      timers: host.services.timers,
      log: host.log,
      name: 'timed deletion',
      counts: host.services.queues.open('timed_deletion'),
      concurrency: CONCURRENCY,
      work: ref => this.#due(ref),
    });
  }

  start(): void {
    for (const kind of this.#host.kinds.filter(hasObjects)) {
      const {cache} = this.#host.services.registryOf(kind);
      this.#unsubscribe.push(
        cache.onEvent(({type, object}) => {
          if (type === 'DELETED') this.#forget(toRef(kind, object).key);
          else this.#watch(kind, object);
        }),
      );
      for (const slice of cache.objects.slices('')) for (const object of slice) this.#watch(kind, object);
    }
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const timer of this.#timers.values()) timer.cancel();
    await this.#queue.stop();
  }

  #forget(key: string): void {
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
  }

  #watch(kind: KindDefinition, object: CachedObject): void {
    const ref = toRef(kind, object);
    this.#forget(ref.key);
    if (!isMarked(object)) return;
    const {deletionTimestamp, deletionGracePeriodSeconds, finalizers} = decodeItem(object).metadata;
    // Without a grace period deletion was never timed; with finalizers their removal ends it.
    if (deletionTimestamp == null || (deletionGracePeriodSeconds ?? 0) === 0 || (finalizers?.length ?? 0) > 0) return;
    const waitMs = Date.parse(deletionTimestamp) - this.#host.services.clock.now();
    if (waitMs <= 0) {
      this.#queue.add(ref);
      return;
    }
    const timer = this.#host.services.timers.after(Math.min(waitMs, STEP_MS_MAX), () => {
      const now = this.#host.services.registryOf(kind).get(ref.namespace, ref.name);
      if (now !== undefined) this.#watch(kind, now);
    });
    this.#timers.set(ref.key, timer);
  }

  async #due(ref: ObjectRef): Promise<void> {
    const object = this.#host.services.registryOf(ref.kind).get(ref.namespace, ref.name);
    if (object === undefined || !isMarked(object)) return;
    const {uid} = decodeItem(object).metadata;
    try {
      await deleteObject(this.#host.contextFor(ref.kind, ref.namespace), ref.name, {
        ...PLAIN_DELETE,
        preconditions: {uid},
      });
    } catch (error) {
      if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error;
    }
  }
}
