// SPDX-License-Identifier: Apache-2.0
/** `manifest.json`, the first member of a backup. Format of the archive: docs/reference/backup-format.md. */
import {newestOf, STORE_FORMAT} from '@palisade/store/sqlite';
import {FOLDER_FORMAT} from '../process/folder-format.ts';
import {ArchiveError} from './archive-error.ts';

/**
 * History: 1 first. A program reads the formats up to its own. Objects and `pki` have no format of their own in a backup: a migration of
 * either needs a new format here too, and a step of the restore.
 */
export const ARCHIVE_FORMAT = 1;
/** Of the objects, and of `pki`. Ref: docs/reference/formats.md. */
export const CONTENT_FORMATS = {store: newestOf(STORE_FORMAT), folder: FOLDER_FORMAT} as const;

export type Manifest = {
  readonly format: number;
  /** Version of the program that wrote it. */
  readonly program: string;
  readonly formats: {readonly store: number; readonly folder: number};
  /** RFC 3339: when the snapshot was taken. */
  readonly createdAt: string;
  /** Of the store: every object is as of it. */
  readonly revision: string;
  /** UID of the namespace kube-system; '' in a store that never had one. */
  readonly serverUid: string;
  readonly objects: number;
  /** Bytes of all values. */
  readonly objectBytes: number;
  /** Whether threat and traffic records are in it. */
  readonly records: boolean;
};

export const MANIFEST_FILE = 'manifest.json';
export const SUMS_FILE = 'SHA256SUMS';
export const OBJECTS_FOLDER = 'objects';

/** A relative path of plain names, as of the files that a server makes. */
const MEMBER_PATH = /^(?:[A-Za-z0-9_][A-Za-z0-9._-]*\/)*[A-Za-z0-9_][A-Za-z0-9._-]*$/;
/** Whether a backup may have a member of this name. */
export const isMemberPath = (path: string): boolean => MEMBER_PATH.test(path);

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

/** Throws ArchiveError, also for a format of a later version. */
export const parseManifest = (text: string): Manifest => {
  let found: Partial<Manifest>;
  try {
    found = Object(JSON.parse(text)) as Partial<Manifest>;
  } catch (error) {
    throw new ArchiveError('not JSON', MANIFEST_FILE, {cause: error});
  }
  const {format, program, createdAt, revision, serverUid, objects, objectBytes, records} = found;
  const formats = Object(found.formats) as Partial<Manifest['formats']>;
  const newer = (what: string, number: unknown, reads: number): void => {
    if (typeof number === 'number' && number > reads)
      throw new ArchiveError(
        `written by a newer version (${what} ${number}, this one reads up to ${reads}); use palisade ${typeof program === 'string' ? program : 'of that version'}`,
      );
  };
  newer('format', format, ARCHIVE_FORMAT);
  newer('objects in format', formats.store, CONTENT_FORMATS.store);
  newer('pki in format', formats.folder, CONTENT_FORMATS.folder);
  const isSound =
    format === ARCHIVE_FORMAT &&
    [program, createdAt, serverUid, revision].every(text => typeof text === 'string') &&
    /^\d{1,16}$/.test(String(revision)) &&
    !Number.isNaN(Date.parse(String(createdAt))) &&
    isCount(formats.store) &&
    isCount(formats.folder) &&
    isCount(objects) &&
    isCount(objectBytes) &&
    typeof records === 'boolean';
  if (!isSound) throw new ArchiveError('a field is missing or wrong', MANIFEST_FILE);
  return found as Manifest;
};
