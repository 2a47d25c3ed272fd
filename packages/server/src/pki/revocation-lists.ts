// SPDX-License-Identifier: Apache-2.0
/** Reads revocation lists. Loaded where certificates are made only: the library for it is large. */
import 'reflect-metadata'; // @peculiar/x509 needs it loaded first
import * as x509 from '@peculiar/x509';
import {serialNumberOf} from './serial-number.ts';

/** A serial number in hexadecimal, and when it was revoked, in milliseconds since 1970. */
export type Revoked = {readonly serial: string; readonly atMs: number};
/** PEM of revocation lists, and of the CAs of which one has to have signed each. */
export type ListWish = {readonly lists: string; readonly authorities: readonly string[]};
export type RevocationList = {
  /** PEM of the CA that signed it. */
  readonly authority: string;
  readonly revoked: readonly Revoked[];
  readonly nextUpdateMs?: number | undefined;
};
export type ListsRead = {readonly lists: readonly RevocationList[]} | {readonly fault: string};

const PEM_LIST = /-----BEGIN X509 CRL-----[\s\S]*?-----END X509 CRL-----/g;

/** The CA that signed a list. */
const signerOf = async (list: x509.X509Crl, authorities: readonly string[]): Promise<string | undefined> => {
  for (const authority of authorities) {
    const cert = new x509.X509Certificate(authority);
    if (cert.subject === list.issuer && (await list.verify({publicKey: cert}).catch(() => false))) return authority;
  }
  return undefined;
};

export const readLists = async ({lists, authorities}: ListWish): Promise<ListsRead> => {
  const found: RevocationList[] = [];
  for (const pem of lists.match(PEM_LIST) ?? []) {
    const number = found.length + 1;
    let list: x509.X509Crl;
    try {
      const [der] = x509.PemConverter.decode(pem);
      if (der === undefined) throw new Error('no PEM');
      list = new x509.X509Crl(der);
    } catch {
      return {fault: `revocation list number ${number} is damaged`};
    }
    const authority = await signerOf(list, authorities);
    if (authority === undefined)
      return {fault: `revocation list number ${number} is not signed by a CA for clients (its issuer: ${list.issuer})`};
    const revoked = list.entries.map(e => ({serial: serialNumberOf(e.serialNumber), atMs: e.revocationDate.getTime()}));
    found.push({authority, revoked, nextUpdateMs: list.nextUpdate?.getTime()});
  }
  return found.length === 0
    ? {fault: 'contains no revocation list in PEM form (-----BEGIN X509 CRL-----)'}
    : {lists: found};
};
