// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade certs …` and `palisade kubeconfig`, and what they have in common. */
import {X509Certificate} from 'node:crypto';
import {resolve} from 'node:path';
import {defaultDataDir} from '@palisade/server/data-folder';
import {readSeconds} from '../command-line/durations.ts';
import type {CliIo} from '../command-line/io.ts';
import {UsageError} from '../command-line/io.ts';
import type {OptionTable} from '../command-line/options.ts';
import {serveOptions} from '../serve/serve-options.ts';

const ofFolder = {
  data: serveOptions.data,
  json: {type: 'boolean', doc: 'print JSON, one object a line'},
} as const satisfies OptionTable;

const ofUser = {
  for: {type: 'string', value: 'USER', doc: 'name of the user, the common name of the certificate'},
  group: {type: 'list', value: 'GROUP', doc: 'group of the user, such as soc; may be repeated'},
  ttl: {type: 'string', value: 'DURATION', default: '90d', doc: 'let the certificate end after DURATION, such as 8h'},
} as const satisfies OptionTable;

export const showFlags = ofFolder;
export const issueFlags = {
  ...ofFolder,
  ...ofUser,
  out: {
    type: 'string',
    value: 'DIR|-',
    completes: 'folder',
    doc: 'write the files into this folder; -: print (default .)',
  },
} as const satisfies OptionTable;
export const rotateFlags = {
  ...ofFolder,
  ca: {type: 'boolean', doc: 'create another CA too'},
  overlap: {
    type: 'string',
    value: 'DURATION',
    doc: 'with --ca: keep the previous CA for DURATION, 0s: end it (default 30d)',
  },
} as const satisfies OptionTable;
export const revokeFlags = {
  ...ofFolder,
  user: {type: 'string', value: 'USER', doc: 'revoke all valid certificates that were issued for this user'},
} as const satisfies OptionTable;
export const kubeconfigFlags = {
  data: serveOptions.data,
  ...ofUser,
  ttl: {type: 'string', value: 'DURATION', doc: 'let the certificate end after DURATION, such as 8h (default 90d)'},
  token: {type: 'string', value: 'FILE|-', completes: 'file', doc: 'use the bearer token in this file, no certificate'},
  server: {type: 'string', value: 'URL', doc: 'address of the server (default: that of the data folder)'},
  ca: {type: 'string', value: 'FILE', completes: 'file', doc: 'trust this CA (default: that of the data folder)'},
  out: {type: 'string', value: 'FILE', completes: 'file', doc: 'write this file with mode 0600 (default: print)'},
  json: {type: 'boolean', doc: 'print JSON'},
} as const satisfies OptionTable;

export const folderOf = (data: string | undefined, {env, cwd}: CliIo): string =>
  data === undefined ? defaultDataDir(env) : resolve(cwd, data);

export const termOf = (cert: string) => {
  const {serialNumber: serial, validTo} = new X509Certificate(cert);
  return {serial, notAfter: new Date(validTo).toISOString()};
};

/** What is said of a certificate that no file of its own has. */
export const noteOf = (cert: string): string => {
  const {serial, notAfter} = termOf(cert);
  return `palisade: certificate ${serial} is valid until ${notAfter}; revoke it with palisade certs revoke ${serial}\n`;
};

const TTL = {least: 60, most: 3650 * 86_400};
export const TTL_DEFAULT = '90d';

/** Throws UsageError with all faults. */
export const clientOf = (
  {for: user, group, ttl}: {readonly for: string | undefined; readonly group: readonly string[]; readonly ttl: string},
  nowMs: number,
) => {
  const faults: string[] = [];
  if (user === undefined) faults.push('--for USER is missing: name the user');
  else if (user.trim() === '') faults.push('--for: is empty; name the user');
  if (group.some(name => name.trim() === '')) faults.push('--group: is empty; name the group, or leave it out');
  const seconds = readSeconds('ttl', ttl, TTL, faults);
  if (user === undefined || faults.length > 0) throw new UsageError(faults.join('\n'));
  return {commonName: user, organizations: [...new Set(group)], notAfterMs: nowMs + seconds * 1000};
};
