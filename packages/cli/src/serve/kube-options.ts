// SPDX-License-Identifier: Apache-2.0
import type {OptionTable} from '../command-line/options.ts';

/** Flags of `palisade serve` about Kubernetes kinds. */
export const kubeOptions = {
  'service-cluster-ip-range': {
    type: 'list',
    value: 'CIDR',
    inFile: 'words',
    doc: 'allocate Service addresses here, one per family (default 10.96.0.0/16)',
  },
  'service-node-port-range': {
    type: 'string',
    value: 'FIRST-LAST',
    default: '30000-32767',
    doc: 'allocate node ports of Services here',
  },
  'event-ttl': {
    type: 'string',
    value: 'AGE',
    default: '1h',
    doc: 'delete Events after AGE, such as 30m or 7d',
  },
  mirror: {
    type: 'string',
    value: 'WHICH',
    oneOf: ['always', 'services'],
    doc: 'mirror Endpoints to slices: all, or of Services (default: by --compat)',
  },
} as const satisfies OptionTable;
