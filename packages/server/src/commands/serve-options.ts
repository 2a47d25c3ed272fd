// SPDX-License-Identifier: Apache-2.0
import type {OptionTable} from '../cli/options.ts';

const NO_KERNEL_CAPTURE = 'not in this version: use relay, which needs no privilege, or auto';

/** Flags of `palisade serve`. Contracts: design section 3. */
export const serveOptions = {
  data: {
    type: 'string',
    value: 'DIR',
    doc: 'Data folder (default: $XDG_STATE_HOME/palisade, else ~/.local/state/palisade).',
  },
  http: {
    type: 'string',
    value: 'HOST:PORT|off',
    doc: 'Plain HTTP; loopback only (default: 127.0.0.1:8080 with --auth none, else off).',
  },
  https: {
    type: 'string',
    value: 'HOST:PORT',
    doc: 'HTTPS, with the certificate of --tls-cert, or one made by us in the data folder.',
  },
  grpc: {
    type: 'string',
    value: 'HOST:PORT',
    doc: 'Plaintext gRPC; may be the same address as --http (then one port serves both).',
  },
  auth: {
    type: 'string',
    value: 'MODE',
    oneOf: ['none'],
    leftOut: '--token-auth-file FILE then says who may log in',
    doc: 'none: every caller is system:masters; refused off loopback.',
  },
  'token-auth-file': {
    type: 'string',
    value: 'FILE',
    doc: 'CSV lines token,user,uid,"group1,group2"; a token may be sha256:HEX.',
  },
  'tls-cert': {type: 'string', value: 'FILE', doc: 'PEM certificate chain for --https; needs --tls-key.'},
  'tls-key': {type: 'string', value: 'FILE', doc: 'PEM private key for --https.'},
  compat: {
    type: 'string',
    value: 'MODE',
    oneOf: ['spec', 'kubernetes'],
    default: 'spec',
    doc: 'kubernetes switches every deliberate difference off.',
  },
  apis: {
    type: 'string',
    value: 'WHICH',
    oneOf: ['all', 'kubernetes', 'ids'],
    default: 'all',
    doc: 'Which side is served.',
  },
  driver: {
    type: 'string',
    value: 'NAME',
    oneOf: ['auto', 'relay'],
    notYet: {afpacket: NO_KERNEL_CAPTURE, 'afpacket-bpf': NO_KERNEL_CAPTURE},
    default: 'auto',
    doc: 'Capture driver of the sensors.',
  },
  rules: {type: 'list', value: 'FILE', doc: 'Suricata rule files instead of those that come with the product.'},
  'rules-min-loaded': {
    type: 'string',
    value: 'PERCENT',
    doc: 'Refuse a rule set of which less than this loads; refused rules are left out and listed (default 90).',
  },
  'rules-strict': {type: 'boolean', doc: 'Refuse a rule set with one refused rule.'},
  'home-net': {
    type: 'list',
    value: 'CIDR',
    doc: 'networks that rules take for yours, !CIDR to exclude; any (default: private and shared ranges, IPv4 and IPv6)',
  },
  'accept-any-vni': {
    type: 'boolean',
    doc: 'inspect mirrored packets whatever their VNI (default: the VNI of the endpoint only)',
  },
  locations: {type: 'list', value: 'A,B', doc: 'Locations beside local and us-central1-a.'},
  'sensors-at': {
    type: 'list',
    value: 'A,B',
    doc: 'Locations that have a sensor (default: every one). Endpoints elsewhere stay CREATING until one is attached.',
  },
  'endpoint-pool': {
    type: 'string',
    value: 'CIDR',
    default: '127.77.0.0/16',
    doc: 'IPv4 range that endpointIp is taken from; the host must answer it.',
  },
  'quota-endpoints': {
    type: 'string',
    value: 'N',
    doc: 'At most N IDS endpoints per project; with 0 none can be made (default: no quota).',
  },
  store: {
    type: 'string',
    value: 'URL',
    refused: 'not in this version: leave it out to use the embedded store in --data',
    doc: 'Where objects are kept.',
  },
  'log-level': {
    type: 'string',
    value: 'LEVEL',
    oneOf: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    doc: 'Logs go to stderr as JSON lines; with debug each request is one.',
  },
} as const satisfies OptionTable;
