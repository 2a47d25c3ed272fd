// SPDX-License-Identifier: Apache-2.0
/** Whether a certificate and a private key belong together, in Go's words. Ref: Go 1.26 crypto/tls/tls.go X509KeyPair, parsePrivateKey. */
import {CertificateError, certificateKey} from './certificate.ts';
import {pemBlocks} from './pem.ts';
import {type PrivateKey, privateKeyOf} from './private-key.ts';
import type {PublicKey} from './public-key.ts';

const CERTIFICATE = 'CERTIFICATE';
const KEY_SUFFIX = 'PRIVATE KEY';

/** Both in PEM. Undefined: a pair. */
export const keyPairFault = (certificatePem: Buffer, keyPem: Buffer): string | undefined => {
  const certificate = firstCertificate(certificatePem);
  if (typeof certificate === 'string') return certificate;
  const key = firstKey(keyPem);
  if (typeof key === 'string') return key;
  try {
    const own = certificateKey(certificate);
    return matchFault(own, privateKeyOf(key));
  } catch (error) {
    if (error instanceof CertificateError) return error.message;
    throw error;
  }
};

/** Or what is wrong. */
const firstCertificate = (pem: Buffer): Buffer | string => {
  const blocks = [...pemBlocks(pem)];
  const found = blocks.find(({type}) => type === CERTIFICATE);
  if (found !== undefined) return found.bytes;
  const [first, ...others] = blocks.map(({type}) => type);
  if (first === undefined) return 'tls: failed to find any PEM data in certificate input';
  if (others.length === 0 && first.endsWith(KEY_SUFFIX)) {
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${[first, ...others].join(' ')}]`;
};

/** Or what is wrong. */
const firstKey = (pem: Buffer): Buffer | string => {
  const skipped: string[] = [];
  for (const {type, bytes} of pemBlocks(pem)) {
    if (type === KEY_SUFFIX || type.endsWith(` ${KEY_SUFFIX}`)) return bytes;
    skipped.push(type);
  }
  if (skipped.length === 0) return 'tls: failed to find any PEM data in key input';
  if (skipped.length === 1 && skipped[0] === CERTIFICATE) {
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  }
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${skipped.join(' ')}]`;
};

const matchFault = (own: PublicKey | undefined, key: PrivateKey | string): string | undefined => {
  if (typeof key === 'string') return key;
  if (own === undefined || own.kind === 'dsa') return 'tls: unknown public key algorithm';
  if (key.kind !== own.kind) return 'tls: private key type does not match public key type';
  const fits = own.key !== undefined && key.publicKey.equals(own.key);
  return fits ? undefined : 'tls: private key does not match public key';
};
