// SPDX-License-Identifier: Apache-2.0
/**
 * Places for checks, and who waits for one: the groups take turns, in each the one that waits longest is next.
 *
 * I1: at most `placesMax` are taken.
 * I2: while there are several groups, one gets at most the part GROUP_SHARE of the places, whether or not others wait just now;
 *     a single one leaves as much free for the next. So a group whose targets hang until a long time-out never has them all.
 */
import {GROUP_SHARE} from '../limits.ts';

type Group<T> = {members: number; taken: number; readonly waiting: Set<T>};

export class FairQueue<T> {
  readonly #placesMax: number;
  readonly #shareMax: number;
  readonly #aloneMax: number;
  readonly #groups = new Map<string, Group<T>>();
  /** Those of which one waits and may have a place, in the order of their turns. */
  readonly #turns = new Set<Group<T>>();
  #taken = 0;
  #waiting = 0;

  constructor(placesMax: number) {
    this.#placesMax = placesMax;
    const share = Math.floor(placesMax * GROUP_SHARE);
    this.#shareMax = Math.max(1, share);
    this.#aloneMax = placesMax - share;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** There is one more that may want a place. */
  join(group: string): void {
    const known = this.#groups.get(group) ?? {members: 0, taken: 0, waiting: new Set<T>()};
    known.members++;
    this.#groups.set(group, known);
  }

  /** After `giveBack` and `remove`. */
  leave(group: string): void {
    const known = this.#groups.get(group);
    if (known === undefined) return;
    known.members--;
    if (known.members > 0) return;
    this.#turns.delete(known);
    this.#groups.delete(group);
    if (this.#groups.size === 1) for (const last of this.#groups.values()) this.#queue(last);
  }

  add(group: string, item: T): void {
    const known = this.#groups.get(group);
    if (known === undefined || known.waiting.has(item)) return;
    known.waiting.add(item);
    this.#waiting++;
    this.#queue(known);
  }

  /** Nothing happens where it does not wait. */
  remove(group: string, item: T): void {
    const known = this.#groups.get(group);
    if (known === undefined || !known.waiting.delete(item)) return;
    this.#waiting--;
    if (known.waiting.size === 0) this.#turns.delete(known);
  }

  /** Undefined: nobody waits who may have a place. */
  take(): T | undefined {
    if (this.#taken >= this.#placesMax) return undefined;
    for (const group of this.#turns) {
      this.#turns.delete(group);
      if (!this.#mayTake(group)) continue; // until it gives one back
      for (const item of group.waiting) {
        group.waiting.delete(item);
        this.#waiting--;
        this.#taken++;
        group.taken++;
        this.#queue(group);
        return item;
      }
    }
    return undefined;
  }

  giveBack(group: string): void {
    this.#taken--;
    const known = this.#groups.get(group);
    if (known === undefined) return;
    known.taken--;
    this.#queue(known);
  }

  #mayTake({taken}: Group<T>): boolean {
    return taken < (this.#groups.size === 1 ? this.#aloneMax : this.#shareMax);
  }

  #queue(group: Group<T>): void {
    if (group.waiting.size > 0 && this.#mayTake(group)) this.#turns.add(group);
  }
}
