// SPDX-License-Identifier: Apache-2.0
/**
 * What a crashed server left: Suricata processes (they end by themselves when their pipe has no writer, mostly), half removed folders, and
 * folders whose events were not read to the end. Processes are ended only when pid and start time are the recorded ones.
 */
import {readdir, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {FIFO_FILE} from './capture/relay.ts';
import type {Log, Timers} from './ports.ts';
import {systemCode} from './sensor-error.ts';
import {
  endpointsDir,
  GONE_PREFIX,
  type ProcessMark,
  readSensorRecord,
  removeFolder,
  startTicksOf,
  writeSensorRecord,
} from './sensor-folder.ts';
import {COMMAND_SOCKET} from './suricata/config.ts';

const POLL_MS = 50;
/** It has lost its input: this long to finish what it read. */
const ENDS_BY_ITSELF_MS = 3_000;

const isRunning = async (mark: ProcessMark): Promise<boolean> => (await startTicksOf(mark.pid)) === mark.startTicks;

const signalGroup = (pid: number, signal: 'SIGTERM' | 'SIGKILL'): void => {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (systemCode(error) !== 'ESRCH') throw error;
  }
};

/** True when it had to be ended by force or was waited for. */
const endOrphan = async (mark: ProcessMark, timers: Timers): Promise<boolean> => {
  if (!(await isRunning(mark))) return false;
  for (const signal of [undefined, 'SIGTERM', 'SIGKILL'] as const) {
    if (signal !== undefined) signalGroup(mark.pid, signal);
    for (let waited = 0; waited < ENDS_BY_ITSELF_MS; waited += POLL_MS) {
      if (!(await isRunning(mark))) return true;
      await new Promise<void>(resolve => timers.after(POLL_MS, resolve));
    }
  }
  return true;
};

/** Ends and removes; resolves to the endpoints that have a folder with perhaps unread events. */
export const clearLeftovers = async (dir: string, timers: Timers, log: Log): Promise<string[]> => {
  const names = await readdir(endpointsDir(dir)).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  });
  const endpoints: string[] = [];
  await Promise.all(
    names.map(async name => {
      const folder = join(endpointsDir(dir), name);
      if (name.startsWith(GONE_PREFIX)) return removeFolder(folder);
      const record = await readSensorRecord(folder);
      if (record === undefined) return;
      if (record.process !== undefined) {
        const pid = record.process.pid;
        if (await endOrphan(record.process, timers))
          log.warn({endpoint: record.endpoint, pid}, 'ended a Suricata process that an earlier server left');
        await writeSensorRecord(folder, {endpoint: record.endpoint});
      }
      for (const file of [FIFO_FILE, COMMAND_SOCKET]) await rm(join(folder, file), {force: true});
      endpoints.push(record.endpoint);
    }),
  );
  return endpoints.sort();
};
