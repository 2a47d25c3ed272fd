// SPDX-License-Identifier: Apache-2.0
/** Record stores that are broken on purpose: the suite has to find each. */
import type {RecordBatch} from '../../../../packages/ids/src/records/record-sink.ts';
import type {CopyToRead, RecordStore} from '../../../../packages/ids/src/records/record-store.ts';
import type {Break} from './lines.ts';

const EVERY = 9;

/** Breaks the store itself, and returns it. */
export const breakRecords = (store: RecordStore, broken: Break | undefined): RecordStore => {
  const commit = store.commit.bind(store);
  const nth = (): ((batch: RecordBatch) => boolean) => {
    let count = 0;
    return () => ++count % EVERY === 0;
  };
  const isHit = nth();
  const breaks: Record<Break, () => void> = {
    'acknowledges-early': () => {
      store.commit = async batch => {
        if (isHit(batch)) void commit(batch).catch(() => undefined);
        else await commit(batch);
      };
    },
    'forgets-a-record': () => {
      store.commit = batch => commit(isHit(batch) ? {...batch, threats: batch.threats.slice(0, -1)} : batch);
    },
    'writes-twice': () => {
      store.commit = async batch => {
        await commit(batch);
        const traffic = batch.traffic.map(({id, record}) => ({id: id.replace('0000', '2222'), record}));
        if (isHit(batch)) await commit({...batch, threats: [], traffic});
      };
    },
    'skips-a-change': () => {
      const changes = store.changes.bind(store);
      let count = 0;
      store.changes = async request => {
        const page = await changes(request);
        return page.records.length > 1 && ++count % EVERY === 0 ? {...page, records: page.records.slice(1)} : page;
      };
    },
    'loses-a-decision': () => {
      const triage = store.triage.bind(store);
      let count = 0;
      store.triage = async (target, change, onStep) =>
        ++count % EVERY === 0 ? {matched: 1, changed: 1} : triage(target, change, onStep);
    },
    'copies-in-part': () => {
      const snapshot = store.snapshot.bind(store);
      store.snapshot = signal => partial(snapshot(signal));
    },
  };
  if (broken !== undefined) breaks[broken]();
  return store;
};

/** Without its partitions of critical records. */
async function* partial(files: AsyncIterable<CopyToRead>): AsyncGenerator<CopyToRead> {
  for await (const file of files) if (!file.file.startsWith('critical')) yield file;
}
