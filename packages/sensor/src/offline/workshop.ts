// SPDX-License-Identifier: Apache-2.0
/** What rules are tried with where no server runs: the same Suricata and the same preparation, in a folder that is gone afterwards. */
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {relayCapture} from '../capture/relay.ts';
import type {SensorHostOptions} from '../host/options.ts';
import {type Prepared, prepare, userOf} from '../host/prepare.ts';
import type {RecordSink} from '../record-sink.ts';
import {SensorError} from '../sensor-error.ts';
import {findLauncher} from '../suricata/launch.ts';

/** As of the sensors, where they have a part in what rules do. */
export type OfflineOptions = Pick<
  SensorHostOptions,
  | 'rules'
  | 'vars'
  | 'includes'
  | 'rulePolicy'
  | 'homeNet'
  | 'suricata'
  | 'runAs'
  | 'clock'
  | 'timers'
  | 'random'
  | 'patternMatcher'
  | 'limits'
> & {readonly signal: AbortSignal};

const QUIET = {debug: () => {}, info: () => {}, warn: () => {}, error: () => {}};

/** Nothing is recorded. */
const NO_SINK: RecordSink = {
  batchRecordsMax: 1,
  load: async () => undefined,
  commit: async () => {},
  forget: async () => {},
};

/** Throws SensorError, also where no Suricata can run. */
export const inWorkshop = async <T>(
  options: OfflineOptions,
  work: (prepared: Prepared, folder: string) => Promise<T>,
): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'palisade-rules-'));
  try {
    const all: SensorHostOptions = {...options, dir: folder, driver: 'relay', sink: NO_SINK, log: QUIET};
    const prepared = await prepare(all, relayCapture, await findLauncher(userOf(all)));
    if (prepared instanceof SensorError) throw prepared;
    return await work(prepared, folder);
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
};
