// SPDX-License-Identifier: Apache-2.0
/** The rule files of sources: of a file, a folder, an archive, or what a URL gives. */
import {isUtf8} from 'node:buffer';
import {constants, type Dirent} from 'node:fs';
import {access, readdir, readFile, stat} from 'node:fs/promises';
import {basename, dirname, join, relative} from 'node:path';
import {ARCHIVE_FILES_MAX, RULE_FILE_BYTES_MAX} from '../../limits.ts';
import {isSensorError, messageOf, SensorError, systemCode} from '../../sensor-error.ts';
import type {RuleSource} from '../sources.ts';
import {ArchiveFault, unpack} from './archive.ts';
import {besideInArchive, besideOnDisk} from './beside.ts';
import {checksumFault, type DownloadOptions, download} from './download.ts';
import {type Beside, CLASSIFICATION_NAME, isRuleFile, isUrl, type LoadedFile, shownPlace} from './rule-file.ts';

export type ReadSources = {
  readonly files: readonly LoadedFile[];
  /** Texts of classification.config in folders and archives. */
  readonly classifications: readonly string[];
  readonly warnings: readonly string[];
};

const WHY_NOT_READ: Readonly<Record<string, string>> = {
  ENOENT: 'no such file; check the path',
  EACCES: 'permission denied',
};
const NO_RULE_FILE = 'a folder without a *.rules file; put one into it, or name the rule file itself';
const TOO_LARGE = `larger than ${RULE_FILE_BYTES_MAX} bytes`;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Expected: its message says what is wrong with a source. */
class SourceFault extends Error {
  override readonly name = 'SourceFault';
}

const whyNot = (error: unknown): string => {
  if (error instanceof SourceFault || error instanceof ArchiveFault) return error.message;
  return WHY_NOT_READ[systemCode(error) ?? ''] ?? messageOf(error);
};

const decoded = (all: Buffer): Pick<LoadedFile, 'text' | 'encoding'> => {
  if (all.includes(0)) throw new SourceFault('not a text file: it contains a NUL byte');
  const hasMark = all.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const bytes = hasMark ? all.subarray(BYTE_ORDER_MARK.length) : all;
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  return {text: bytes.toString(encoding), encoding};
};

type Found = Pick<ReadSources, 'classifications'> & {
  readonly files: readonly Omit<LoadedFile, 'sourceIndex'>[];
  readonly warning?: string | undefined;
};

const ARCHIVE_NAME = /\.(?:tar|tar\.gz|tgz|zip)$/i;

/** A file of its own: of rules, or an archive of them. `label`: as the user gave it. */
const ofBytes = async (label: string, name: string, bytes: Buffer, beside: Beside): Promise<Found> => {
  const unpacked = await unpack(bytes);
  if (Buffer.isBuffer(unpacked) && ARCHIVE_NAME.test(name))
    throw new SourceFault(
      'it is named as an archive, but is not a .tar.gz, .tar or .zip: pack it again, or name a rule file *.rules',
    );
  if (Buffer.isBuffer(unpacked))
    return {files: [{source: label, path: name, beside, ...decoded(unpacked)}], classifications: []};
  const paths = [...unpacked.keys()].sort();
  const files = paths.filter(isRuleFile).map(path => {
    const source = `${path} in ${label}`;
    return {source, path, beside: besideInArchive(unpacked, path), ...decoded(unpacked.get(path) ?? Buffer.alloc(0))};
  });
  if (files.length === 0) throw new SourceFault('an archive without a *.rules file; put one into it');
  const classifications = paths
    .filter(path => basename(path) === CLASSIFICATION_NAME)
    .map(path => (unpacked.get(path) ?? '').toString());
  return {files, classifications};
};

const readSmall = async (path: string): Promise<Buffer> => {
  if ((await stat(path)).size > RULE_FILE_BYTES_MAX) throw new SourceFault(TOO_LARGE);
  return readFile(path);
};

/** Of a folder of rules and those below it. */
const pathsIn = async (folder: string): Promise<string[]> => {
  const all = await readdir(folder, {recursive: true, withFileTypes: true});
  if (all.length > ARCHIVE_FILES_MAX) throw new SourceFault(`a folder of more than ${ARCHIVE_FILES_MAX} files`);
  const pathOf = (entry: Dirent): string => join(entry.parentPath, entry.name);
  const paths = all.filter(entry => !entry.isDirectory()).map(pathOf);
  if (!paths.some(path => isRuleFile(relative(folder, path)))) throw new SourceFault(NO_RULE_FILE);
  return paths.sort();
};

const ofFolder = async (folder: string): Promise<Found> => {
  const files: Omit<LoadedFile, 'sourceIndex'>[] = [];
  const classifications: string[] = [];
  for (const path of await pathsIn(folder)) {
    const place = relative(folder, path);
    try {
      if (isRuleFile(place))
        files.push({
          ...{source: path, path: place, beside: besideOnDisk(folder, path)},
          ...decoded(await readSmall(path)),
        });
      else if (basename(path) === CLASSIFICATION_NAME) classifications.push((await readSmall(path)).toString());
    } catch (error) {
      throw new SourceFault(`${place}: ${whyNot(error)}`, {cause: error});
    }
  }
  return {files, classifications};
};

const NO_FILES: Beside = async () => 'a rule file from a URL has no files next to it: give an archive that holds them';

const ofUrl = async ({at, sha256}: RuleSource, options: DownloadOptions): Promise<Found> => {
  const url = URL.parse(at);
  if (url === null) throw new SourceFault('not a URL');
  if (url.username !== '' || url.password !== '') throw new SourceFault('a URL must not carry a user or a password');
  const {bytes, warning} = await download(at, sha256, options).catch((error: unknown) => {
    if (options.signal.aborted) throw new SensorError('aborted', 'the download of the rules was cancelled');
    throw new SourceFault(messageOf(error), {cause: error});
  });
  return {...(await ofBytes(shownPlace(at), basename(url.pathname), bytes, NO_FILES)), warning};
};

const ofPath = async ({at, sha256}: RuleSource): Promise<Found> => {
  const info = await stat(at);
  if (info.isDirectory()) {
    if (sha256 !== undefined) throw new SourceFault('a folder has no checksum: give it for a file or an archive');
    return ofFolder(at);
  }
  const bytes = await readSmall(at);
  const fault = checksumFault(bytes, sha256);
  if (fault !== undefined) throw new SourceFault(fault);
  const found = await ofBytes(at, basename(at), bytes, besideOnDisk(dirname(at), at));
  // suricata-update puts one next to suricata.rules
  const own = await readSmall(join(dirname(at), CLASSIFICATION_NAME)).catch(() => undefined);
  return own === undefined ? found : {...found, classifications: [...found.classifications, own.toString()]};
};

const throwFaults = (faults: readonly string[]): void => {
  if (faults.length > 0) throw new SensorError('rule-file', `Rule file ${faults.join('; rule file ')}`);
};

/** All files, or SensorError `rule-file` with all faults. */
export const readSources = async (sources: readonly RuleSource[], options: DownloadOptions): Promise<ReadSources> => {
  const faults: string[] = [];
  const found: Found[] = [];
  for (const source of sources)
    try {
      found.push(await (isUrl(source.at) ? ofUrl(source, options) : ofPath(source)));
    } catch (error) {
      if (isSensorError(error)) throw error;
      faults.push(`${shownPlace(source.at)}: ${whyNot(error)}`);
    }
  throwFaults(faults);
  return {
    files: found.flatMap(({files}, sourceIndex) => files.map(file => ({...file, sourceIndex}))),
    classifications: found.flatMap(({classifications}) => classifications),
    warnings: found.flatMap(({warning}) => (warning === undefined ? [] : [warning])),
  };
};

/**
 * Whether the sources could be read, without reading any: a pipe gives its text only once, and a URL is asked when its rules are needed.
 * Throws SensorError `rule-file` with all faults.
 */
export const checkRuleFiles = async (places: readonly string[]): Promise<void> => {
  const faults: string[] = [];
  for (const at of places.filter(place => !isUrl(place)))
    try {
      const info = await stat(at);
      if (!info.isDirectory() && info.size > RULE_FILE_BYTES_MAX) throw new SourceFault(TOO_LARGE);
      if (info.isDirectory()) await pathsIn(at);
      else await access(at, constants.R_OK);
    } catch (error) {
      faults.push(`${at}: ${whyNot(error)}`);
    }
  throwFaults(faults);
};
