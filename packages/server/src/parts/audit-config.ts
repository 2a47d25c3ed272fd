// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade serve` about the audit log → AuditConfig, with every fault at once. */
import {join, resolve} from 'node:path';
import {AUDIT_MODES, type AuditMode} from '../audit/audit-modes.ts';
import {AUDIT_FILE, AUDIT_FOLDER} from '../audit/file-names.ts';

export type AuditFlags = {
  readonly [name in
    | 'audit-log-path'
    | 'audit-policy-file'
    | 'audit-log-mode'
    | 'audit-log-maxsize'
    | 'audit-log-maxbackup'
    | 'audit-log-maxage']?: string | undefined;
};

export type AuditConfig = {
  /** A file, `-` (stdout) or `off`; by default the file in the data folder. */
  readonly path: string;
  /** Undefined: the bundled policy. */
  readonly policyFile: string | undefined;
  readonly mode: AuditMode;
  readonly rotation: {readonly bytesMax: number; readonly backupsMax: number; readonly ageMsMax: number};
};

/** Where the log is if no flag names a file. */
export const auditFileIn = (dataDir: string): string => join(dataDir, AUDIT_FOLDER, AUDIT_FILE);

const MEGABYTE = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
export const AUDIT_DEFAULTS = {maxsize: 100, maxbackup: 10, maxage: 0, mode: 'batch'} as const;
const FILE_FLAGS = ['audit-log-maxsize', 'audit-log-maxbackup', 'audit-log-maxage'] as const;
const FIGURE_MAX = 1_000_000;

/** `faults`: one line each. */
export const auditConfigOf = (
  o: AuditFlags,
  {cwd, dataDir}: {readonly cwd: string; readonly dataDir: string},
): {readonly audit: AuditConfig; readonly faults: readonly string[]} => {
  const faults: string[] = [];
  const figure = (name: (typeof FILE_FLAGS)[number], least: number, byDefault: number): number => {
    const text = o[name];
    if (text === undefined) return byDefault;
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > FIGURE_MAX)
      faults.push(`--${name} ${text}: must be a whole number from ${least} to ${FIGURE_MAX}`);
    return value;
  };
  const path = o['audit-log-path'] ?? auditFileIn(dataDir);
  const mode = AUDIT_MODES.find(each => each === o['audit-log-mode']) ?? AUDIT_DEFAULTS.mode;
  const rotation = {
    bytesMax: figure('audit-log-maxsize', 1, AUDIT_DEFAULTS.maxsize) * MEGABYTE,
    backupsMax: figure('audit-log-maxbackup', 0, AUDIT_DEFAULTS.maxbackup),
    ageMsMax: figure('audit-log-maxage', 0, AUDIT_DEFAULTS.maxage) * DAY_MS,
  };
  if (path === 'off' || path === '-')
    for (const name of FILE_FLAGS)
      if (o[name] !== undefined) faults.push(`--${name} is for a file: remove it, or give --audit-log-path FILE`);
  if (path === 'off')
    for (const name of ['audit-policy-file', 'audit-log-mode'] as const)
      if (o[name] !== undefined) faults.push(`--${name} has no effect with --audit-log-path off: remove one of them`);
  const absolute = (text: string): string => resolve(cwd, text);
  const policyFile = o['audit-policy-file'];
  return {
    audit: {
      path: path === 'off' || path === '-' ? path : absolute(path),
      policyFile: policyFile === undefined ? undefined : absolute(policyFile),
      mode,
      rotation,
    },
    faults,
  };
};
