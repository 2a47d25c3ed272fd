// SPDX-License-Identifier: Apache-2.0
/** Control groups as folders and files, and what their files are called in version 1 and 2. Ref: cgroups(7), Linux admin-guide/cgroup-v2. */
import {mkdir, readdir, readFile, rmdir, writeFile} from 'node:fs/promises';
import {systemCode} from '../sensor-error.ts';

/** Each rejects with a system error (`EACCES`, `EBUSY`, …). */
export type CgroupFiles = {
  readonly read: (path: string) => Promise<string>;
  readonly write: (path: string, text: string) => Promise<void>;
  /** Resolves if it exists. */
  readonly mkdir: (path: string) => Promise<void>;
  readonly rmdir: (path: string) => Promise<void>;
  /** Names of the folders in it. */
  readonly folders: (path: string) => Promise<readonly string[]>;
};

export const systemCgroupFiles: CgroupFiles = {
  read: path => readFile(path, 'utf8'),
  write: (path, text) => writeFile(path, text, {flag: 'r+'}), // such a file is there, or the folder is no control group
  mkdir: path =>
    mkdir(path).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error;
    }),
  rmdir,
  folders: async path => {
    const entries = await readdir(path, {withFileTypes: true});
    return entries.filter(entry => entry.isDirectory()).map(({name}) => name);
  },
};

/** Of each Suricata. */
export type ResourceLimits = {
  /** Bytes. */
  readonly memoryMax?: number | undefined;
  /** Cores. */
  readonly cpuMax?: number | undefined;
};

export type Controller = 'memory' | 'cpu';
export type Version = 1 | 2;
/** `optional`: the kernel may lack it. */
type LimitFile = {readonly file: string; readonly text: (limit: number) => string; readonly optional?: true};
type Table = Readonly<Record<Version, {readonly limits: readonly LimitFile[]; readonly oomKills?: string}>>;

export const PROCS_FILE = 'cgroup.procs';
const PERIOD_US = 100_000;
const quotaUs = (cores: number): number => Math.max(1000, Math.round(cores * PERIOD_US)); // the kernel's least

export const CONTROLLERS: Readonly<Record<Controller, {readonly limit: keyof ResourceLimits; readonly table: Table}>> =
  {
    memory: {
      limit: 'memoryMax',
      table: {
        1: {
          limits: [
            {file: 'memory.limit_in_bytes', text: String},
            {file: 'memory.memsw.limit_in_bytes', text: String, optional: true},
          ],
          oomKills: 'memory.oom_control',
        },
        2: {
          limits: [
            {file: 'memory.max', text: String},
            {file: 'memory.swap.max', text: () => '0', optional: true},
          ],
          oomKills: 'memory.events',
        },
      },
    },
    cpu: {
      limit: 'cpuMax',
      table: {
        1: {
          limits: [
            {file: 'cpu.cfs_period_us', text: () => String(PERIOD_US)},
            {file: 'cpu.cfs_quota_us', text: cores => String(quotaUs(cores))},
          ],
        },
        2: {limits: [{file: 'cpu.max', text: cores => `${quotaUs(cores)} ${PERIOD_US}`}]},
      },
    },
  };

/** Processes that the kernel has killed in it for its memory limit. */
export const oomKillsIn = (text: string): number => Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
