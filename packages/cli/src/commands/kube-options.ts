// SPDX-License-Identifier: Apache-2.0
import type {OptionTable} from '../command-line/options.ts';

/** Flags of `palisade serve` about Kubernetes kinds. */
export const kubeOptions = {
  'service-cluster-ip-range': {
    type: 'list',
    value: 'CIDR',
    inFile: 'words',
    doc: 'allocate addresses of Services here; a second one for the other IP family (default 10.96.0.0/16)',
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
    doc: 'mirror all Endpoints to EndpointSlices, or only those of a Service (default always; with --compat kubernetes services)',
  },
} as const satisfies OptionTable;
