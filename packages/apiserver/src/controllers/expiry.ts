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
 * however many, keep no object for ever. A clock that was set back adds nothing.
 *
 * I1 an object is removed only at the revision that was due: a write meanwhile keeps it. Finalizers do not.
 */
import type {Revision} from '@palisade/store';
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

const within = ({least, most}: {readonly least: number; readonly most: number}, ms: number): number =>
  Math.min(most, Math.max(least, ms));

class Expiry implements Controller {
  readonly #host: ControllerHost;
  readonly #kind: KindDefinition;
  readonly #registry: Registry;
  readonly #stepMs: number;
  readonly #lifeSteps: number;
  readonly #stepsPerMark: number;
  readonly #stepsPerSave: number;
  /** The step in which each object was written, the longest unwritten first. */
  readonly #written = new Map<CachedObject, number>();
  /** In order of revisions and of steps. */
  #marks: Mark[] = [];
  #step = 0;
  #timer: Timer | undefined;
  #sweep: Promise<void> | undefined;
  #unsubscribe = () => {};
  #stopped = false;

  constructor(host: ControllerHost, kind: KindDefinition, lifeMs: number) {
    this.#host = host;
    this.#kind = kind;
    this.#registry = host.services.registryOf(kind);
    this.#stepMs = Math.ceil(within(STEP_MS, lifeMs / STEPS_PER_LIFE));
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
      if (previous !== undefined) this.#written.delete(previous);
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
    if (this.#written.size === 0) return;
    this.#mark(this.#step + 1);
    await this.#save();
  }

  /** The end of this step, if there is anything to wait for. */
  #await(): void {
    if (this.#written.size === 0) {
      this.#timer?.cancel();
      this.#timer = undefined;
    }
    if (this.#stopped || this.#timer !== undefined || this.#written.size === 0) return;
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
    this.#sweep ??= this.#removeDue()
      .catch((error: unknown) =>
        this.#host.log.warn({err: error, resource: this.#kind.resource}, 'removal of expired objects failed, retrying'),
      )
      .finally(() => {
        this.#sweep = undefined;
      });
  }

  async #removeDue(): Promise<void> {
    let removed = 0;
    for (let due = this.#due(); due.length > 0 && !this.#stopped; due = this.#due()) {
      await this.#host.services.scheduler.turn();
      const done = await Promise.all(due.map(object => this.#remove(object)));
      removed += done.filter(Boolean).length;
      if (due.every(object => this.#written.has(object))) break; // none of them can be removed now
    }
    if (removed > 0) this.#host.log.debug({resource: this.#kind.resource, removed}, 'expired objects removed');
  }

  #due(): CachedObject[] {
    const due: CachedObject[] = [];
    for (const [object, step] of this.#written) {
      if (step + this.#lifeSteps > this.#step || due.length >= REMOVALS_IN_FLIGHT) break;
      due.push(object);
    }
    return due;
  }

  async #remove(object: CachedObject): Promise<boolean> {
    try {
      await this.#registry.remove(object);
      return true;
    } catch (error) {
      if (error instanceof ChangedMeanwhile) return false;
      throw error;
    }
  }

  get #key(): string {
    return `${KEY_PREFIX}${this.#kind.group === '' ? 'core' : this.#kind.group}/${this.#kind.resource}`;
  }

  async #load(): Promise<Mark[]> {
    const entry = await this.#host.store.get(this.#key);
    if (entry === undefined) return [];
    const {at, ages} = JSON.parse(Buffer.from(entry.value).toString()) as Stored;
    const sinceMs = Math.max(0, this.#host.services.clock.now() - at);
    return ages.map(([revision, ageMs]) => ({
      revision: BigInt(revision),
      step: -Math.floor((ageMs + sinceMs) / this.#stepMs),
    }));
  }

  async #save(): Promise<void> {
    const ages = this.#marks.map(
      ({revision, step}) => [String(revision), Math.max(0, this.#step - step) * this.#stepMs] as const,
    );
    const stored: Stored = {at: this.#host.services.clock.now(), ages};
    try {
      await this.#host.store.put(this.#key, Buffer.from(JSON.stringify(stored)));
    } catch (error) {
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
