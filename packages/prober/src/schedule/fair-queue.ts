// SPDX-License-Identifier: Apache-2.0
/**
 * Places for checks, and who waits for one. In both lanes the namespaces take turns, in each its groups, in each the target that
 * waits longest.
 *
 *   shared   most places: for all, within the shares of I2
 *   own      the rest, for when the shared ones are taken: each namespace has the same part of it, each of its groups up to
 *            GROUP_OWN_MAX, and at least one as long as the part of its namespace lasts
 *
 * I1: at most `placesMax` are taken.
 * I2: while there are several groups, one gets at most the part GROUP_SHARE of the places, whether or not others wait just now;
 *     a single one leaves as much free for the next. Of several namespaces one gets at most the part NAMESPACE_SHARE.
 * I3: so targets that hang until a long time-out, in however many groups, never have the places of another namespace, and those of
 *     another group only in a namespace with more groups than own places. The parts shrink with more than NAMESPACES_LEAST
 *     namespaces, or more groups in one: what was taken before counts until it is given back.
 */
import {GROUP_OWN_MAX, GROUP_SHARE, NAMESPACE_SHARE, NAMESPACES_LEAST, OWN_PART} from '../limits.ts';

const LANES = ['shared', 'own'] as const;
type Lane = (typeof LANES)[number];
type Taken = Record<Lane, number>;
type Lanes<T> = Readonly<Record<Lane, Set<T>>>;

type Group<T> = {members: number; readonly namespace: Namespace<T>; readonly taken: Taken; readonly waiting: Set<T>};
type Namespace<T> = {
  readonly name: string;
  readonly groups: Set<Group<T>>;
  readonly taken: Taken;
  /** Groups of which one waits and that may have a place of the lane, in the order of their turns. */
  readonly turns: Lanes<Group<T>>;
};

const nothing = (): Taken => ({shared: 0, own: 0});

export class FairQueue<T> {
  readonly #most: Readonly<Taken>;
  readonly #groupMost: number;
  readonly #aloneMost: number;
  readonly #namespaceMost: number;
  readonly #namespaces = new Map<string, Namespace<T>>();
  readonly #groups = new Map<string, Group<T>>();
  readonly #turns: Lanes<Namespace<T>> = {shared: new Set(), own: new Set()};
  readonly #taken = nothing();
  #waiting = 0;

  constructor(placesMax: number) {
    const own = Math.floor(placesMax * OWN_PART);
    const share = Math.floor(placesMax * GROUP_SHARE);
    this.#most = {shared: placesMax - own, own};
    this.#groupMost = Math.max(1, share);
    this.#aloneMost = placesMax - share;
    this.#namespaceMost = Math.max(1, Math.floor(placesMax * NAMESPACE_SHARE));
  }

  get taken(): number {
    return this.#taken.shared + this.#taken.own;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** There is one more that may want a place. The name of a group is never that of one in another namespace. */
  join(namespace: string, group: string): void {
    const known = this.#groups.get(group) ?? this.#newGroup(namespace, group);
    known.members++;
  }

  /** After `giveBack` and `remove`. */
  leave(group: string): void {
    const known = this.#groups.get(group);
    if (known === undefined) return;
    known.members--;
    if (known.members > 0) return;
    const {namespace} = known;
    this.#drop(known);
    this.#groups.delete(group);
    namespace.groups.delete(known);
    if (namespace.groups.size === 0) this.#namespaces.delete(namespace.name);
    if (this.#waiting > 0) this.#queueMore(namespace); // the others may have more now
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
    if (known.waiting.size === 0) this.#drop(known);
  }

  /** Undefined: nobody waits who may have a place. */
  take(): T | undefined {
    for (const lane of LANES) {
      const group = this.#taken[lane] < this.#most[lane] ? this.#next(lane) : undefined;
      if (group === undefined) continue;
      for (const item of group.waiting) {
        group.waiting.delete(item);
        this.#waiting--;
        this.#count(group, lane, 1);
        if (group.waiting.size === 0) this.#drop(group);
        else this.#queue(group);
        return item;
      }
    }
    return undefined;
  }

  giveBack(group: string): void {
    const known = this.#groups.get(group);
    if (known === undefined) return;
    this.#count(known, known.taken.own > 0 ? 'own' : 'shared', -1);
    this.#queue(known);
    for (const lane of LANES) this.#queueNamespace(known.namespace, lane);
  }

  #newGroup(name: string, group: string): Group<T> {
    const namespace = this.#namespaces.get(name) ?? {
      ...{name, groups: new Set<Group<T>>(), taken: nothing()},
      turns: {shared: new Set<Group<T>>(), own: new Set<Group<T>>()},
    };
    this.#namespaces.set(name, namespace);
    const made: Group<T> = {members: 0, namespace, taken: nothing(), waiting: new Set()};
    this.#groups.set(group, made);
    namespace.groups.add(made);
    return made;
  }

  /** Whose turn it is. Who may not have a place is passed over until it gives one back. */
  #next(lane: Lane): Group<T> | undefined {
    for (const namespace of this.#turns[lane]) {
      this.#turns[lane].delete(namespace);
      if (!this.#mayNamespace(namespace, lane)) continue;
      const turns = namespace.turns[lane];
      for (const group of turns) {
        turns.delete(group);
        if (!this.#mayGroup(group, lane)) continue;
        this.#queueNamespace(namespace, lane);
        return group;
      }
    }
    return undefined;
  }

  #count({taken, namespace}: Group<T>, lane: Lane, by: 1 | -1): void {
    for (const each of [this.#taken, namespace.taken, taken]) each[lane] += by;
  }

  #mayNamespace({taken}: Namespace<T>, lane: Lane): boolean {
    if (lane === 'own') return taken.own < this.#ownOfNamespace;
    return this.#namespaces.size === 1 || taken.shared < this.#namespaceMost;
  }

  #mayGroup({taken: {own, shared}, namespace}: Group<T>, lane: Lane): boolean {
    if (own + shared >= (this.#groups.size === 1 ? this.#aloneMost : this.#groupMost)) return false;
    if (lane === 'shared') return true;
    return own < Math.min(GROUP_OWN_MAX, Math.max(1, Math.floor(this.#ownOfNamespace / namespace.groups.size)));
  }

  get #ownOfNamespace(): number {
    return Math.max(1, Math.floor(this.#most.own / Math.max(NAMESPACES_LEAST, this.#namespaces.size)));
  }

  #queue(group: Group<T>): void {
    if (group.waiting.size === 0) return;
    for (const lane of LANES) {
      if (!this.#mayGroup(group, lane)) continue;
      group.namespace.turns[lane].add(group);
      this.#queueNamespace(group.namespace, lane);
    }
  }

  #queueNamespace(namespace: Namespace<T>, lane: Lane): void {
    if (namespace.turns[lane].size > 0 && this.#mayNamespace(namespace, lane)) this.#turns[lane].add(namespace);
  }

  #queueMore(left: Namespace<T>): void {
    const isFewer = left.groups.size === 0 || this.#groups.size === 1;
    for (const namespace of isFewer ? this.#namespaces.values() : [left])
      for (const group of namespace.groups) this.#queue(group);
  }

  /** It waits for nothing. */
  #drop(group: Group<T>): void {
    const {namespace} = group;
    for (const lane of LANES) {
      namespace.turns[lane].delete(group);
      if (namespace.turns[lane].size === 0) this.#turns[lane].delete(namespace);
    }
  }
}
