// SPDX-License-Identifier: Apache-2.0
/**
 * What a crashed server left: Suricata processes (they end by themselves when their pipe has no writer, mostly), half removed folders, and
 * folders whose events were not read to the end. Processes are ended only when pid and start time are the recorded ones.
 */
import {readdir, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {FIFO_FILE} from '../capture/relay.ts';
import {pause} from '../pause.ts';
import type {Log, SensorSpec, Timers} from '../ports.ts';
import {
  endpointsDir,
  GONE_PREFIX,
  isRunningIn,
  type ProcessMark,
  readSensorRecord,
  removeFolder,
  type SensorRecord,
  writeSensorRecord,
} from '../sensor/sensor-folder.ts';
import {systemCode} from '../sensor-error.ts';
import {COMMAND_SOCKET} from '../suricata/config.ts';

const POLL_MS = 50;
/** It has lost its input: this long to finish what it read. */
const ENDS_BY_ITSELF_MS = 2_000;

const signalGroup = (pid: number, signal: 'SIGTERM' | 'SIGKILL'): void => {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (systemCode(error) !== 'ESRCH') throw error;
  }
};

/** True when it had to be ended by force or was waited for. */
const endOrphan = async (folder: string, mark: ProcessMark, timers: Timers): Promise<boolean> => {
  if (!(await isRunningIn(folder, mark))) return false;
  for (const signal of [undefined, 'SIGTERM', 'SIGKILL'] as const) {
    if (signal !== undefined) signalGroup(mark.pid, signal);
    for (let waited = 0; waited < ENDS_BY_ITSELF_MS; waited += POLL_MS) {
      if (!(await isRunningIn(folder, mark))) return true;
      await pause(timers, POLL_MS);
    }
  }
  return true;
};

export type Leftovers = {
  /** Endpoints that have a folder with perhaps unread events, as they were set then. */
  readonly specs: readonly SensorSpec[];
  /** Resolves when no process of an earlier server runs any more. */
  readonly ended: Promise<void>;
};

const endProcessOf = async (folder: string, record: SensorRecord, timers: Timers, log: Log): Promise<void> => {
  const {spec, process: mark} = record;
  const {endpoint} = spec;
  if (mark === undefined) return;
  if (await endOrphan(folder, mark, timers))
    log.warn({endpoint, pid: mark.pid}, 'Suricata process of an earlier server ended');
  await writeSensorRecord(folder, {spec});
  for (const file of [FIFO_FILE, COMMAND_SOCKET]) await rm(join(folder, file), {force: true});
};

/** Finds what is there at once; processes are ended in the background. */
export const clearLeftovers = async (dir: string, timers: Timers, log: Log): Promise<Leftovers> => {
  const names = await readdir(endpointsDir(dir)).catch((error: unknown): string[] => {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  });
  const specs: SensorSpec[] = [];
  const ending: Promise<void>[] = [];
  for (const name of names) {
    const folder = join(endpointsDir(dir), name);
    if (name.startsWith(GONE_PREFIX)) {
      await removeFolder(folder);
      continue;
    }
    const record = await readSensorRecord(folder);
    if (record === undefined) continue;
    specs.push(record.spec);
    ending.push(endProcessOf(folder, record, timers, log));
  }
  return {specs, ended: Promise.all(ending).then(() => undefined)};
};
