// SPDX-License-Identifier: Apache-2.0
/**
 * A certificate of our own for --https: a CA and a server certificate below it, in the data folder. The CA is made once and kept
 * with its key, so that clients which trust it keep working after a renewal; the server certificate is looked at when the server starts
 * and every `CHECK_MS` after.
 */
import {fork} from 'node:child_process';
import {createPrivateKey, X509Certificate as NodeCertificate} from 'node:crypto';
import {once} from 'node:events';
import {mkdir, readFile} from 'node:fs/promises';
import {isIP} from 'node:net';
import {hostname, networkInterfaces} from 'node:os';
import {join} from 'node:path';
import type {Readable} from 'node:stream';
import {text} from 'node:stream/consumers';
import {fileURLToPath} from 'node:url';
import {AUTHORITY_FILE, PKI_FOLDER} from '../process/data-folder.ts';
import type {Logger} from '../process/logger.ts';
import {replaceFile} from '../process/replace-file.ts';
import type {CertificateWish, Issued, Pair} from './issue-certificates.ts';

export type ServerCertificate = Pair & {
  /** PEM; what clients put under certificate-authority-data. */
  readonly ca: string;
};

const DAY_MS = 86_400_000;
/** A certificate with less time left is replaced. */
const RENEW_BEFORE_MS = 30 * DAY_MS;
/** How often a running server looks at its certificate. */
export const CHECK_MS = DAY_MS / 2;

const FILES = {caKey: 'ca.key', caCert: AUTHORITY_FILE, key: 'server.key', cert: 'server.crt'} as const;
const SECRET_MODE = 0o600;
const PUBLIC_MODE = 0o644;

/**
 * In a process of its own, which gives back its memory; the pages of a thread stay in V8's pool for a while. The two talk over
 * a channel: what NODE_OPTIONS loads may write to stdout.
 */
const issue = async (wish: CertificateWish): Promise<Issued> => {
  const file = `./issue-certificates.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`;
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  await once(child, 'spawn'); // rejects where it cannot be started
  const ended = once(child, 'close') as Promise<[code: number | null, signal: string | null]>;
  let issued: Issued | undefined;
  child.once('message', message => {
    issued = message as Issued;
  });
  child.send(wish, () => {}); // its exit reports more
  const [words, [code, signal]] = await Promise.all([text(child.stderr as Readable), ended]);
  if (issued !== undefined) return issued;
  throw new Error(`certificate could not be issued (${signal ?? `exit ${code}`}): ${words.trim()}`);
};

const readIfPresent = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Undefined if it is not PEM, as after a crash during a write: counts as absent. */
const ifReadable = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/** Both halves, fitting, with time left; undefined when one is missing or damaged, as after a crash between the two files. */
const usable = (cert: string | undefined, key: string | undefined, nowMs: number): Pair | undefined => {
  if (cert === undefined || key === undefined) return undefined;
  return ifReadable(() => {
    const parsed = new NodeCertificate(cert);
    const fits = parsed.checkPrivateKey(createPrivateKey(key));
    return fits && Date.parse(parsed.validTo) - nowMs > RENEW_BEFORE_MS ? {cert, key} : undefined;
  });
};

const isFor = ({cert}: Pair, host: string): boolean => {
  const parsed = new NodeCertificate(cert);
  return (isIP(host) > 0 ? parsed.checkIP(host) : parsed.checkHost(host)) !== undefined;
};

const isIssuedBy = ({cert}: Pair, ca: string): boolean => {
  const issuer = ifReadable(() => new NodeCertificate(ca));
  const parsed = new NodeCertificate(cert);
  return issuer !== undefined && parsed.checkIssued(issuer) && parsed.verify(issuer.publicKey);
};

const namesFor = (host: string): string[] => {
  const own = Object.values(networkInterfaces()).flatMap(list =>
    (list ?? []).filter(a => !a.address.startsWith('fe80')).map(a => a.address),
  );
  return [...new Set([host, 'localhost', '127.0.0.1', '::1', hostname(), ...own])];
};

export type OwnCertificateParts = {readonly nowMs: number; readonly log: Pick<Logger, 'info' | 'warn'>};

/**
 * Certificate for `host` and this machine's addresses, from `dir/pki`; created again when absent, for another host, or within 30 days
 * of its end, by the existing CA. If the CA cannot be used (absent, damaged, at its end), a new one is created and logged.
 */
export async function ownCertificate(
  dir: string,
  host: string,
  {nowMs, log}: OwnCertificateParts,
): Promise<ServerCertificate> {
  const folder = join(dir, PKI_FOLDER);
  await mkdir(folder, {recursive: true, mode: 0o700});
  const path = (name: keyof typeof FILES): string => join(folder, FILES[name]);
  const read = (name: keyof typeof FILES): Promise<string | undefined> => readIfPresent(path(name));
  const [caKey, caCert, key, cert] = await Promise.all([read('caKey'), read('caCert'), read('key'), read('cert')]);
  const current = usable(cert, key, nowMs);
  if (caCert !== undefined && current !== undefined && isFor(current, host) && isIssuedBy(current, caCert))
    return {...current, ca: caCert};
  const ca = usable(caCert, caKey, nowMs);
  const made = await issue({names: namesFor(host), nowMs, ca});
  if (ca === undefined) {
    await replaceFile(path('caKey'), made.ca.key, SECRET_MODE);
    await replaceFile(path('caCert'), made.ca.cert, PUBLIC_MODE);
    if (caCert !== undefined)
      log.warn({file: path('caCert')}, 'certificate authority unusable, created a new one; give its file to clients');
  }
  await replaceFile(path('key'), made.server.key, SECRET_MODE);
  await replaceFile(path('cert'), made.server.cert, PUBLIC_MODE);
  const {validTo} = new NodeCertificate(made.server.cert);
  log.info({file: path('cert'), validTo}, 'server certificate issued');
  return {...made.server, ca: made.ca.cert};
}
