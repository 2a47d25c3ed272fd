// SPDX-License-Identifier: Apache-2.0
/** The reads of the record store over its files, in the thread that calls. Several may be under way: each lets the others go first after READ_SLICE_MS. */
import type {RecordKind} from '@palisade/ids-wire';
import {READ_SLICE_MS} from '../../../limits.ts';
import type {Clock} from '../../../system.ts';
import {timeOfId} from '../../record-id.ts';
import type {
  Aggregate,
  AggregateRequest,
  ChangesPage,
  ChangesRequest,
  PageRequest,
  RecordPage,
  StoredRecord,
} from '../../record-store.ts';
import {dayOf} from '../columns.ts';
import {JournalView} from './journal-view.ts';
import {OpenPartitions} from './open-partitions.ts';
import {PartitionFiles} from './partition-files.ts';
import {readAggregate} from './read-aggregate.ts';
import {countWritten, type Give, readChanges} from './read-changes.ts';
import {readPage} from './read-page.ts';
import {type Reading, type RecordRow, storedOf} from './scope.ts';

export class RecordReads {
  readonly #journal: JournalView;
  readonly #open: OpenPartitions;
  readonly #reading: Reading;

  /** `clock`: of the file system. `pause`: resolves when others had their turn. */
  constructor(directory: string, clock: Clock, pause: () => Promise<void>) {
    const journal = new JournalView(directory);
    this.#journal = journal;
    this.#open = new OpenPartitions(directory);
    let sliceFrom = clock.now();
    this.#reading = {
      open: this.#open,
      files: new PartitionFiles(directory, this.#open, () => journal.files(), clock),
      endpoints: () => journal.endpoints(),
      turn: async () => {
        if (clock.now() - sliceFrom < READ_SLICE_MS) return;
        await pause();
        sliceFrom = clock.now();
      },
    };
  }

  page(request: PageRequest): Promise<RecordPage> {
    return readPage(this.#reading, request);
  }

  aggregate(request: AggregateRequest): Promise<Aggregate> {
    return readAggregate(this.#reading, request);
  }

  /** `until`: the last sequence number that is in the partitions. `give`: gets the records, in parts. */
  changes(
    request: ChangesRequest & {readonly until: number},
    give: Give,
  ): Promise<Omit<ChangesPage, 'missed' | 'records'>> {
    return readChanges(this.#reading, request, give);
  }

  /** Records of a kind that were first written after a sequence number. */
  backlog(kind: RecordKind, after: number): Promise<number> {
    return countWritten(this.#reading, kind, after);
  }

  async get(kind: RecordKind, endpoint: string, id: string): Promise<StoredRecord | undefined> {
    const at = timeOfId(id);
    if (at === undefined) return undefined;
    const endpoints = this.#reading.endpoints();
    const number = [...endpoints].find(([, name]) => name === endpoint)?.[0];
    if (number === undefined) return undefined;
    for (const {file, dayStart, dayEnd} of this.#reading.files.list(kind)) {
      if (at < dayStart || at >= dayEnd) continue;
      const row = this.#open.use(file)?.get<RecordRow>(
        `SELECT r.number, r.endpoint, r.id, r.at, b.body, b.triage FROM records r CROSS JOIN bodies b ON b.number = r.number
           WHERE r.id = ? AND r.endpoint = ?`,
        [id, number],
      );
      if (row !== undefined) return storedOf(row, endpoints);
    }
    return undefined;
  }

  async evidence(endpoint: string, id: string): Promise<string | undefined> {
    const at = timeOfId(id);
    if (at === undefined) return undefined;
    const number = [...this.#reading.endpoints()].find(([, name]) => name === endpoint)?.[0];
    if (number === undefined) return undefined;
    for (const file of this.#reading.files.evidence(dayOf(at))) {
      const sql = 'SELECT event FROM evidence WHERE id = ? AND endpoint = ?';
      const row = this.#open.use(file)?.get<{event: string}>(sql, [id, number]);
      if (row !== undefined) return row.event;
    }
    return undefined;
  }

  /** Closes partitions that are dropped. */
  forget(files: readonly string[]): void {
    for (const file of files) this.#open.close(file);
  }

  close(): void {
    this.#open.closeAll();
    this.#journal.close();
  }
}
