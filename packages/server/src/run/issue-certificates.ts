// SPDX-License-Identifier: Apache-2.0
/**
 * Makes a CA and a server certificate below it. Runs as a thread that ends with its work: the library for it is large, and is
 * needed once a year.  workerData: {names, nowMs}  →  one message: {cert, key, ca}, PEM
 */
import 'reflect-metadata'; // @peculiar/x509 needs it loaded first
import {webcrypto} from 'node:crypto';
import {isIP} from 'node:net';
import {parentPort, workerData} from 'node:worker_threads';
import * as x509 from '@peculiar/x509';

export type CertificateWish = {readonly names: readonly string[]; readonly nowMs: number};

const DAY_MS = 86_400_000;
const CA_DAYS = 3650;
const SERVER_DAYS = 365;
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

const {names, nowMs} = workerData as CertificateWish;
const issuer = await issueCa(nowMs);
const server = await issueServer(issuer, names, nowMs);
parentPort?.postMessage({
  cert: server.cert.toString('pem'),
  key: await toPem(server.key),
  ca: issuer.cert.toString('pem'),
});
