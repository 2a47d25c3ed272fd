// SPDX-License-Identifier: Apache-2.0
/**
 * Certificates of our own, in the data folder: a CA, and below it a server certificate for --https and the client certificate of the
 * administrator. The CA is made once and kept with its key, so that clients which trust it keep working after a renewal; the others are
 * looked at when the server starts and every `CHECK_MS` after.
 */
import {createPrivateKey, X509Certificate as NodeCertificate} from 'node:crypto';
import {isIP} from 'node:net';
import {hostname, networkInterfaces} from 'node:os';
import {join} from 'node:path';
import {PKI_FOLDER} from '../process/data-folder.ts';
import type {Logger} from '../process/logger.ts';
import {readIfPresent} from '../process/read-if-present.ts';
import {replaceFile} from '../process/replace-file.ts';
import {makePrivateFolder} from '../process/sync-folder.ts';
import type {ClientWish, Issued, Pair} from './issue-certificates.ts';
import {issue} from './issuer.ts';
import {ADMIN, FILES, type FileName, PUBLIC_MODE, SECRET_MODE} from './own-files.ts';

export type ServerCertificate = Pair & {
  /** PEM; what clients put under certificate-authority-data. */
  readonly ca: string;
};

const DAY_MS = 86_400_000;
/** A certificate with less time left is replaced. */
const RENEW_BEFORE_MS = 30 * DAY_MS;
/** How often a running server looks at its certificate. */
export const CHECK_MS = DAY_MS / 2;

/** Undefined if it is not PEM, as after a crash during a write: counts as absent. */
export const ifReadable = <T>(read: () => T): T | undefined => {
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

/** Names and addresses of `names` that are missing in a certificate (PEM). */
export const missingNames = (cert: string, names: readonly string[]): string[] => {
  const parsed = new NodeCertificate(cert);
  return names.filter(name => (isIP(name) > 0 ? parsed.checkIP(name) : parsed.checkHost(name)) === undefined);
};

const isIssuedBy = ({cert}: Pair, ca: string): boolean => {
  const issuer = ifReadable(() => new NodeCertificate(ca));
  const parsed = new NodeCertificate(cert);
  return issuer !== undefined && parsed.checkIssued(issuer) && parsed.verify(issuer.publicKey);
};

type Interfaces = ReturnType<typeof networkInterfaces>;

/** Name and addresses of this machine. */
export const namesOfMachine = (interfaces: Interfaces = networkInterfaces()): string[] => {
  const own = Object.values(interfaces).flatMap(list =>
    (list ?? []).filter(a => !a.address.startsWith('fe80')).map(a => a.address),
  );
  return [hostname(), ...own];
};

/** What clients may call a server that listens on `host`, `more` (--tls-names) among it. */
export const namesOfListener = (host: string, more: readonly string[], interfaces?: Interfaces): string[] => [
  ...more,
  ...(host === '0.0.0.0' || host === '::' ? namesOfMachine(interfaces) : []),
];

/** Names and addresses of a server certificate. */
const namesFor = (host: string, more: readonly string[]): string[] => [
  ...new Set([host, 'localhost', '127.0.0.1', '::1', ...namesOfMachine(), ...more]),
];

/** A CA whose client certificates are accepted until then (milliseconds since 1970). */
export type ClientAuthority = {readonly pem: string; readonly untilMs: number};

export type OwnCertificates = {
  /** PEM. */
  readonly ca: string;
  /** The CA, and the one before it during their overlap. */
  readonly authorities: readonly ClientAuthority[];
  readonly server?: ServerCertificate | undefined;
  readonly admin?: Pair | undefined;
};
export type OwnCertificateParts = {readonly nowMs: number; readonly log: Pick<Logger, 'info' | 'warn'>};

/** What a server needs for its port, and for the kubeconfig of its data folder. */
export type ServingCertificate = ServerCertificate & {
  /** Absent: nobody is asked for a client certificate. */
  readonly authorities?: readonly ClientAuthority[] | undefined;
  readonly admin?: Pair | undefined;
};

/** What there is in a data folder, by file; undefined: no such file. */
export type Texts = {readonly [name in FileName]: string | undefined};
export const pathIn = (dir: string, name: FileName): string => join(dir, PKI_FOLDER, FILES[name]);
export const readTexts = async (dir: string): Promise<Texts> => {
  const names = Object.keys(FILES) as FileName[];
  const texts = await Promise.all(names.map(async name => [name, await readIfPresent(pathIn(dir, name))] as const));
  return Object.fromEntries(texts) as Texts;
};

export const endOf = (pem: string): number => Date.parse(new NodeCertificate(pem).validTo);
const keyOf = (pem: string): string =>
  new NodeCertificate(pem).publicKey.export({type: 'spki', format: 'pem'}) as string;

/** The signature of the CA before this one on its key, and that CA, while their overlap lasts. */
export const overlapOf = (
  {caCert, previousCert, cross}: Texts,
  nowMs: number,
): (ClientAuthority & {readonly cross: string}) | undefined => {
  if (caCert === undefined || previousCert === undefined || cross === undefined) return undefined;
  return ifReadable(() => {
    const untilMs = endOf(cross);
    return keyOf(cross) === keyOf(caCert) && nowMs < untilMs ? {pem: previousCert, untilMs, cross} : undefined;
  });
};

const ADMIN_DAYS = 365;
const adminWish = (nowMs: number): ClientWish => ({...ADMIN, notAfterMs: nowMs + ADMIN_DAYS * DAY_MS});

const writePair = async (dir: string, cert: FileName, key: FileName, pair: Pair): Promise<void> => {
  await replaceFile(pathIn(dir, key), pair.key, SECRET_MODE);
  await replaceFile(pathIn(dir, cert), pair.cert, PUBLIC_MODE);
};

/** `isNewCa`: the CA too. */
export const writeIssued = async (dir: string, made: Issued, isNewCa: boolean): Promise<void> => {
  if (isNewCa) await writePair(dir, 'caCert', 'caKey', made.ca);
  if (made.server !== undefined) await writePair(dir, 'cert', 'key', made.server);
  if (made.client !== undefined) await writePair(dir, 'adminCert', 'adminKey', made.client);
};

/** `host` and `names`: the names of the server certificate; undefined: the server uses no certificate of its own CA. */
export type Wanted = {
  readonly host?: string | undefined;
  readonly names?: readonly string[] | undefined;
  readonly admin: boolean;
};

type Usable = {readonly server: Pair | undefined; readonly admin: Pair | undefined};

/** What can be used of it below its CA. Names other than the host count while the CA can sign: a new CA would lock out every client. */
const usableOf = (texts: Texts, {host, names = []}: Wanted, canSign: boolean, nowMs: number): Usable => {
  const {caCert} = texts;
  const needed = host === undefined ? [] : [host, ...(canSign ? names : [])];
  const below = (pair: Pair | undefined): Pair | undefined =>
    pair !== undefined && caCert !== undefined && isIssuedBy(pair, caCert) ? pair : undefined;
  const server = below(usable(texts.cert, texts.key, nowMs));
  return {
    server:
      server !== undefined && host !== undefined && missingNames(server.cert, needed).length === 0 ? server : undefined,
    admin: below(usable(texts.adminCert, texts.adminKey, nowMs)),
  };
};

const resultOf = (texts: Texts, ca: string, {server, admin}: Usable, nowMs: number): OwnCertificates => {
  const overlap = overlapOf(texts, nowMs);
  const chainOf = (cert: string): string => (overlap === undefined ? cert : [cert, overlap.cross].join('\n'));
  return {
    ca,
    authorities: [{pem: ca, untilMs: endOf(ca)}, ...(overlap === undefined ? [] : [overlap])],
    ...(server === undefined ? {} : {server: {...server, cert: chainOf(server.cert), ca}}),
    ...(admin === undefined ? {} : {admin}),
  };
};

const isReadable = (ca: string): boolean => ifReadable(() => new NodeCertificate(ca)) !== undefined;

/**
 * The certificates of `dir/pki`; what is absent, without a name that is wanted, or within 30 days of its end is created again by the existing CA.
 * If the CA cannot be used (absent, damaged, at its end), a new one is created and logged; but one that is without its key stays
 * until the end of the server certificate, without a certificate for the administrator.
 */
export async function ownCertificates(
  dir: string,
  wanted: Wanted,
  {nowMs, log}: OwnCertificateParts,
): Promise<OwnCertificates> {
  await makePrivateFolder(join(dir, PKI_FOLDER));
  const texts = await readTexts(dir);
  const {caCert} = texts;
  const ca = usable(caCert, texts.caKey, nowMs);
  const found = usableOf(texts, wanted, ca !== undefined, nowMs);
  const lacks = {
    server: wanted.host !== undefined && found.server === undefined,
    admin: wanted.admin && found.admin === undefined,
  };
  if (caCert !== undefined && isReadable(caCert) && !lacks.server) {
    const isKeyless = ca === undefined && found.server !== undefined;
    if (!lacks.admin && (ca !== undefined || isKeyless)) return resultOf(texts, caCert, found, nowMs);
    if (isKeyless) {
      log.warn(
        {file: pathIn(dir, 'caKey')},
        'no client certificate for the administrator: the key of the CA is missing; create another CA with palisade certs rotate --ca',
      );
      return resultOf(texts, caCert, found, nowMs);
    }
  }
  const {host, names = []} = wanted;
  const made = await issue({
    nowMs,
    ca,
    server: host !== undefined && (lacks.server || ca === undefined) ? {names: namesFor(host, names)} : undefined,
    client: wanted.admin && (lacks.admin || ca === undefined) ? adminWish(nowMs) : undefined,
  });
  await writeIssued(dir, made, ca === undefined);
  if (ca === undefined && caCert !== undefined)
    log.warn(
      {file: pathIn(dir, 'caCert')},
      'certificate authority unusable, created a new one; give its file to clients',
    );
  for (const [name, pair] of [['cert', made.server] as const, ['adminCert', made.client] as const])
    if (pair !== undefined)
      log.info(
        {file: pathIn(dir, name), validTo: new NodeCertificate(pair.cert).validTo},
        `${name === 'cert' ? 'server' : 'administrator'} certificate issued`,
      );
  const now = {server: made.server ?? found.server, admin: made.client ?? found.admin};
  return resultOf({...texts, caCert: made.ca.cert}, made.ca.cert, now, nowMs);
}

/** The server certificate alone, for a server that asks nobody for a certificate. */
export async function ownCertificate(
  dir: string,
  host: string,
  parts: OwnCertificateParts,
): Promise<ServerCertificate> {
  const {server} = await ownCertificates(dir, {host, admin: false}, parts);
  if (server === undefined) throw new Error('no server certificate was made');
  return server;
}
