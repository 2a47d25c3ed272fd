// SPDX-License-Identifier: Apache-2.0
/** What there is to say about the certificates of a data folder. */
import {X509Certificate} from 'node:crypto';
import {missingNames, overlapOf, pathIn, readTexts, type Texts} from './certificates.ts';
import {readRevocationLists} from './client-files.ts';
import {type IssuedEntry, readIssued} from './issued-register.ts';
import type {Revoked} from './revocation-lists.ts';

const DAY_MS = 86_400_000;

export type CertificateFacts = {
  readonly name: 'ca' | 'previous-ca' | 'server' | 'admin';
  readonly subject: string;
  /** Names and addresses of a server. */
  readonly names: readonly string[];
  readonly issuer: string;
  /** RFC 3339. */
  readonly notBefore: string;
  readonly notAfter: string;
  /** Whole days; below 0: it has ended. */
  readonly daysLeft: number;
  /** SHA-256, hexadecimal. */
  readonly fingerprint: string;
  readonly serial: string;
  /** Of the previous CA: end of the overlap, RFC 3339. */
  readonly acceptedUntil?: string;
  readonly file: string;
};

/** `DNS:localhost, IP Address:127.0.0.1` → its names. */
export const namesOf = ({subjectAltName = ''}: X509Certificate): string[] =>
  subjectAltName.split(', ').flatMap(name => /^(?:DNS|IP Address):(.*)$/.exec(name)?.[1] ?? []);

const oneLine = (subject: string): string => subject.split('\n').join(', ');

const factsOf = (name: CertificateFacts['name'], pem: string, file: string, nowMs: number): CertificateFacts => {
  const certificate = new X509Certificate(pem);
  const endMs = Date.parse(certificate.validTo);
  return {
    name,
    subject: oneLine(certificate.subject),
    names: namesOf(certificate),
    issuer: oneLine(certificate.issuer),
    notBefore: new Date(certificate.validFrom).toISOString(),
    notAfter: new Date(endMs).toISOString(),
    daysLeft: Math.floor((endMs - nowMs) / DAY_MS),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    serial: certificate.serialNumber,
    file,
  };
};

/** The certificates that exist; `faults`: of those that are damaged. */
export const certificateFacts = async (dir: string, nowMs: number) => {
  const texts = await readTexts(dir);
  const overlap = overlapOf(texts, nowMs);
  const names = [
    ['ca', 'caCert'],
    ...(overlap === undefined ? [] : ([['previous-ca', 'previousCert']] as const)),
    ['server', 'cert'],
    ['admin', 'adminCert'],
  ] as const;
  const found: CertificateFacts[] = [];
  const faults: string[] = [];
  for (const [name, file] of names) {
    const text = texts[file];
    if (text === undefined) continue;
    try {
      const facts = factsOf(name, text, pathIn(dir, file), nowMs);
      const until = name === 'previous-ca' ? overlap?.untilMs : undefined;
      found.push(until === undefined ? facts : {...facts, acceptedUntil: new Date(until).toISOString()});
    } catch {
      faults.push(`${pathIn(dir, file)} is damaged; restart the server to create it again`);
    }
  }
  const revoked = await revokedIn(dir, texts);
  const authorities = found.flatMap(({name, fingerprint}) => (name.endsWith('ca') ? [fingerprint] : []));
  const isValid = ({serial, notAfter, ca}: IssuedEntry): boolean =>
    nowMs <= Date.parse(notAfter) && authorities.includes(ca) && !revoked.some(entry => entry.serial === serial);
  return {found, faults, revoked, issued: (await readIssued(dir)).filter(isValid)};
};

/** Whether clients that trust `ca` alone, as the server of the folder does, find no `host` in its own certificate. False with --tls-cert. */
export const serverLacks = async (dir: string, ca: string, host: string): Promise<boolean> => {
  const {caCert, cert} = await readTexts(dir);
  if (cert === undefined || caCert?.trim() !== ca.trim()) return false;
  try {
    return missingNames(cert, [host]).length > 0;
  } catch {
    return false; // a damaged one: the server creates it again
  }
};

/** Of all own CAs, each serial number once. Throws CommandError for a damaged list. */
export const revokedIn = async (dir: string, texts: Texts): Promise<readonly Revoked[]> => {
  if (texts.revoked === undefined) return [];
  const path = pathIn(dir, 'revoked');
  const authorities = [texts.caCert, texts.previousCert].filter(pem => pem !== undefined);
  const lists = await readRevocationLists(path, path, authorities);
  return [...new Map(lists.flatMap(({revoked}) => revoked).map(entry => [entry.serial, entry])).values()];
};
