// SPDX-License-Identifier: Apache-2.0
/** The client certificates that were issued for users: pki/issued.jsonl, one JSON object a line, so that each can be found and revoked. */
import {X509Certificate} from 'node:crypto';
import {open} from 'node:fs/promises';
import {join} from 'node:path';
import {PKI_FOLDER} from '../process/data-folder.ts';
import {readIfPresent} from '../process/read-if-present.ts';
import {makePrivateFolder, syncFolder} from '../process/sync-folder.ts';
import {pathIn} from './certificates.ts';
import type {ClientWish} from './issue-certificates.ts';
import {SECRET_MODE} from './own-files.ts';
import {serialNumberOf} from './serial-number.ts';

export type IssuedEntry = {
  readonly serial: string;
  readonly user: string;
  readonly groups: readonly string[];
  /** RFC 3339. */
  readonly notAfter: string;
  readonly issuedAt: string;
  /** SHA-256 of the CA, hexadecimal. */
  readonly ca: string;
};

export const fingerprintOf = (pem: string): string =>
  new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();

/** On disk when it resolves. A line break comes first too: a crash may have left half a line. */
export const recordIssued = async (
  dir: string,
  {cert, ca}: {readonly cert: string; readonly ca: string},
  {commonName, organizations}: ClientWish,
  nowMs: number,
): Promise<void> => {
  const certificate = new X509Certificate(cert);
  const entry: IssuedEntry = {
    serial: serialNumberOf(certificate.serialNumber),
    user: commonName,
    groups: organizations,
    notAfter: new Date(certificate.validTo).toISOString(),
    issuedAt: new Date(nowMs).toISOString(),
    ca: fingerprintOf(ca),
  };
  const folder = join(dir, PKI_FOLDER);
  await makePrivateFolder(folder);
  const handle = await open(pathIn(dir, 'issued'), 'a', SECRET_MODE);
  try {
    await handle.appendFile(`\n${JSON.stringify(entry)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(folder); // the first entry made the file
};

const isEntry = (value: unknown): value is IssuedEntry => {
  const {serial, user, groups, notAfter, issuedAt, ca} = Object(value) as Readonly<Record<string, unknown>>;
  const areTexts = [serial, user, notAfter, issuedAt, ca].every(text => typeof text === 'string');
  return areTexts && Array.isArray(groups) && groups.every(group => typeof group === 'string');
};

const entryIn = (line: string): IssuedEntry[] => {
  try {
    const entry: unknown = JSON.parse(line);
    return isEntry(entry) ? [entry] : [];
  } catch {
    return []; // half a line of a crash: its certificate was never handed out
  }
};

/** In the order in which they were issued. Lines that are no entries are left out. */
export const issuedEntries = (text: string): readonly IssuedEntry[] =>
  text.split('\n').flatMap(line => (line === '' ? [] : entryIn(line)));

export const readIssued = async (dir: string): Promise<readonly IssuedEntry[]> =>
  issuedEntries((await readIfPresent(pathIn(dir, 'issued'))) ?? '');
