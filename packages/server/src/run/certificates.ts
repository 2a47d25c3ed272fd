// SPDX-License-Identifier: Apache-2.0
/** A certificate of our own for --https: a CA and a server certificate in the data folder, renewed before they end. */
import 'reflect-metadata'; // @peculiar/x509 needs it loaded first
import {X509Certificate as NodeCertificate, webcrypto} from 'node:crypto';
import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {isIP} from 'node:net';
import {hostname} from 'node:os';
import {join} from 'node:path';
import * as x509 from '@peculiar/x509';
import {CommandError} from '../cli/io.ts';

export type ServerCertificate = {
  readonly cert: string;
  readonly key: string /** PEM; what clients put under certificate-authority-data. */;
  readonly ca: string;
};

const DAY_MS = 86_400_000;
const CA_DAYS = 3650;
const SERVER_DAYS = 365;
const RENEW_BEFORE_DAYS = 30;
const ALGORITHM = {name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256'} as const;

const toPem = async (key: webcrypto.CryptoKey): Promise<string> =>
  x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');

type Issued = {cert: x509.X509Certificate; key: webcrypto.CryptoKey};

const issueCa = async (nowMs: number): Promise<Issued> => {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=palisade-ca',
    notBefore: new Date(nowMs - DAY_MS),
    notAfter: new Date(nowMs + CA_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys: keys as webcrypto.CryptoKeyPair,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  return {cert, key: keys.privateKey};
};

const issueServer = async (ca: Issued, names: readonly string[], nowMs: number): Promise<Issued> => {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.create({
    subject: 'CN=palisade',
    issuer: ca.cert.subject,
    notBefore: new Date(nowMs - DAY_MS),
    notAfter: new Date(nowMs + SERVER_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey as webcrypto.CryptoKey,
    signingKey: ca.key as webcrypto.CryptoKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map(value => ({type: isIP(value) > 0 ? 'ip' : 'dns', value}))),
    ],
  });
  return {cert, key: keys.privateKey};
};

const readIfPresent = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

const stillGood = (pem: string, host: string, nowMs: number): boolean => {
  const cert = new NodeCertificate(pem);
  const named = isIP(host) > 0 ? cert.checkIP(host) : cert.checkHost(host);
  return named !== undefined && Date.parse(cert.validTo) - nowMs > RENEW_BEFORE_DAYS * DAY_MS;
};

/** Certificate for `host`, from `dir/pki`, made anew when absent, for another host, or within 30 days of its end. */
export async function ownCertificate(dir: string, host: string, nowMs: number): Promise<ServerCertificate> {
  const folder = join(dir, 'pki');
  await mkdir(folder, {recursive: true, mode: 0o700});
  const path = (name: string) => join(folder, name);
  const [cert, key, ca] = await Promise.all(['server.crt', 'server.key', 'ca.crt'].map(n => readIfPresent(path(n))));
  if (cert !== undefined && key !== undefined && ca !== undefined && stillGood(cert, host, nowMs))
    return {cert, key, ca};
  const issuer = await issueCa(nowMs);
  const names = [...new Set([host, 'localhost', '127.0.0.1', '::1', hostname()])].filter(
    n => n !== '0.0.0.0' && n !== '::',
  );
  const server = await issueServer(issuer, names, nowMs);
  const made = {cert: server.cert.toString('pem'), key: await toPem(server.key), ca: issuer.cert.toString('pem')};
  await writeFile(path('server.key'), made.key, {mode: 0o600});
  await writeFile(path('ca.crt'), made.ca);
  await writeFile(path('server.crt'), made.cert);
  return made;
}

/** The files of --tls-cert and --tls-key. The chain itself is what clients may trust. */
export async function givenCertificate(files: {certFile: string; keyFile: string}): Promise<ServerCertificate> {
  try {
    const [cert, key] = await Promise.all([readFile(files.certFile, 'utf8'), readFile(files.keyFile, 'utf8')]);
    if (!new NodeCertificate(cert).checkPrivateKey((await import('node:crypto')).createPrivateKey(key)))
      throw new Error(`${files.keyFile} is not the key of ${files.certFile}`);
    return {cert, key, ca: cert};
  } catch (error) {
    throw new CommandError(`--tls-cert: ${error instanceof Error ? error.message : String(error)}`, {cause: error});
  }
}
