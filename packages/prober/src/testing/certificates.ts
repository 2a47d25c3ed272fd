// SPDX-License-Identifier: Apache-2.0
import 'reflect-metadata'; // @peculiar/x509 needs it loaded first
import {webcrypto} from 'node:crypto';
import {isIP} from 'node:net';
import * as x509 from '@peculiar/x509';

const ALGORITHM = {name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256'} as const;
const DAY_MS = 86_400_000;

type Signer = {readonly cert: x509.X509Certificate; readonly key: webcrypto.CryptoKey};
/** PEM. */
export type Pair = {readonly cert: string; readonly key: string};

const keysOf = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;

const toPair = async ({cert, key}: Signer): Promise<Pair> => ({
  cert: cert.toString('pem'),
  key: x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY'),
});

export type Authority = {
  readonly ca: string;
  /** A certificate for these names and addresses; `days` from now until it expires, which may be over. */
  issue(names: readonly string[], days?: number): Promise<Pair>;
};

export const createAuthority = async (): Promise<Authority> => {
  const keys = await keysOf();
  const nowMs = performance.timeOrigin + performance.now();
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=test-ca',
    notBefore: new Date(nowMs - 30 * DAY_MS),
    notAfter: new Date(nowMs + 30 * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  return {
    ca: ca.toString('pem'),
    issue: async (names, days = 10) => {
      const own = await keysOf();
      const cert = await x509.X509CertificateGenerator.create({
        ...{subject: 'CN=test', issuer: ca.subject, signingAlgorithm: ALGORITHM},
        notBefore: new Date(nowMs - 20 * DAY_MS),
        notAfter: new Date(nowMs + days * DAY_MS),
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        extensions: [
          new x509.SubjectAlternativeNameExtension(names.map(value => ({type: isIP(value) > 0 ? 'ip' : 'dns', value}))),
        ],
      });
      return toPair({cert, key: own.privateKey});
    },
  };
};
