// SPDX-License-Identifier: Apache-2.0
/** Certificates, keys and revocation lists that users hand over as files. */
import 'reflect-metadata'; // @peculiar/x509 needs it loaded first
import {KeyObject, sign, webcrypto} from 'node:crypto';
import {CommandError} from '@palisade/server/errors';
import * as x509 from '@peculiar/x509';
import {clientAuthoritiesIn} from '../../../packages/server/src/pki/client-files.ts';
import {usablePair} from '../../../packages/server/src/pki/given-certificate.ts';
import {readLists} from '../../../packages/server/src/pki/revocation-lists.ts';
import {claim, target} from '../frame/target.ts';

const ALGORITHM = {name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256'} as const;

type Authority = {readonly pem: string; readonly key: KeyObject};

const makeAuthority = async (): Promise<Authority> => {
  const keys = (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const name = 'CN=palisade-ca';
  const made = await x509.X509CertificateGenerator.createSelfSigned({name, keys, signingAlgorithm: ALGORITHM});
  return {pem: made.toString('pem'), key: KeyObject.from(keys.privateKey)};
};

let made: Promise<Authority> | undefined;
/** Made once: what is decoded does not depend on its key. */
const authority = (): Promise<Authority> => {
  made ??= makeAuthority();
  return made;
};

const BIT_STRING = 0x03;
const SEQUENCE = 0x30;
/** ecdsa-with-SHA256. Ref: RFC 5758, section 3.2. */
const SIGNED_WITH = Buffer.from('300a06082a8648ce3d040302', 'hex');

const der = (tag: number, content: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([Buffer.from([tag, 0x84]), length, content]);
};

/** As a CA would sign these bytes: what is behind the check of the signature is reached. */
const signedList = (content: Buffer, key: KeyObject): string => {
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', content, key)]);
  const list = der(SEQUENCE, Buffer.concat([content, SIGNED_WITH, der(BIT_STRING, signature)]));
  return x509.PemConverter.encode(list, 'X509 CRL');
};

const read = async (lists: string): Promise<unknown> => {
  const {pem} = await authority();
  const answer = await readLists({lists, authorities: [pem]});
  if ('fault' in answer) {
    claim(/^[^\n]+$/.test(answer.fault), `the fault is no line: ${JSON.stringify(answer.fault)}`);
    return answer;
  }
  return answer.lists.map(({revoked, nextUpdateMs}) => {
    for (const {serial, atMs} of revoked) {
      claim(/^(?:[0-9A-F]{2})+$/.test(serial), `the serial number ${serial}`);
      claim(Number.isSafeInteger(atMs), `revoked at ${atMs}`);
    }
    claim(nextUpdateMs === undefined || Number.isSafeInteger(nextUpdateMs), `next update at ${nextUpdateMs}`);
    return {revoked, nextUpdateMs};
  });
};

const PEM_WORDS = [
  '-----BEGIN ',
  '-----END ',
  'CERTIFICATE-----',
  'X509 CRL-----',
  'PRIVATE KEY-----',
  '\n',
  '=',
  '\ufeff',
];

export const pkiTargets = [
  target({
    name: 'revocation-list',
    form: 'text',
    words: PEM_WORDS,
    seeds: [
      '-----BEGIN X509 CRL-----\n-----END X509 CRL-----\n',
      '-----BEGIN X509 CRL-----\nMAA=\n-----END X509 CRL-----',
    ],
    decode: input => read(input.toString()),
  }),
  target({
    name: 'revocation-list-entries',
    form: 'bytes',
    decode: async input => read(signedList(input, (await authority()).key)),
  }),
  target({
    name: 'client-authorities',
    form: 'text',
    also: ['key-pair'],
    words: PEM_WORDS,
    refusals: [CommandError],
    decode: input =>
      clientAuthoritiesIn(input.toString(), 'f').map(({pem, untilMs}) => {
        claim(Number.isSafeInteger(untilMs), `a CA that ends at ${untilMs}`);
        return {pem, untilMs};
      }),
    encode: found => found.map(({pem}) => pem).join('\n'),
  }),
  target({
    name: 'serving-pair',
    form: 'text',
    also: ['key-pair'],
    words: PEM_WORDS,
    refusals: [CommandError],
    decode: input => {
      const text = input.toString();
      const half = text.search(/-----BEGIN (?:[A-Z]+ )?PRIVATE/);
      const [cert, key] = [text.slice(0, half < 0 ? undefined : half), half < 0 ? '' : text.slice(half)];
      return usablePair({text: cert}, {text: key}, {certFile: 'c', keyFile: 'k'});
    },
  }),
];
