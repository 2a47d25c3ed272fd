// SPDX-License-Identifier: Apache-2.0
/**
 * The history of each key, put together from all that clients saw: answers of writes, events, values that were read. An
 * independent model: what two clients saw of the same revision has to agree, and each value has to be one that was written.
 */
import {eventsOf, type KvRecord, type Step, stepsOf, type Version} from './record.ts';

/** A key at a revision. `id` undefined: it was deleted. */
export type Point = {readonly revision: number; readonly id: string | undefined};

const DELETED: unique symbol = Symbol('deleted');

export class Timeline {
  readonly #points = new Map<string, Map<number, string | typeof DELETED>>();
  readonly #sorted = new Map<string, readonly Point[]>();
  /** By id of a value: where it was seen. */
  readonly #revisionsOf = new Map<string, Set<number>>();
  /** Clients that disagree. */
  readonly faults: string[] = [];

  constructor(record: KvRecord) {
    for (const watch of record.watches)
      for (const {revision, key, id} of eventsOf(watch)) this.#add(key, {revision, id}, `watch of ${watch.client}`);
    for (const call of record.calls) {
      const {answer, client} = call;
      if (answer?.kind === 'written' && answer.revision !== undefined)
        for (const step of stepsOf(call)) this.#add(step.key, {revision: answer.revision, id: idOf(step)}, client);
      if (answer?.kind === 'got' && answer.entry !== undefined) this.#addRead(answer.entry, client);
      if (answer?.kind === 'listed') for (const entry of answer.entries) this.#addRead(entry, client);
    }
    for (const {entries, round} of record.audits)
      for (const entry of entries) this.#addRead(entry, `start of round ${round}`);
    for (const [key, points] of this.#points) {
      const list = [...points].map(([revision, id]) => ({revision, id: id === DELETED ? undefined : id}));
      this.#sorted.set(
        key,
        list.sort((a, b) => a.revision - b.revision),
      );
    }
  }

  get keys(): string[] {
    return [...this.#sorted.keys()];
  }

  /** All changes of a key that anybody saw, by revision. */
  of(key: string): readonly Point[] {
    return this.#sorted.get(key) ?? [];
  }

  /** The newest change of a key at or below a revision. */
  at(key: string, revision: number): Point | undefined {
    const points = this.of(key);
    let [low, high] = [0, points.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((points[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return points[low - 1];
  }

  has(key: string, revision: number): boolean {
    return this.#points.get(key)?.has(revision) === true;
  }

  /** The revisions at which a value was seen: more than one is a fault. */
  revisionsOf(id: string): number[] {
    return [...(this.#revisionsOf.get(id) ?? [])].sort((a, b) => a - b);
  }

  #addRead({key, id, revision}: Version, who: string): void {
    this.#add(key, {revision, id}, who);
  }

  #add(key: string, {revision, id}: Point, who: string): void {
    const points = this.#points.get(key) ?? new Map<number, string | typeof DELETED>();
    this.#points.set(key, points);
    const found = points.get(revision);
    if (found !== undefined && found !== (id ?? DELETED))
      this.faults.push(`${key} @${revision}: ${who} saw ${shown(id)}, another ${String(shown(found))}`);
    points.set(revision, id ?? DELETED);
    if (id === undefined) return;
    const revisions = this.#revisionsOf.get(id) ?? new Set();
    this.#revisionsOf.set(id, revisions.add(revision));
  }
}

const shown = (id: string | typeof DELETED | undefined): string =>
  typeof id === 'string' ? id : 'that it was deleted';
const idOf = (step: Step): string | undefined => (step.op === 'put' ? step.id : undefined);
