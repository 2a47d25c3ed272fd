// SPDX-License-Identifier: Apache-2.0
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {ownCertificate} from '../pki/certificates.ts';

const SILENT = {info: () => {}, warn: () => {}};

/** A certificate of our own that is valid now. Nothing of it stays on the disk. */
export const makeCertificate = async (host: string): Promise<{cert: string; key: string}> => {
  const dir = await mkdtemp(join(tmpdir(), 'palisade-pki-'));
  const pem = await ownCertificate(dir, host, {nowMs: Date.now(), log: SILENT});
  await rm(dir, {recursive: true});
  return pem;
};
