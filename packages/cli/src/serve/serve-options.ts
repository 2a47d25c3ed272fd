// SPDX-License-Identifier: Apache-2.0
import type {OptionTable} from '../command-line/options.ts';
import {accessOptions} from './access-options.ts';
import {accountOptions} from './account-options.ts';
import {auditOptions} from './audit-options.ts';
import {backupOptions} from './backup-options.ts';
import {fairnessOptions} from './fairness-options.ts';
import {kubeOptions} from './kube-options.ts';
import {oidcOptions} from './oidc-options.ts';
import {recordOptions} from './record-options.ts';
import {sensorOptions} from './sensor-options.ts';

/** Flags of `palisade serve`. Contracts: design section 3. */
export const serveOptions = {
  config: {
    type: 'string',
    value: 'FILE',
    completes: 'file',
    env: 'PALISADE_CONFIG',
    inFile: 'none',
    doc: 'read what no flag gives from this YAML file',
  },
  'print-config': {
    type: 'boolean',
    inFile: 'none',
    doc: 'print every value and its origin as YAML, and start nothing',
  },
  json: {type: 'boolean', inFile: 'none', doc: 'with --print-config: print JSON'},
  data: {
    type: 'string',
    value: 'DIR',
    completes: 'folder',
    doc: 'use this data folder (default ~/.local/state/palisade)',
  },
  http: {
    type: 'string',
    value: 'HOST:PORT|off',
    doc: 'serve plain HTTP on loopback (default with --auth none: 127.0.0.1:8080)',
  },
  grpc: {
    type: 'string',
    value: 'HOST:PORT',
    doc: 'serve plaintext gRPC; may be the same address as --http',
  },
  auth: {
    type: 'string',
    value: 'MODE',
    oneOf: ['none'],
    leftOut: 'for client certificates and tokens, omit --auth',
    doc: 'accept every client as system:masters; loopback only',
  },
  'token-auth-file': {
    type: 'string',
    value: 'FILE',
    completes: 'file',
    doc: 'read CSV lines token,user,uid,"groups"; tokens may be sha256:HEX',
  },
  ...accessOptions,
  ...oidcOptions,
  console: {
    type: 'boolean',
    threeState: true,
    doc: 'serve the web console at /console/ (default; --console=false: do not)',
  },
  compat: {
    type: 'string',
    value: 'MODE',
    oneOf: ['spec', 'kubernetes'],
    default: 'spec',
    doc: 'follow the specification or Kubernetes where they differ',
  },
  apis: {
    type: 'string',
    value: 'WHICH',
    oneOf: ['all', 'kubernetes', 'ids'],
    default: 'all',
    doc: 'serve one API or both',
  },
  ...accountOptions,
  ...kubeOptions,
  ...sensorOptions,
  ...recordOptions,
  ...auditOptions,
  ...backupOptions,
  locations: {type: 'list', value: 'A,B', doc: 'additional locations (local and us-central1-a always exist)'},
  'sensors-at': {
    type: 'list',
    value: 'A,B',
    doc: 'attach sensors here only; others stay CREATING (default: everywhere)',
  },
  'endpoint-pool': {
    type: 'string',
    value: 'CIDR',
    default: '127.77.0.0/16',
    doc: 'allocate endpointIp from this IPv4 range; the host must answer it',
  },
  'quota-endpoints': {
    type: 'string',
    value: 'N',
    inFile: 'number',
    doc: 'allow at most N IDS endpoints per project (default: no quota)',
  },
  ...fairnessOptions,
  history: {
    type: 'string',
    value: 'AGE',
    default: '5m',
    doc: 'how far back reads and watches can go, at least 10s',
  },
  store: {
    type: 'string',
    value: 'URL',
    refused: 'not in this version; leave it out to use the embedded store in --data',
    doc: 'store objects here',
  },
  'metrics-node': {
    type: 'boolean',
    doc: 'show the internals of Node in /metrics too: event loop, heap, GC',
  },
  'log-level': {
    type: 'string',
    value: 'LEVEL',
    oneOf: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    doc: 'log JSON lines to stderr; debug also logs requests',
  },
} as const satisfies OptionTable;
