// SPDX-License-Identifier: Apache-2.0
/** Names of the files of an audit log: the one that is written, and those that were rotated. */
import {basename, extname} from 'node:path';

/** Below the data folder, where no other file is named. */
export const AUDIT_FOLDER = 'audit';
export const AUDIT_FILE = 'audit.log';

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/;

const partsOf = (path: string): {readonly stem: string; readonly extension: string} => {
  const extension = extname(path);
  return {stem: `${basename(path, extension)}-`, extension};
};

/** `audit.log` rotated at a time: `audit-2026-11-28T10-52-17.123.log`. */
export const rotatedName = (path: string, ms: number): string => {
  const {stem, extension} = partsOf(path);
  return `${stem}${new Date(ms).toISOString().replace('Z', '').replaceAll(':', '-')}${extension}`;
};

/** When a file was rotated; undefined: it is no rotated file of `path`. */
export const rotatedTimeMs = (path: string, name: string): number | undefined => {
  const {stem, extension} = partsOf(path);
  if (!name.startsWith(stem) || !name.endsWith(extension)) return undefined;
  const found = TIME.exec(name.slice(stem.length, name.length - extension.length));
  if (found === null) return undefined;
  const [, day = '', hour = '', minute = '', second = ''] = found;
  const ms = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? undefined : ms;
};
