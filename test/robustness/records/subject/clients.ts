// SPDX-License-Identifier: Apache-2.0
/** Clients of a record store: three sensors, an analyst, an exporter, a follower, and one that makes copies. */
import {copyFileSync, mkdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout} from 'node:timers/promises';
import {parseIdsEndpointName} from '@palisade/ids-wire';
import {followRecords} from '../../../../packages/ids/src/records/follow-records.ts';
import type {RecordSelection, RecordStore, StoredRecord} from '../../../../packages/ids/src/records/record-store.ts';
import {wakeUp} from '../../../../packages/ids/src/records/wake-up.ts';
import {T0} from '../../../../packages/ids/src/testing/record-store-contract.ts';
import {between, oneOf, type Random, seededRandom} from '../../suite/random.ts';
import type {FollowCursor, Given, Line, Plan} from './lines.ts';
import {BUDGETS, batchOf, criticalOf, ENDPOINTS} from './traffic.ts';

const EVERY = {project: '-', location: '-', endpointId: '-'};
const THREATS: RecordSelection = {kind: 'threats', name: EVERY, filter: ''};
const TRAFFIC: RecordSelection = {kind: 'traffic', name: EVERY, filter: ''};
const criticalSelection = (endpoint: string): RecordSelection => {
  const name = parseIdsEndpointName(endpoint);
  if (name === undefined) throw new Error(`no endpoint: ${endpoint}`);
  return {kind: 'threats', name, filter: 'alert_severity=CRITICAL'};
};
const ALL_EVERY = 8;
const AFTER_REFUSAL_MS = 10;
const PAGE = 40;
const TIDY_EVERY = 25;
const COPY_EVERY = 12;

const givenOf = (records: readonly StoredRecord[]): Given[] =>
  records.map(({endpoint, id}) => [ENDPOINTS.indexOf(endpoint), id]);

export class Clients {
  readonly #store: RecordStore;
  readonly #plan: Plan;
  readonly #report: (line: Line) => void;
  readonly #random: Random;
  /** Of endpoints: batches that were answered. */
  readonly #answered = new Map<string, number>();
  readonly #stop = new AbortController();
  #isOver = false;
  #exported = 0;

  constructor(store: RecordStore, plan: Plan, report: (line: Line) => void) {
    this.#store = store;
    this.#plan = plan;
    this.#report = report;
    this.#random = seededRandom(plan.seed * 1_000 + plan.round);
  }

  /** Ends when `stop` was called and all is read. Rejects only for a fault of the clients. */
  async run(onReady: () => void): Promise<void> {
    await this.#untilDone(() => this.#openExporter());
    for (const [i, endpoint] of ENDPOINTS.entries())
      await this.#untilDone(async () => {
        const n = (await this.#store.load(endpoint))?.checkpoint?.offset ?? 0;
        this.#answered.set(endpoint, n);
        this.#report(['position', i, n]);
      });
    const readers = [this.#export(), this.#follow()];
    onReady();
    await Promise.all([...ENDPOINTS.map(endpoint => this.#sense(endpoint)), this.#decide(), this.#copy()]);
    await this.#untilDone(async () => {
      const {sequence} = await this.#store.position();
      this.#through = sequence;
    });
    this.#wakeReaders();
    await Promise.all(readers);
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Readers end when they have come so far. */
  #through = Number.POSITIVE_INFINITY;
  #wakeReaders(): void {
    this.#stop.abort();
  }

  /** Again after a refusal. */
  async #untilDone(action: () => Promise<void>): Promise<void> {
    for (;;)
      try {
        return await action();
      } catch (error) {
        this.#report(['refusal', error instanceof Error ? error.message : String(error)]);
        await setTimeout(AFTER_REFUSAL_MS);
      }
  }

  async #sense(endpoint: string): Promise<void> {
    const place = ENDPOINTS.indexOf(endpoint);
    for (let n = (this.#answered.get(endpoint) ?? 0) + 1; !this.#isOver; n++) {
      const batch = batchOf(this.#plan.seed, endpoint, n);
      this.#report(['begin', place, n]);
      for (let isDone = false; !isDone; )
        try {
          await this.#store.commit(batch);
          isDone = true;
        } catch {
          this.#report(['fail', place, n]);
          if (this.#isOver) return; // the disk may refuse until the end
          await setTimeout(AFTER_REFUSAL_MS);
        }
      this.#answered.set(endpoint, n);
      this.#report(['answer', place, n]);
      if (n % TIDY_EVERY === 0) await this.#store.tidy().catch(() => undefined);
      if (n % TIDY_EVERY === 7) this.#store.setBudgets(BUDGETS);
    }
  }

  /** Comments on critical records, each with a number of its own; one that was refused is not tried again. */
  async #decide(): Promise<void> {
    for (let number = this.#plan.firstDecision; !this.#isOver; number++) {
      const endpoint = oneOf(this.#random, ENDPOINTS);
      const n = between(this.#random, 1, this.#answered.get(endpoint) ?? 1);
      const id = criticalOf(this.#plan.seed, endpoint, n - (n % 4));
      if (id === undefined || n < 4) {
        await setTimeout(1);
        continue;
      }
      const isAll = between(this.#random, 1, ALL_EVERY) === 1;
      const target = isAll ? criticalSelection(endpoint) : {endpoint, id};
      this.#report(['decide', number, ENDPOINTS.indexOf(endpoint), isAll ? '*' : id]);
      try {
        const change = {action: 'comment', user: 'ann', timeMs: T0, text: String(number)} as const;
        const {changed} = await this.#store.triage(target, change);
        this.#report(['decided', number, changed]);
      } catch {
        this.#report(['decided', number, null]);
      }
      await setTimeout(between(this.#random, 0, 6));
    }
  }

  /** A reader that saves its position: before the first record, so that what it misses is counted. */
  async #openExporter(): Promise<void> {
    const saved = await this.#store.loadReader('export');
    const sequence = saved?.kinds.threats?.sequence ?? 0;
    if (saved === undefined) await this.#save(0);
    const held = saved === undefined || (await this.#store.holds({history: saved.history, sequence}));
    this.#exported = sequence;
    this.#report(['reader', sequence, held]);
  }

  async #save(sequence: number): Promise<void> {
    const {history} = await this.#store.position();
    this.#report(['save', sequence]);
    await this.#store.saveReader('export', {history, kinds: {threats: {sequence, timeMs: T0}}});
    this.#report(['saved', sequence]);
  }

  async #export(): Promise<void> {
    while (this.#exported < this.#through)
      await this.#untilDone(async () => {
        const wake = wakeUp(this.#store, this.#stop.signal);
        try {
          const page = await this.#store.changes({...THREATS, after: this.#exported, updates: false, limit: PAGE});
          if (page.sequence > this.#exported) {
            this.#report(['page', page.sequence, page.missed, givenOf(page.records)]);
            this.#exported = page.sequence;
            await this.#untilDone(() => this.#save(page.sequence));
          } else if (this.#exported < this.#through) await Promise.race([wake.next(), setTimeout(50)]);
        } finally {
          wake.close();
        }
      });
  }

  /** As a client that connects again, with its last cursor, whenever its stream ends. */
  async #follow(): Promise<void> {
    let cursor: FollowCursor | undefined = this.#plan.cursor;
    const isThere = (): boolean => cursor !== undefined && cursor.sequence >= this.#through;
    while (!isThere())
      await this.#untilDone(async () => {
        const held = cursor === undefined ? null : await this.#store.holds(cursor);
        this.#report(['held', held]);
        const end = new AbortController();
        const signal = AbortSignal.any([end.signal, this.#stop.signal.aborted ? end.signal : this.#stop.signal]);
        const options = {selection: {...TRAFFIC, sinceMs: 0}, cursor, clock: {now: () => T0}, updates: false, signal};
        for await (const batch of followRecords(this.#store, options)) {
          this.#report(['followed', batch.cursor ?? null, givenOf(batch.records)]);
          cursor = batch.cursor ?? cursor;
          if (isThere()) return end.abort();
        }
      });
  }

  async #copy(): Promise<void> {
    for (let number = this.#plan.firstCopy; !this.#isOver; number++) {
      const until = this.#batches() + COPY_EVERY * between(this.#random, 1, 4);
      while (!this.#isOver && this.#batches() < until) await setTimeout(5);
      if (this.#isOver) return;
      const to = join(this.#plan.copies, String(number));
      mkdirSync(to, {recursive: true});
      this.#report(['copying', number]);
      try {
        for await (const {file, path} of this.#store.snapshot(new AbortController().signal))
          copyFileSync(path, join(to, file));
        this.#report(['copied', number]);
      } catch (error) {
        rmSync(to, {recursive: true, force: true});
        this.#report(['uncopied', number, error instanceof Error ? error.message : String(error)]);
      }
    }
  }

  #batches(): number {
    return [...this.#answered.values()].reduce((sum, n) => sum + n, 0);
  }
}
