// SPDX-License-Identifier: Apache-2.0
/**
 * Makes certificates and revocation lists, and a CA above them where none is given; reads revocation lists. Runs as a process that ends
 * with its work: the library for it is large, and is hardly ever needed. One message in: CertificateWish or ListWish; one out: Issued or ListsRead.
 */
import 'reflect-metadata'; // @peculiar/x509 needs it loaded first
import {webcrypto} from 'node:crypto';
import {once} from 'node:events';
import {isIP} from 'node:net';
import * as x509 from '@peculiar/x509';
import {type ListsRead, type ListWish, type Revoked, readLists} from './revocation-lists.ts';
import {serialNumberOf} from './serial-number.ts';

/** PEM: a certificate and its private key (PKCS #8). */
export type Pair = {readonly cert: string; readonly key: string};
export type ClientWish = {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** The end of the CA counts where it comes before. */
  readonly notAfterMs: number;
};
export type CertificateWish = {
  readonly nowMs: number;
  /** The CA to sign with; undefined: a new one. */
  readonly ca: Pair | undefined;
  /** Common name of a new CA. */
  readonly caName?: string | undefined;
  readonly server?: {readonly names: readonly string[]} | undefined;
  readonly client?: ClientWish | undefined;
  /** Another CA that is to sign the key of the CA too. */
  readonly cross?: {readonly by: Pair; readonly notAfterMs: number} | undefined;
  /** All that a revocation list of the CA is to name. */
  readonly revoked?: readonly Revoked[] | undefined;
};
/** What was wished for. */
export type Issued = {
  readonly ca: Pair;
  readonly server?: Pair;
  readonly client?: Pair;
  /** PEM. */
  readonly cross?: string;
  readonly crl?: string;
};
const DAY_MS = 86_400_000;
const CA_DAYS = 3650;
const SERVER_DAYS = 365;
const ALGORITHM = {name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256'} as const;

const toPem = async (key: webcrypto.CryptoKey): Promise<string> =>
  x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');

type Signer = {cert: x509.X509Certificate; key: webcrypto.CryptoKey};

const toPair = async ({cert, key}: Signer): Promise<Pair> => ({cert: cert.toString('pem'), key: await toPem(key)});

const loadCa = async ({cert, key}: Pair): Promise<Signer> => {
  const [der] = x509.PemConverter.decode(key);
  if (der === undefined) throw new Error('the CA key is not in PEM form');
  return {
    cert: new x509.X509Certificate(cert),
    key: await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign']),
  };
};

/** The bytes of a positive number in DER. */
const toSerial = (serial: string): string => {
  const digits = serialNumberOf(serial);
  return /^[89A-F]/.test(digits) ? `00${digits}` : digits;
};

const issueCa = async (nowMs: number, name: string): Promise<Signer> => {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    notBefore: new Date(nowMs - DAY_MS),
    notAfter: new Date(nowMs + CA_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys: keys as webcrypto.CryptoKeyPair,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey as webcrypto.CryptoKey),
    ],
  });
  return {cert, key: keys.privateKey};
};

const untilEndOf = (ca: Signer, notAfterMs: number): Date => new Date(Math.min(notAfterMs, ca.cert.notAfter.getTime()));

/** Never valid for longer than its CA. */
const issueLeaf = async (
  ca: Signer,
  {subject, usage, notAfterMs, nowMs}: {subject: x509.Name | string; usage: string; notAfterMs: number; nowMs: number},
  more: x509.Extension[] = [],
): Promise<Pair> => {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.create({
    subject,
    issuer: ca.cert.subject,
    notBefore: new Date(nowMs - DAY_MS),
    notAfter: untilEndOf(ca, notAfterMs),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey as webcrypto.CryptoKey,
    signingKey: ca.key as webcrypto.CryptoKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.ExtendedKeyUsageExtension([usage]),
      await x509.AuthorityKeyIdentifierExtension.create(ca.cert),
      ...more,
    ],
  });
  return toPair({cert, key: keys.privateKey});
};

const issueServer = (ca: Signer, names: readonly string[], nowMs: number): Promise<Pair> =>
  issueLeaf(
    ca,
    {subject: 'CN=palisade', usage: x509.ExtendedKeyUsage.serverAuth, notAfterMs: nowMs + SERVER_DAYS * DAY_MS, nowMs},
    [new x509.SubjectAlternativeNameExtension(names.map(value => ({type: isIP(value) > 0 ? 'ip' : 'dns', value})))],
  );

const issueClient = (ca: Signer, {commonName, organizations, notAfterMs}: ClientWish, nowMs: number): Promise<Pair> => {
  const subject = new x509.Name([
    ...organizations.map(o => ({O: [{utf8String: o}]})),
    {CN: [{utf8String: commonName}]},
  ]);
  return issueLeaf(ca, {subject, usage: x509.ExtendedKeyUsage.clientAuth, notAfterMs, nowMs});
};

/** The key of `ca`, signed by another CA, so that clients that trust only that one trust what `ca` signs. */
const crossSign = async (ca: Signer, by: Signer, notAfterMs: number, nowMs: number): Promise<string> => {
  const cert = await x509.X509CertificateGenerator.create({
    subject: ca.cert.subject,
    issuer: by.cert.subject,
    notBefore: new Date(nowMs - DAY_MS),
    notAfter: untilEndOf(by, notAfterMs),
    signingAlgorithm: ALGORITHM,
    publicKey: ca.cert.publicKey,
    signingKey: by.key as webcrypto.CryptoKey,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(ca.cert.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(by.cert),
    ],
  });
  return cert.toString('pem');
};

const LIST_TAG = 'X509 CRL';

const issueList = async (ca: Signer, revoked: readonly Revoked[], nowMs: number): Promise<string> => {
  const list = await x509.X509CrlGenerator.create({
    issuer: ca.cert.subject,
    thisUpdate: new Date(nowMs),
    nextUpdate: ca.cert.notAfter,
    entries: revoked.map(({serial, atMs}) => ({serialNumber: toSerial(serial), revocationDate: new Date(atMs)})),
    extensions: [await x509.AuthorityKeyIdentifierExtension.create(ca.cert)],
    signingAlgorithm: ALGORITHM,
    signingKey: ca.key as webcrypto.CryptoKey,
  });
  return x509.PemConverter.encode(list.rawData, LIST_TAG); // the library would write BEGIN CRL, which OpenSSL does not read
};

const issueAll = async (wish: CertificateWish): Promise<Issued> => {
  const {nowMs} = wish;
  const ca = wish.ca === undefined ? await issueCa(nowMs, wish.caName ?? 'palisade-ca') : await loadCa(wish.ca);
  return {
    ca: wish.ca ?? (await toPair(ca)),
    ...(wish.server === undefined ? {} : {server: await issueServer(ca, wish.server.names, nowMs)}),
    ...(wish.client === undefined ? {} : {client: await issueClient(ca, wish.client, nowMs)}),
    ...(wish.cross === undefined
      ? {}
      : {cross: await crossSign(ca, await loadCa(wish.cross.by), wish.cross.notAfterMs, nowMs)}),
    ...(wish.revoked === undefined ? {} : {crl: await issueList(ca, wish.revoked, nowMs)}),
  };
};

const [wish] = (await once(process, 'message')) as [CertificateWish | ListWish];
const answer: Issued | ListsRead = 'lists' in wish ? await readLists(wish) : await issueAll(wish);
process.send?.(answer, () => process.disconnect());
