// SPDX-License-Identifier: Apache-2.0
/**
 * A process with a record store on disk and one exporter, as the server has them: it stores records without end, until it is killed.
 *
 * Its arguments: `store`, or `send`, with which it stores nothing, sends all, prints the ids of the store and ends; the folder; URL,
 * settings and files of the exporter. Standard output: `stored N` after each commit (records since the first start), `sent` when all are
 * sent that one life stores, and `ids JSON`.
 * Waits of the exporter are shortened WAITS times, so that a receiver that comes back is tried soon.
 */
import {setImmediate as turn} from 'node:timers/promises';
import {openSqliteRecordStore} from '@palisade/ids';
import {type EndpointName, formatMicros, type RecordKind} from '@palisade/ids-wire';
import {dedupId} from '../../../packages/ids/src/export/exporter.ts';
import {ExporterRunner} from '../../../packages/ids/src/export/run-exporter.ts';
import {RECORD_BUDGETS_DEFAULT} from '../../../packages/ids/src/limits.ts';
import {matchingRecords} from '../../../packages/ids/src/records/list-records.ts';
import {systemClock, systemRandom, systemTimers} from '../../../packages/server/src/process/system.ts';
import {say} from '../../robustness/suite/say.ts';
import {ENDPOINT, threatItem, trafficItem} from './items.ts';
import {openExporter, SILENT, settingsOf} from './open-exporter.ts';

const WAITS = 20;
/** Records that one life stores. */
const LIFE = 1_200;
const COUNTERS = {seen: 0, stored: 0, filtered: 0, excepted: 0, lost: 0};
const EVERY: EndpointName = {project: '-', location: '-', endpointId: '-'};
const FILE = '3f2a9c11-0000-0000-0000-000000000000';

const [mode = '', folder = '', url = '', more = '{}', files = '{}'] = process.argv.slice(2);
const timers = {after: (ms: number, action: () => void) => systemTimers.after(ms / WAITS, action)};

/** The times of the items are fixed, and the clock is not. */
const FOR_EVER_MS = 100 * 365 * 86_400_000;
const budgets = Object.fromEntries(
  Object.entries(RECORD_BUDGETS_DEFAULT).map(([name, budget]) => [name, {...budget, ageMs: FOR_EVER_MS}]),
) as typeof RECORD_BUDGETS_DEFAULT;
const records = openSqliteRecordStore({folder, budgets, clock: systemClock, log: SILENT});
await records.start();
const settings = settingsOf(url, JSON.parse(more));
const exporter = await openExporter(settings, JSON.parse(files));
const runner = new ExporterRunner({
  settings,
  exporter,
  records,
  clock: systemClock,
  timers,
  random: systemRandom,
  log: SILENT,
});

/** Where the last life ended; one batch of threats, and of traffic in between. */
const store = async (from: number): Promise<number> => {
  const count = 1 + ((from * 7_919) % 40);
  const numbers = Array.from({length: count}, (_, n) => from + n);
  const writes = (kind: RecordKind) =>
    numbers
      .filter(n => (n % 5 === 0) === (kind === 'traffic'))
      .map(n => {
        const {record} = kind === 'traffic' ? trafficItem(n) : threatItem(n);
        const event = {timestamp: formatMicros(n), event_type: 'alert', n, payload: 'x'.repeat(n % 700)};
        return {id: `${FILE}-${n}`, record, ...(kind === 'threats' ? {evidence: JSON.stringify(event)} : {})};
      });
  await records.commit({
    endpoint: ENDPOINT,
    checkpoint: {device: '1', inode: '1', offset: from + count},
    counters: COUNTERS,
    threats: writes('threats') as never,
    traffic: writes('traffic') as never,
  });
  return from + count;
};

const idsOf = async (kind: RecordKind): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const page of matchingRecords(records, {kind, name: EVERY, filter: ''}))
    for (const stored of page) ids.push(dedupId({kind, event: undefined, ...stored}));
  return ids;
};

/** By the cursor on disk. */
const isSent = async (kind: RecordKind): Promise<boolean> => {
  const position = await records.loadReader(`export/${settings.name}`);
  return (await records.backlog(kind, position?.kinds[kind]?.sequence ?? 0)) === 0;
};

let stored = (await records.load(ENDPOINT))?.checkpoint?.offset ?? 0;
runner.start();
const wait = (ms: number): Promise<void> => new Promise<void>(resolve => timers.after(ms, resolve));
for (const end = stored + LIFE; mode === 'store' && stored < end; await turn()) {
  stored = await store(stored);
  say(`stored ${stored}`);
}
while (!(await isSent('threats')) || !(await isSent('traffic'))) await wait(1_000);
if (mode === 'store') say('sent');
while (mode === 'store') await wait(60_000); // for its end
await runner.stop();
say(`ids ${JSON.stringify([...(await idsOf('threats')), ...(await idsOf('traffic'))])}`);
await records.close();
