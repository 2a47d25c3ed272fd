// SPDX-License-Identifier: Apache-2.0
/** Names and modes of our own certificates, in PKI_FOLDER of the data folder. */
import {AUTHORITY_FILE} from '../process/data-folder.ts';

export const FILES = {
  caKey: 'ca.key',
  caCert: AUTHORITY_FILE,
  key: 'server.key',
  cert: 'server.crt',
  adminKey: 'admin.key',
  adminCert: 'admin.crt',
  /** The CA before this one, for the time of their overlap, and its signature on the key of this one. */
  previousKey: 'previous-ca.key',
  previousCert: 'previous-ca.crt',
  cross: 'ca-cross.crt',
  /** Revocation lists of the CAs. */
  revoked: 'client.crl',
  /** Register of the client certificates of users. */
  issued: 'issued.jsonl',
  /** Written last after other files were replaced: a running server then reads all of them. */
  changed: 'changed',
} as const;
export type FileName = keyof typeof FILES;

export const SECRET_MODE = 0o600;
export const PUBLIC_MODE = 0o644;

/** Subject of the client certificate in the kubeconfig of the data folder. */
export const ADMIN = {commonName: 'palisade-admin', organizations: ['system:masters']} as const;
