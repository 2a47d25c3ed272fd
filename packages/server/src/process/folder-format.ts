// SPDX-License-Identifier: Apache-2.0
/**
 * `format.json` in the data folder: the format of what has no number of its own (`pki`, `audit`, `sensors`, names of files), and the
 * release that introduced it. Store and records carry theirs. Ref: docs/reference/formats.md.
 */
import {join} from 'node:path';
import {EARLIER_TEXT, newerText} from '@palisade/store/sqlite';
import {FolderError} from '../errors.ts';
import {FORMAT_FILE} from './data-folder.ts';
import {readIfPresent} from './read-if-present.ts';
import {replaceFile} from './replace-file.ts';

/** A change of the folder, in place; it may be done again after a crash. `since`: the release that introduced format `to`. */
export type FolderMigration = {
  readonly to: number;
  readonly since: string;
  readonly migrate: (dir: string) => Promise<void>;
};

/** In order. 1: 0.1.0, the first that is frozen; nothing leads there. */
export const FOLDER_MIGRATIONS: readonly FolderMigration[] = [{to: 1, since: '0.1.0', migrate: async () => undefined}];

/** That of a folder after a start of this version. */
export const FOLDER_FORMAT = FOLDER_MIGRATIONS.at(-1)?.to ?? 0;

/** `writtenBy`: the release that introduced the format. */
type FormatFile = {readonly format: number; readonly writtenBy: string};

const parsed = (text: string): Partial<Record<keyof FormatFile, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
};

/** The content of the file. */
export const formatText = ({to, since}: Pick<FolderMigration, 'to' | 'since'>): string => {
  const file: FormatFile = {format: to, writtenBy: since};
  return `${JSON.stringify(file)}\n`;
};

/** Undefined: the folder does not say; it is new, or was restored from a part of a backup. Changes nothing. Throws FolderError. */
export async function readFolderFormat(dir: string, migrations = FOLDER_MIGRATIONS): Promise<number | undefined> {
  const path = join(dir, FORMAT_FILE);
  const text = await readIfPresent(path);
  if (text === undefined) return undefined;
  const {format, writtenBy} = parsed(text);
  if (typeof format !== 'number' || !Number.isSafeInteger(format))
    throw new FolderError('damaged', `${path} is damaged: restore it from a backup`);
  const newest = migrations.at(-1)?.to ?? 0;
  const writer = typeof writtenBy === 'string' ? writtenBy : undefined;
  if (format > newest) throw new FolderError('format', `${path}: ${newerText(format, writer, newest)}`);
  if (format < (migrations[0]?.to ?? 0)) throw new FolderError('format', `${path}: ${EARLIER_TEXT}`);
  return format;
}

/** After the store was opened, whose lock keeps others out. Brings the folder forward, step by step, and writes down each. */
export async function bringForward(dir: string, migrations = FOLDER_MIGRATIONS): Promise<void> {
  const found = await readFolderFormat(dir, migrations);
  const missing = found === undefined ? migrations.slice(-1) : migrations.filter(({to}) => to > found);
  for (const {to, since, migrate} of missing) {
    if (found !== undefined) await migrate(dir);
    await replaceFile(join(dir, FORMAT_FILE), formatText({to, since}), 0o600);
  }
}
