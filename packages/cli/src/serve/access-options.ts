// SPDX-License-Identifier: Apache-2.0
import type {OptionTable} from '../command-line/options.ts';

/** Flags of `palisade serve` about HTTPS and certificates. */
export const accessOptions = {
  https: {
    type: 'string',
    value: 'HOST:PORT|off',
    doc: 'serve HTTPS and gRPC over TLS (default 127.0.0.1:6443; see notes)',
  },
  'tls-cert': {
    type: 'string',
    value: 'FILE',
    completes: 'file',
    doc: 'use this PEM certificate chain for --https; needs --tls-key',
  },
  'tls-key': {type: 'string', value: 'FILE', completes: 'file', doc: 'use this PEM private key for --https'},
  'tls-names': {
    type: 'list',
    value: 'NAME,…',
    doc: 'also put these names or addresses into our own certificate',
  },
  'client-ca-file': {
    type: 'string',
    value: 'FILE',
    completes: 'file',
    doc: 'also accept client certificates of these PEM CAs',
  },
  'client-crl-file': {
    type: 'string',
    value: 'FILE',
    completes: 'file',
    doc: 'refuse what these PEM lists of the --client-ca-file CAs revoke',
  },
} as const satisfies OptionTable;
