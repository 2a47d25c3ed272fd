// SPDX-License-Identifier: Apache-2.0
/** A certificate of our own for --https: a CA and a server certificate in the data folder, looked at when the server starts. */
import {createPrivateKey, X509Certificate as NodeCertificate} from 'node:crypto';
import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {isIP} from 'node:net';
import {hostname, networkInterfaces} from 'node:os';
import {join} from 'node:path';
import {Worker} from 'node:worker_threads';
import {CommandError} from '../cli/io.ts';
import type {CertificateWish} from './issue-certificates.ts';

export type ServerCertificate = {
  readonly cert: string;
  readonly key: string /** PEM; what clients put under certificate-authority-data. */;
  readonly ca: string;
};

const DAY_MS = 86_400_000;
const RENEW_BEFORE_DAYS = 30;

/** In a thread of its own, which gives back its memory. */
const issue = (wish: CertificateWish): Promise<ServerCertificate> =>
  new Promise((resolve, reject) => {
    const file = `./issue-certificates.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`;
    const worker = new Worker(new URL(file, import.meta.url), {workerData: wish});
    worker.once('message', resolve);
    worker.once('error', reject);
  });

const readIfPresent = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** For this host, with its key, and with time left. A crash between the two files leaves a pair that does not fit: made anew. */
const stillGood = (pem: {cert: string; key: string}, host: string, nowMs: number): boolean => {
  const cert = new NodeCertificate(pem.cert);
  if (!cert.checkPrivateKey(createPrivateKey(pem.key))) return false;
  const named = isIP(host) > 0 ? cert.checkIP(host) : cert.checkHost(host);
  return named !== undefined && Date.parse(cert.validTo) - nowMs > RENEW_BEFORE_DAYS * DAY_MS;
};

/** Certificate for `host` and this machine's addresses, from `dir/pki`; made anew at a start when absent, for another host, or within 30 days of its end. */
export async function ownCertificate(dir: string, host: string, nowMs: number): Promise<ServerCertificate> {
  const folder = join(dir, 'pki');
  await mkdir(folder, {recursive: true, mode: 0o700});
  const path = (name: string) => join(folder, name);
  const [cert, key, ca] = await Promise.all(['server.crt', 'server.key', 'ca.crt'].map(n => readIfPresent(path(n))));
  if (cert !== undefined && key !== undefined && ca !== undefined && stillGood({cert, key}, host, nowMs))
    return {cert, key, ca};
  const own = Object.values(networkInterfaces()).flatMap(list =>
    (list ?? []).filter(a => !a.address.startsWith('fe80')).map(a => a.address),
  );
  const names = [...new Set([host, 'localhost', '127.0.0.1', '::1', hostname(), ...own])];
  const made = await issue({names, nowMs});
  await writeFile(path('server.key'), made.key, {mode: 0o600});
  await writeFile(path('ca.crt'), made.ca);
  await writeFile(path('server.crt'), made.cert);
  return made;
}

/** The files of --tls-cert and --tls-key. The chain itself is what clients may trust. */
export async function givenCertificate(files: {certFile: string; keyFile: string}): Promise<ServerCertificate> {
  try {
    const [cert, key] = await Promise.all([readFile(files.certFile, 'utf8'), readFile(files.keyFile, 'utf8')]);
    if (!new NodeCertificate(cert).checkPrivateKey(createPrivateKey(key)))
      throw new Error(`${files.keyFile} is not the key of ${files.certFile}`);
    return {cert, key, ca: cert};
  } catch (error) {
    throw new CommandError(`--tls-cert: ${error instanceof Error ? error.message : String(error)}`, {cause: error});
  }
}
