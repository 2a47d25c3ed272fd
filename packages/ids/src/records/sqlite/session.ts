// SPDX-License-Identifier: Apache-2.0
/** Requests of the main thread, answered from the writer. */
import {randomUUID} from 'node:crypto';
import {statfsSync} from 'node:fs';
import {type Lock, takeLock} from '@palisade/store/sqlite';
import {RECORD_FREE_BYTES_MIN, RECORD_FREE_SHARE} from '../../limits.ts';
import {BUDGETS, type BudgetName, type BudgetUse} from '../budgets.ts';
import {addTo, type ClassCounts, type RecordClass} from '../evictions.ts';
import {RecordStoreError} from '../record-store.ts';
import {Copies} from './copy/copies.ts';
import {removeCopies} from './copy/record-copy.ts';
import {budgetOf, usedBytes} from './evict.ts';
import {toRecordStoreError} from './faults.ts';
import {inFolder, makePrivateFolder} from './files.ts';
import type {DroppedSums, LostCounts, Request, RequestName, Requests, Usage} from './messages.ts';
import type {PartitionClass} from './schema.ts';
import {JOURNAL_FILE, Writer, type WriterOptions, type WrittenBatch} from './writer.ts';

type Answers = {
  readonly [N in Exclude<RequestName, 'start' | 'commit' | 'close'>]: (
    args: Requests[N]['args'],
  ) => Requests[N]['answer'] | Promise<Requests[N]['answer']>;
};

const KINDS = ['threats', 'traffic'] as const;

export class Session {
  readonly #reports: Pick<WriterOptions, 'onDropped' | 'onFault'>;
  #folder = '';
  #lock: Lock | undefined;
  #writer: Writer | undefined;
  readonly #copies = new Copies();

  constructor(reports: Pick<WriterOptions, 'onDropped' | 'onFault'>) {
    this.#reports = reports;
  }

  /** A copy answers with a promise. Throws what `toError` understands. */
  handle({name, args}: Exclude<Request, {name: 'commit'}>): unknown {
    if (name === 'start') return this.#start(args);
    if (name === 'close') return this.#close();
    const answer = this.#answers[name] as (of: typeof args) => unknown;
    return answer(args);
  }

  commit(batches: readonly WrittenBatch[]): Requests['commit']['answer'] {
    this.#open.commit(batches);
    return {sequence: this.#open.sequence};
  }

  toError(error: unknown): RecordStoreError {
    return toRecordStoreError(error, this.#folder);
  }

  get #open(): Writer {
    if (this.#writer === undefined) throw new RecordStoreError('closed', `${this.#folder}: the record store is closed`);
    return this.#writer;
  }

  #start({folder, budgets}: Requests['start']['args']): Requests['start']['answer'] {
    this.#folder = folder;
    makePrivateFolder(folder);
    this.#lock = lock(folder);
    removeCopies(folder);
    try {
      this.#writer = new Writer({
        folder,
        budgets,
        newEpoch: randomUUID,
        missingBytes: () => missingBytes(folder),
        ...this.#reports,
      });
    } catch (error) {
      this.#lock.release();
      throw error;
    }
    return {
      epochs: this.#open.journal.epochs,
      sequence: this.#open.sequence,
      dropped: this.#dropped(),
      hasMissed: this.#open.journal.hasMissed(),
    };
  }

  #close(): undefined {
    try {
      this.#writer?.close();
    } finally {
      this.#writer = undefined;
      this.#lock?.release();
    }
  }

  readonly #answers: Answers = {
    decide: ({items, change, ...how}) => ({...this.#open.decide(items, change, how), sequence: this.#open.sequence}),
    load: ({endpoint}) => this.#open.journal.position(endpoint),
    forget: ({endpoint}) => {
      const {journal} = this.#open;
      const number = journal.numberOf(endpoint);
      if (number !== undefined) journal.transaction(() => journal.setPosition(number, undefined));
      return undefined;
    },
    has: ({endpoint}) => this.#open.journal.numberOf(endpoint) !== undefined,
    counts: ({endpoint}) => this.#counts(endpoint),
    usage: () => this.#usage(),
    loadReader: ({name}) => this.#open.journal.reader(name),
    missed: ({kind, after, until}) => this.#open.journal.missed(kind, after, until),
    saveReader: ({name, position}) => {
      const {journal} = this.#open;
      journal.transaction(() => {
        journal.saveReader(name, position);
        for (const kind of KINDS) journal.removeMissed(kind, journal.readersAt(kind) ?? 0);
      });
      return undefined;
    },
    forgetReaders: ({gone}) => {
      const {journal} = this.#open;
      return journal.transaction(() => {
        const names = journal.forgetReaders(gone);
        for (const kind of KINDS) journal.removeMissed(kind, journal.readersAt(kind) ?? journal.sequence);
        return names;
      });
    },
    setBudgets: ({budgets}) => void this.#open.setBudgets(budgets) as undefined,
    check: ({file}) => void this.#open.check(file) as undefined,
    copyBegin: () => this.#copies.begin(this.#open, this.#folder, () => missingBytes(this.#folder)),
    copyNext: ({id}) => this.#copies.next(id),
    copyRead: ({id}) => this.#copies.isRead(id),
    copyEnd: ({id}) => this.#copies.end(id),
    tidy: ({nowMs}) => void this.#open.tidy(nowMs) as undefined,
  };

  #counts(endpoint: string): LostCounts {
    const {journal, partitions} = this.#open;
    const number = journal.numberOf(endpoint);
    const none = {kept: {}, evicted: {}, expired: {}, lost: {}};
    if (number === undefined) return none;
    let kept: ClassCounts = {};
    for (const {recordClass, summary} of partitions.all())
      if (recordClass !== 'EVIDENCE') kept = addTo(kept, recordClass, summary.counts[number] ?? 0);
    const rows = journal.dropped().filter(row => row.endpoint === number && row.class !== 'EVIDENCE');
    const sumOf = (why: 'evicted' | 'expired' | 'lost'): ClassCounts =>
      rows.reduce<ClassCounts>((sum, row) => addTo(sum, row.class as RecordClass, row[why]), {});
    return {kept, evicted: sumOf('evicted'), expired: sumOf('expired'), lost: sumOf('lost')};
  }

  #dropped(): DroppedSums {
    const sums: Record<keyof DroppedSums, Partial<Record<PartitionClass, number>>> = {
      evicted: {},
      expired: {},
      lost: {},
    };
    for (const row of this.#open.journal.dropped())
      for (const why of ['evicted', 'expired', 'lost'] as const)
        sums[why][row.class] = (sums[why][row.class] ?? 0) + row[why];
    return sums;
  }

  #usage(): Usage {
    const entries = this.#open.partitions.all();
    const use = (name: BudgetName): BudgetUse => {
      const times = entries.flatMap(({recordClass, summary: {oldest}}) =>
        budgetOf(recordClass) === name && oldest !== undefined ? [oldest] : [],
      );
      const oldestMs = times.length === 0 ? undefined : Math.floor(Math.min(...times) / 1000);
      return {...this.#open.budgets[name], usedBytes: usedBytes(entries, name), oldestMs};
    };
    return Object.fromEntries(BUDGETS.map(name => [name, use(name)])) as Usage;
  }
}

/** Throws RecordStoreError `in-use`. */
const lock = (folder: string): Lock => {
  try {
    return takeLock(inFolder(folder, JOURNAL_FILE));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new RecordStoreError('in-use', message, {cause: error});
  }
};

const missingBytes = (folder: string): number => {
  const {bavail, blocks, bsize} = statfsSync(folder);
  return Math.min(RECORD_FREE_BYTES_MIN, (blocks * bsize) / RECORD_FREE_SHARE) - bavail * bsize;
};
