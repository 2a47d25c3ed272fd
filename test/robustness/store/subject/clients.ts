// SPDX-License-Identifier: Apache-2.0
/** Writers and readers of a store with many calls in flight. What they do follows from the seed and from what they read. */
import {setTimeout} from 'node:timers/promises';
import {type Store, StoreError, type TxnOp} from '@palisade/store';
import type {Answer, Request, Step} from '../../suite/kv/record.ts';
import {oneOf, type Random, seededRandom} from '../../suite/random.ts';
import type {Line, Plan} from './lines.ts';
import {fillingOf, idOf} from './value.ts';

const CONFLICTS: readonly string[] = ['revision-conflict', 'key-exists', 'key-not-found'];
const OWN_KEYS = 6;
const SHARED_KEYS = 4;
/** History that a compaction leaves. */
const KEPT_REVISIONS = 1_000n;
const AFTER_REFUSAL_MS = 2;

/** What a writer does, with its share. */
type Deed = (writer: Writer) => Promise<void>;
type Writer = {readonly name: string; readonly random: Random; readonly nextId: () => string; readonly number: number};

export class Clients {
  readonly #store: Store;
  readonly #plan: Plan;
  readonly #report: (line: Line) => void;
  #calls = 0;
  #isOver = false;

  constructor(store: Store, plan: Plan, report: (line: Line) => void) {
    this.#store = store;
    this.#plan = plan;
    this.#report = report;
  }

  async run(): Promise<void> {
    const writers = Array.from({length: this.#plan.writers}, (_, i) => this.#write(i));
    await Promise.all([...writers, ...(this.#plan.compacts ? [this.#compact()] : [])]);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
  }

  /** Writes a last change, which every watch gets; its revision. */
  async mark(): Promise<number> {
    const {seed, round} = this.#plan;
    const answer = await this.#change('mark', [{op: 'put', key: '/t/mark', id: `${seed}.${round}.mark`}]);
    if (answer.kind !== 'written') throw new Error(`the last write: ${JSON.stringify(answer)}`);
    return answer.revision ?? 0;
  }

  async #write(number: number): Promise<void> {
    const {seed, round} = this.#plan;
    const name = `w${number}`;
    let n = 0;
    const random = seededRandom((seed * 1_000 + round) * 1_000 + number);
    const writer: Writer = {name, number, random, nextId: () => `${seed}.${round}.${number}.${n++}`};
    const deeds: readonly (readonly [number, Deed])[] = [
      [0.4, each => this.#put(each)],
      [0.55, each => this.#replace(each, `/s/${Math.floor(each.random() * SHARED_KEYS)}`)],
      [0.68, each => this.#putThree(each)],
      [0.78, each => this.#remove(each)],
      [0.9, each => this.#replace(each, '/c/counter')],
      [0.96, each => this.#readOld(each)],
      [1, each => this.#list(each)],
    ];
    while (!this.#isOver) {
      const dice = random();
      await deeds.find(([share]) => dice < share)?.[1](writer);
    }
  }

  async #put({name, number, random, nextId}: Writer): Promise<void> {
    const key = `/w/${number}/${Math.floor(random() * OWN_KEYS)}`;
    await this.#change(name, [{op: 'put', key, id: nextId()}]);
  }

  /** Reads, and writes if nobody else has written since. */
  async #replace({name, nextId}: Writer, key: string): Promise<void> {
    const read = await this.#ask(name, {kind: 'get', key}, async () => {
      const entry = await this.#store.get(key);
      return {kind: 'got', entry: entry && {key, id: idOf(entry.value), revision: Number(entry.modRevision)}};
    });
    if (read.kind !== 'got') return;
    await this.#change(name, [{op: 'put', key, id: nextId(), expected: read.entry?.revision ?? 0}]);
  }

  async #putThree({name, number, nextId}: Writer): Promise<void> {
    // Two writers share three keys.
    const steps = ['x', 'y', 'z'].map(each => ({op: 'put', key: `/t/${number >> 1}/${each}`, id: nextId()}) as const);
    await this.#change(name, steps);
  }

  async #remove({name, number, random}: Writer): Promise<void> {
    const own = `/w/${number}/${Math.floor(random() * OWN_KEYS)}`;
    await this.#change(name, [{op: 'delete', key: oneOf(random, [own, own, '/s/0'])}]);
  }

  async #readOld({name, number, random}: Writer): Promise<void> {
    const [from, to] = [await this.#store.compactedRevision(), await this.#store.currentRevision()];
    const at = from + BigInt(Math.floor(random() * Number(to - from + 1n)));
    const key = oneOf(random, ['/c/counter', '/s/0', `/t/${number >> 1}/x`]);
    await this.#ask(name, {kind: 'get', key, at: Number(at)}, async () => {
      const entry = await this.#store.get(key, at);
      return {kind: 'got', entry: entry && {key, id: idOf(entry.value), revision: Number(entry.modRevision)}};
    });
  }

  async #list({name, number}: Writer): Promise<void> {
    const prefix = `/t/${number >> 1}/`;
    await this.#ask(name, {kind: 'list', prefix}, async () => {
      const {entries, revision} = await this.#store.list(prefix, {limit: 10});
      const versions = entries.map(({key, value, modRevision}) => ({
        key,
        id: idOf(value),
        revision: Number(modRevision),
      }));
      return {kind: 'listed', revision: Number(revision), entries: versions};
    });
  }

  async #compact(): Promise<void> {
    while (!this.#isOver) {
      const now = await this.#store.currentRevision();
      // A refused compaction is tried again.
      if (now > KEPT_REVISIONS) await this.#store.compact(now - KEPT_REVISIONS).catch(() => undefined);
      await setTimeout(AFTER_REFUSAL_MS);
    }
  }

  #change(client: string, steps: readonly Step[]): Promise<Answer> {
    return this.#ask(client, {kind: 'write', steps}, async () => {
      const [one, ...more] = steps;
      if (one === undefined) throw new Error('no step');
      const revision = more.length > 0 ? this.#store.txn(steps.map(toOp)) : this.#single(one);
      return {kind: 'written', revision: Number(await revision)};
    });
  }

  #single(step: Step): Promise<bigint> {
    const {key, expected} = step;
    const at = expected === undefined ? undefined : BigInt(expected);
    return step.op === 'put' ? this.#store.put(key, fillingOf(step.id), at) : this.#store.delete(key, at);
  }

  async #ask(client: string, request: Request, run: () => Promise<Answer>): Promise<Answer> {
    const number = this.#calls++;
    this.#report(['call', number, client, request]);
    const answer = await run().catch(refusal);
    this.#report(['answer', number, answer]);
    if (answer.kind === 'refused') await setTimeout(AFTER_REFUSAL_MS);
    return answer;
  }
}

const toOp = (step: Step): TxnOp => {
  const expected = step.expected === undefined ? undefined : BigInt(step.expected);
  return step.op === 'put'
    ? {op: 'put', key: step.key, value: fillingOf(step.id), expected}
    : {op: 'delete', key: step.key, expected};
};

const refusal = (error: unknown): Answer => {
  if (!(error instanceof StoreError)) throw error;
  return CONFLICTS.includes(error.code) ? {kind: 'conflict'} : {kind: 'refused', code: error.code};
};
