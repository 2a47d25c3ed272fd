// SPDX-License-Identifier: Apache-2.0
import type {Buckets} from '@palisade/apiserver';
import type {CompactionStep, SqliteStore} from '@palisade/store/sqlite';
import {Counter, Gauge, Histogram, type Registry} from 'prom-client';
import type {Compaction} from '../history/compaction.ts';
import type {StoreHealth} from '../parts/store-health.ts';
import {CountedHistogram} from './histogram.ts';

export type ShownStore = Pick<StoreHealth, 'isWritable'> & {
  readonly store: Pick<SqliteStore, 'space' | 'history'>;
  /** Writes of the log by their seconds. */
  readonly commits: Buckets;
  readonly compaction: Pick<Compaction, 'counts' | 'ageMs'>;
  readonly onCompactionStep: (report: (step: CompactionStep) => void) => void;
};

const SECOND_MS = 1_000;
export const COMMIT_BUCKETS_S = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const STEPS = ['index', 'erase', 'shrink'] as const satisfies readonly CompactionStep['of'][];
const STEP_BUCKETS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1];

const showRoom = ({store}: ShownStore, registers: Registry[]): void => {
  const space = () => store.space().catch(() => undefined); // a lost store shows in palisade_store_writable
  new Gauge({
    name: 'palisade_store_file_bytes',
    help: 'Size of the database file, by used and free pages.',
    labelNames: ['state'],
    registers,
    async collect() {
      this.reset();
      const found = await space();
      if (found === undefined) return;
      this.set({state: 'used'}, (found.pages - found.freePages) * found.pageBytes);
      this.set({state: 'free'}, found.freePages * found.pageBytes);
    },
  });
  new Gauge({
    name: 'apiserver_storage_size_bytes',
    help: 'Size of the storage database file physically allocated in bytes.',
    labelNames: ['storage_cluster_id'],
    registers,
    async collect() {
      const found = await space();
      this.set({storage_cluster_id: 'sqlite-0'}, found === undefined ? Number.NaN : found.pages * found.pageBytes);
    },
  });
  new Gauge({
    name: 'palisade_store_wal_bytes',
    help: 'Size of the write-ahead log.',
    registers,
    async collect() {
      this.set((await space())?.walBytes ?? Number.NaN);
    },
  });
};

const showHistory = ({store, compaction}: ShownStore, registers: Registry[]): void => {
  new Gauge({
    name: 'palisade_store_history_revisions',
    help: 'Older revisions that can still be read.',
    registers,
    collect() {
      this.set(store.history().revisions);
    },
  });
  new Gauge({
    name: 'palisade_store_history_versions',
    help: 'Old versions of objects, and deletions, that are kept for reads of older revisions.',
    registers,
    collect() {
      this.set(store.history().versions);
    },
  });
  new Gauge({
    name: 'palisade_store_history_seconds',
    help: 'How long ago the oldest readable revision was the newest, in time that the server has run.',
    registers,
    collect() {
      this.set(compaction.ageMs() / SECOND_MS);
    },
  });
};

const showCompaction = ({compaction, onCompactionStep}: ShownStore, registers: Registry[]): void => {
  new Counter({
    name: 'palisade_store_compactions_total',
    help: 'Compactions, by result.',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      this.inc({result: 'succeeded'}, compaction.counts.succeeded);
      this.inc({result: 'failed'}, compaction.counts.failed);
    },
  });
  new Gauge({
    name: 'palisade_store_compaction_seconds',
    help: 'How long the last compaction took, with the writes between its steps.',
    registers,
    collect() {
      this.set(compaction.counts.lastMs / SECOND_MS);
    },
  });
  const steps = new Histogram({
    name: 'palisade_store_compaction_step_seconds',
    help: 'Steps of compactions, by kind; a write waits for one of them at most.',
    labelNames: ['step'],
    buckets: STEP_BUCKETS,
    registers,
  });
  for (const step of STEPS) steps.zero({step}); // rate() sees the first one, too
  const erased = new Counter({
    name: 'palisade_store_erased_versions_total',
    help: 'Old versions of objects, and deletions, that compactions erased.',
    registers,
  });
  onCompactionStep(step => {
    steps.observe({step: step.of}, step.ms / SECOND_MS);
    erased.inc(step.erased);
  });
};

export const showStore = (store: ShownStore, registers: Registry[]): void => {
  new Gauge({
    name: 'palisade_store_writable',
    help: '1 if the store accepts writes, 0 if its disk refuses them or its thread failed.',
    registers,
    collect() {
      this.set(store.isWritable() ? 1 : 0);
    },
  });
  new CountedHistogram({
    name: 'palisade_store_commit_duration_seconds',
    help: 'Writes to the store, with the sync to disk; one may have the changes of several requests.',
    labelNames: [],
    bounds: COMMIT_BUCKETS_S,
    registers,
    read: () => [{labels: {}, values: store.commits}],
  });
  showRoom(store, registers);
  showHistory(store, registers);
  showCompaction(store, registers);
};
