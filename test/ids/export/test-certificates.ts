// SPDX-License-Identifier: Apache-2.0
/** A CA with certificates for a server and for a client below it. */
import 'reflect-metadata';
import {webcrypto} from 'node:crypto';
import * as x509 from '@peculiar/x509';

const ALGORITHM = {name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256'} as const;
const HOUR_MS = 3_600_000;

/** PEM. */
export type Pair = {readonly cert: string; readonly key: string};

export const makeCertificates = async (
  serverName: string,
): Promise<{readonly ca: string; readonly server: Pair; readonly client: Pair}> => {
  const keysOf = async () =>
    (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const times = {notBefore: new Date(Date.now() - HOUR_MS), notAfter: new Date(Date.now() + HOUR_MS)};
  const caKeys = await keysOf();
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=test-ca',
    ...times,
    signingAlgorithm: ALGORITHM,
    keys: caKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  const pairOf = async (name: string, use: x509.ExtendedKeyUsageType): Promise<Pair> => {
    const keys = await keysOf();
    const cert = await x509.X509CertificateGenerator.create({
      subject: `CN=${name}`,
      issuer: ca.subject,
      ...times,
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: caKeys.privateKey,
      extensions: [
        new x509.ExtendedKeyUsageExtension([use]),
        new x509.SubjectAlternativeNameExtension([{type: 'dns', value: name}]),
      ],
    });
    const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
    return {cert: cert.toString('pem'), key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY')};
  };
  return {
    ca: ca.toString('pem'),
    server: await pairOf(serverName, x509.ExtendedKeyUsage.serverAuth),
    client: await pairOf('client', x509.ExtendedKeyUsage.clientAuth),
  };
};
