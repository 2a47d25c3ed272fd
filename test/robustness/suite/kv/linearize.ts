// SPDX-License-Identifier: Apache-2.0
/**
 * Whether calls that overlap in time could have been done one after the other, each at one moment between call and answer,
 * with just these answers: the search of Wing and Gong with Lowe's memory of what was tried.
 * Ref: G. Lowe, Testing for linearizability (2017); github.com/anishathalye/porcupine
 */

export type Operation<S> = {
  readonly called: number;
  /** Infinity: nobody saw an answer. Then it may have been done before `over`, or not at all. */
  readonly answered: number;
  readonly over: number;
  /** The state after it, or undefined: in this state it could not have got its answer. */
  readonly step: (state: S) => S | undefined;
  /** The operation that is tried first is the one with the smallest. Only the time of the search depends on it. */
  readonly hint: number;
  readonly label: string;
};

export type Linearization =
  | {readonly result: 'linearizable'}
  /** `stuck`: the operations of which one had to come next on the longest way that was found. */
  | {readonly result: 'not linearizable'; readonly after: number; readonly stuck: readonly string[]}
  | {readonly result: 'undecided'};

const STEPS_MAX = 2_000_000;

/** Where the search is: what is done, and the ways on from there. */
type Place<S> = {
  readonly state: S;
  /** Operations below it are done, or can no longer be done. */
  readonly base: number;
  /** The latest call of what is done: what was over before it can no longer be done. */
  readonly latest: number;
  readonly ways: readonly number[];
  way: number;
};

class Search<S> {
  readonly #operations: readonly Operation<S>[];
  readonly #isDone: Uint8Array;
  readonly #required: number;
  doneCount = 0;

  constructor(operations: readonly Operation<S>[]) {
    this.#operations = operations.toSorted((a, b) => a.called - b.called);
    this.#isDone = new Uint8Array(operations.length);
    this.#required = operations.filter(({answered}) => answered !== Infinity).length;
  }

  get isWhole(): boolean {
    return this.doneCount === this.#required;
  }

  at(i: number): Operation<S> {
    const one = this.#operations[i];
    if (one === undefined) throw new Error(`no operation ${i}`);
    return one;
  }

  set(i: number, isDone: boolean): void {
    this.#isDone[i] = isDone ? 1 : 0;
    if (this.at(i).answered !== Infinity) this.doneCount += isDone ? 1 : -1;
  }

  place(state: S, before: {base: number; latest: number}): Place<S> {
    const {latest} = before;
    let {base} = before;
    while (base < this.#operations.length && this.#isSettled(base, latest)) base++;
    return {state, base, latest, ways: this.#ways(base, latest), way: 0};
  }

  /** Which operations are done, shortly. */
  nameOf({base, latest}: {base: number; latest: number}): string {
    let text = `${base}`;
    for (let i = base; i < this.#operations.length && this.at(i).called <= latest; i++)
      if (this.#isDone[i] === 1) text += `,${i}`;
    return text;
  }

  #isSettled(i: number, latest: number): boolean {
    const {answered, over} = this.at(i);
    return this.#isDone[i] === 1 || (answered === Infinity && over < latest);
  }

  /** What may come next: no operation that was called after another one was answered comes before that one. */
  #ways(base: number, latest: number): number[] {
    const ways: number[] = [];
    let bound = Infinity;
    for (let i = base; i < this.#operations.length && this.at(i).called <= bound; i++) {
      if (this.#isSettled(i, latest)) continue;
      bound = Math.min(bound, this.at(i).answered);
      ways.push(i);
    }
    return ways.filter(i => this.at(i).called <= bound).sort((a, b) => this.at(a).hint - this.at(b).hint);
  }
}

/** `keyOf`: equal for equal states. A step that changes nothing returns the state itself. */
export function linearize<S>(
  operations: readonly Operation<S>[],
  initial: S,
  keyOf: (state: S) => string,
): Linearization {
  const search = new Search(operations);
  const tried = new Set<string>();
  const places: Place<S>[] = [search.place(initial, {base: 0, latest: 0})];
  const path: number[] = [];
  let longest: {after: number; stuck: readonly string[]} = {after: -1, stuck: []};
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    const place = places.at(-1);
    if (search.isWhole) return {result: 'linearizable'};
    if (place === undefined) return {result: 'not linearizable', ...longest};
    const i = place.ways[place.way++];
    if (i === undefined) {
      if (search.doneCount > longest.after)
        longest = {after: search.doneCount, stuck: place.ways.map(each => search.at(each).label)};
      places.pop();
      const last = path.pop();
      if (last !== undefined) search.set(last, false);
      continue;
    }
    const one = search.at(i);
    const state = one.step(place.state);
    if (state === undefined || (one.answered === Infinity && state === place.state)) continue;
    search.set(i, true);
    const next = search.place(state, {base: place.base, latest: Math.max(place.latest, one.called)});
    const name = `${search.nameOf(next)} ${keyOf(state)}`;
    if (tried.has(name)) {
      search.set(i, false);
      continue;
    }
    tried.add(name);
    path.push(i);
    places.push(next);
  }
  return {result: 'undecided'};
}
