// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade serve` about scheduled backups → BackupConfig, with every fault at once. */
import {relative, resolve} from 'node:path';
import {ageIn} from '../parts/units.ts';

export type BackupFlags = {
  readonly [name in 'backup-dir' | 'backup-every' | 'backup-keep']?: string | undefined;
} & {readonly 'backup-records'?: boolean | undefined};

export type BackupConfig = {
  readonly dir: string;
  readonly everyMs: number;
  /** So many copies stay. */
  readonly keep: number;
  readonly records: boolean;
};

export const BACKUP_DEFAULTS = {every: '1h', keep: 24} as const;
const EVERY_LEAST_MS = 60_000;
const EVERY_MOST_MS = 366 * 86_400_000;
const KEEP_MAX = 100_000;

export const isWithin = (dir: string, folder: string): boolean => {
  const path = relative(folder, dir);
  return path === '' || !(path === '..' || path.startsWith('../'));
};

/** `backup` is undefined where none is scheduled. `faults`: one line each. */
export const backupConfigOf = (
  o: BackupFlags,
  {cwd, dataDir}: {readonly cwd: string; readonly dataDir: string},
): {readonly backup: BackupConfig | undefined; readonly faults: readonly string[]} => {
  const faults: string[] = [];
  const given = o['backup-dir'];
  if (given === undefined) {
    for (const name of ['backup-every', 'backup-keep', 'backup-records'] as const) {
      const value = o[name];
      if (value !== undefined && value !== false)
        faults.push(
          `--${name}${value === true ? '' : ` ${value}`}: has no effect without --backup-dir; set that, or remove this`,
        );
    }
    return {backup: undefined, faults};
  }
  const dir = resolve(cwd, given);
  if (isWithin(dir, dataDir))
    faults.push(
      `--backup-dir ${given}: is in the data folder ${dataDir}, and would be lost with it; use a folder on another disk`,
    );
  const every = o['backup-every'] ?? BACKUP_DEFAULTS.every;
  const everyMs = ageIn(every);
  if (everyMs === undefined) faults.push(`--backup-every ${every}: must be a time such as 30m, 1h or 1d`);
  else if (everyMs < EVERY_LEAST_MS || everyMs > EVERY_MOST_MS)
    faults.push(`--backup-every ${every}: must be from 1m to 366d`);
  const keepText = o['backup-keep'] ?? String(BACKUP_DEFAULTS.keep);
  const keep = Number(keepText);
  if (!/^\d+$/.test(keepText) || keep < 1 || keep > KEEP_MAX)
    faults.push(`--backup-keep ${keepText}: must be a whole number from 1 to ${KEEP_MAX}`);
  return {backup: {dir, everyMs: everyMs ?? EVERY_LEAST_MS, keep, records: o['backup-records'] === true}, faults};
};
