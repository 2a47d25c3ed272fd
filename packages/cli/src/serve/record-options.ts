// SPDX-License-Identifier: Apache-2.0
import type {OptionTable} from '../command-line/options.ts';

const bytes = (what: string, size: string) =>
  ({
    type: 'string',
    value: 'SIZE',
    inFile: 'size',
    doc: `keep at most SIZE of ${what} (least 16MiB, default ${size})`,
  }) as const;
const age = (what: string, time: string) =>
  ({
    type: 'string',
    value: 'AGE',
    doc: `delete ${what} after AGE, such as 30d (least 1m, default ${time})`,
  }) as const;

/** Flags of `palisade serve` about threat and traffic records: what they hold, how much is kept, where they go. */
export const recordOptions = {
  'threats-bytes': bytes('threat records', '4GiB'),
  'threats-age': age('threat records', '90d'),
  'traffic-bytes': bytes('traffic records', '2GiB'),
  'traffic-age': age('traffic records', '30d'),
  'traffic-sample': {
    type: 'string',
    value: 'N',
    inFile: 'count',
    doc: 'record 1 of N flows of endpoints with traffic logs (default 1)',
  },
  evidence: {
    type: 'string',
    value: 'WHAT',
    oneOf: ['none', 'payload', 'pcap'],
    default: 'payload',
    doc: 'keep packet and payload of threats, or the packets of the flow',
  },
  'evidence-bytes': bytes('evidence of threats', '4GiB'),
  'evidence-age': age('evidence', '30d'),
  export: {
    type: 'list',
    value: 'URL',
    inFile: 'words',
    doc: 'send records to a syslog, webhook or OTLP receiver, or into a file',
  },
} as const satisfies OptionTable;
