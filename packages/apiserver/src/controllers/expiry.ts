// SPDX-License-Identifier: Apache-2.0
/**
 * Removes the objects of a kind some time after their last write, as a lease would that each write renews.
 * Ref: kubernetes v1.36 apiserver/pkg/storage/etcd3/store.go ttlOpts (each put takes a lease of the full time).
 *
 * While the server runs no clock counts: life is measured in steps of one timer, which never fires early, so nothing goes early
 * however the clock jumps, and late by two steps at most. A sweep removes what is due in batches, one in each turn.
 *
 * What is stored, one value per kind: `{"at":<ms>,"ages":[["<revision>",<ms>],…]}`: at that time, everything last written at or
 * before a revision was at least so old. It is renewed while there are objects, and at a stop. A start adds the time since then by
 * the clock; what was written later than that counts as written at the start, and the value is renewed at once, so that restarts,
 * however many, keep no object for ever. A clock that was set back adds nothing, and neither does one that says that the server
 * stood still for longer than a day and a life: one of the two readings is likely wrong (1970, say), and late is better than early.
 *
 * I1 an object is removed only at the revision that was due: a write meanwhile keeps it. Finalizers do not.
 */
import {hasCode, isDiskRefusal, type Revision} from '@palisade/store';
import type {Timer} from '../base/time.ts';
import type {CachedObject} from '../cache/cached-object.ts';
import type {KindDefinition} from '../kind/kind.ts';
import {ChangedMeanwhile, type Registry} from '../registry/registry.ts';
import type {Controller, ControllerFactory, ControllerHost} from './controller.ts';

const KEY_PREFIX = '/kube-meta/ages/';
const STEP_MS = {least: 100, most: 10_000};
const STEPS_PER_LIFE = 100;
/** As many ages at most are noted; between two of them all is as old as the younger one. */
const MARKS_PER_LIFE = 360;
const SAVES_PER_LIFE = 30;
const SAVE_INTERVAL_MS = {least: 1_000, most: 300_000};
/** A longer time between two runs is not believed, unless a life is longer. */
const BELIEVED_STOP_MS = 86_400_000;
/** An object that could not be removed is tried again after so many steps. */
const RETRY_STEPS = 6;
/** Removals under way at the same time: they share the store's batches. */
const REMOVALS_IN_FLIGHT = 64;

/** Everything last written at or before `revision` was written before the end of `step`. */
type Mark = {readonly revision: Revision; readonly step: number};
type Stored = {readonly at: number; readonly ages: readonly (readonly [revision: string, ageMs: number])[]};

/** `lifeMs`: from the last write on. */
export const expireAfter =
  (kind: KindDefinition, lifeMs: number): ControllerFactory =>
  host =>
    new Expiry(host, kind, lifeMs);

/** Of every write, not of this one. */
const isRefusalOfAll = (error: unknown): boolean => isDiskRefusal(error) || hasCode(error, 'unavailable', 'closed');

const within = ({least, most}: {readonly least: number; readonly most: number}, ms: number): number =>
  Math.min(most, Math.max(least, ms));

class Expiry implements Controller {
  readonly #host: ControllerHost;
  readonly #kind: KindDefinition;
  readonly #registry: Registry;
  readonly #stepMs: number;
  readonly #lifeMs: number;
  readonly #lifeSteps: number;
  readonly #stepsPerMark: number;
  readonly #stepsPerSave: number;
  /** The step in which each object was written, the longest unwritten first. */
  readonly #written = new Map<CachedObject, number>();
  /** Objects that could not be removed, and the step of the next attempt, the nearest first. */
  readonly #aside = new Map<CachedObject, number>();
  /** In order of revisions and of steps. */
  #marks: Mark[] = [];
  #step = 0;
  #timer: Timer | undefined;
  #sweep: Promise<void> | undefined;
  #saving: Promise<void> | undefined;
  #unsubscribe = () => {};
  #stopped = false;

  constructor(host: ControllerHost, kind: KindDefinition, lifeMs: number) {
    this.#host = host;
    this.#kind = kind;
    this.#registry = host.services.registryOf(kind);
    this.#stepMs = Math.ceil(within(STEP_MS, lifeMs / STEPS_PER_LIFE));
    this.#lifeMs = lifeMs;
    this.#lifeSteps = Math.ceil(lifeMs / this.#stepMs);
    this.#stepsPerMark = Math.ceil(this.#lifeSteps / MARKS_PER_LIFE);
    this.#stepsPerSave = Math.ceil(within(SAVE_INTERVAL_MS, lifeMs / SAVES_PER_LIFE) / this.#stepMs);
  }

  async start(): Promise<void> {
    this.#marks = await this.#load();
    const found = [...this.#registry.cache.objects.slices('')].flat();
    found.sort((a, b) => (a.revision < b.revision ? -1 : 1));
    let next = 0;
    for (const object of found) {
      while (next < this.#marks.length && (this.#marks[next] as Mark).revision < object.revision) next++;
      this.#written.set(object, this.#marks[next]?.step ?? 0);
    }
    this.#unsubscribe = this.#registry.cache.onEvent(({type, object, previous}) => {
      if (previous !== undefined) this.#forget(previous);
      if (type !== 'DELETED') this.#written.set(object, this.#step + 1);
      this.#await();
    });
    if (found.length === 0) return;
    this.#mark(this.#step);
    await this.#save();
    this.#beginSweep();
    this.#await();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    this.#timer?.cancel();
    await this.#sweep;
    await this.#saving;
    if (this.#isIdle) return;
    this.#mark(this.#step + 1);
    await this.#save();
  }

  get #isIdle(): boolean {
    return this.#written.size + this.#aside.size === 0;
  }

  #forget(object: CachedObject): void {
    this.#written.delete(object);
    this.#aside.delete(object);
  }

  /** The end of this step, if there is anything to wait for. */
  #await(): void {
    if (this.#isIdle) {
      this.#timer?.cancel();
      this.#timer = undefined;
    }
    if (this.#stopped || this.#timer !== undefined || this.#isIdle) return;
    this.#timer = this.#host.services.timers.after(this.#stepMs, () => {
      this.#timer = undefined;
      this.#step++;
      if (this.#step % this.#stepsPerMark === 0) this.#mark(this.#step);
      if (this.#step % this.#stepsPerSave === 0) void this.#save();
      this.#beginSweep();
      this.#await();
    });
  }

  #beginSweep(): void {
    if (this.#due().length === 0) return;
    this.#sweep ??= this.#removeDue().finally(() => {
      this.#sweep = undefined;
    });
  }

  /** What cannot be removed holds up nothing else; it is put aside. A store that takes no writes at all ends the sweep. */
  async #removeDue(): Promise<void> {
    const failures: unknown[] = [];
    let removed = 0;
    for (let due = this.#due(); due.length > 0 && !this.#stopped; due = this.#due()) {
      await this.#host.services.scheduler.turn();
      const results = await Promise.allSettled(due.map(object => this.#registry.remove(object)));
      removed += results.filter(({status}) => status === 'fulfilled').length;
      for (const object of due) this.#putAside(object);
      const errors = results.flatMap(result => (result.status === 'rejected' ? [result.reason as unknown] : []));
      failures.push(...errors.filter(error => !(error instanceof ChangedMeanwhile)));
      if (errors.some(isRefusalOfAll)) break;
    }
    const {resource} = this.#kind;
    if (removed > 0) this.#host.log.debug({resource, removed}, 'expired objects removed');
    const err = failures.find(error => !isDiskRefusal(error) && !hasCode(error, 'closed'));
    if (err === undefined) return;
    this.#host.log.warn({err, resource, failed: failures.length}, 'removal of expired objects failed, retrying');
  }

  /** Unless the cache has reported meanwhile that it is gone or written. */
  #putAside(object: CachedObject): void {
    if (!this.#written.has(object) && !this.#aside.has(object)) return;
    this.#forget(object);
    this.#aside.set(object, this.#step + RETRY_STEPS);
  }

  #due(): CachedObject[] {
    const due: CachedObject[] = [];
    for (const [object, step] of this.#written) {
      if (step + this.#lifeSteps > this.#step || due.length >= REMOVALS_IN_FLIGHT) break;
      due.push(object);
    }
    for (const [object, step] of this.#aside) {
      if (step > this.#step || due.length >= REMOVALS_IN_FLIGHT) break;
      due.push(object);
    }
    return due;
  }

  get #key(): string {
    return `${KEY_PREFIX}${this.#kind.group === '' ? 'core' : this.#kind.group}/${this.#kind.resource}`;
  }

  async #load(): Promise<Mark[]> {
    const entry = await this.#host.store.get(this.#key);
    if (entry === undefined) return [];
    const {resource} = this.#kind;
    try {
      const {at, ages} = JSON.parse(Buffer.from(entry.value).toString()) as Stored;
      const stoodMs = Math.max(0, this.#host.services.clock.now() - at);
      const isBelieved = stoodMs <= Math.max(BELIEVED_STOP_MS, this.#lifeMs);
      if (!isBelieved)
        this.#host.log.warn(
          {resource, at, stoodMs},
          'clock differs too much from the last run, its time is not counted',
        );
      return ages.map(([revision, ageMs]) => ({
        revision: BigInt(revision),
        step: -Math.floor((ageMs + (isBelieved ? stoodMs : 0)) / this.#stepMs),
      }));
    } catch (error) {
      this.#host.log.warn({err: error, resource}, 'stored ages of objects are damaged, their time begins again');
      return [];
    }
  }

  /** One at a time: an older note must not come after a newer one. */
  #save(): Promise<void> {
    this.#saving ??= this.#store().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #store(): Promise<void> {
    const ages = this.#marks.map(
      ({revision, step}) => [String(revision), Math.max(0, this.#step - step) * this.#stepMs] as const,
    );
    const stored: Stored = {at: this.#host.services.clock.now(), ages};
    try {
      await this.#host.store.put(this.#key, Buffer.from(JSON.stringify(stored)));
    } catch (error) {
      if (isDiskRefusal(error)) return;
      this.#host.log.warn({err: error, resource: this.#kind.resource}, 'ages of objects not stored, retrying');
    }
  }

  /** Everything visible was written before the end of `step`. Of what is due at any rate one mark is enough. */
  #mark(step: number): void {
    const revision = this.#registry.cache.log.lastRevision;
    const last = this.#marks.at(-1);
    if (last === undefined || last.revision < revision) this.#marks.push({revision, step});
    const firstAlive = this.#marks.findIndex(mark => mark.step + this.#lifeSteps > this.#step);
    if (firstAlive > 1) this.#marks.splice(0, firstAlive - 1);
  }
}
