// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade serve` about the audit log → AuditConfig, with every fault at once. */
import {resolve} from 'node:path';
import {AUDIT_MODES, type AuditMode} from '../audit/audit-modes.ts';

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
  /** A file, `-` (stdout) or `off`; undefined: the file in the data folder. */
  readonly path: string | undefined;
  /** Undefined: the bundled policy. */
  readonly policyFile: string | undefined;
  readonly mode: AuditMode;
  readonly rotation: {readonly bytesMax: number; readonly backupsMax: number; readonly ageMsMax: number};
};

const MEGABYTE = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
export const AUDIT_DEFAULTS = {maxsize: 100, maxbackup: 10, maxage: 0, mode: 'batch'} as const;
const FILE_FLAGS = ['audit-log-maxsize', 'audit-log-maxbackup', 'audit-log-maxage'] as const;
const FIGURE_MAX = 1_000_000;

/** `faults`: one line each. */
export const auditConfigOf = (
  o: AuditFlags,
  cwd: string,
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
  const path = o['audit-log-path'];
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
      path: path === undefined || path === 'off' || path === '-' ? path : absolute(path),
      policyFile: policyFile === undefined ? undefined : absolute(policyFile),
      mode,
      rotation,
    },
    faults,
  };
};
