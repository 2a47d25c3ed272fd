// SPDX-License-Identifier: Apache-2.0
import {fieldNames, TRAFFIC_LIST} from '@palisade/ids-wire';
import type {ReactNode} from 'react';
import {RecordFilters, type RecordFiltersProps} from '../../records/record-filters.tsx';
import {FLOW_LIST_KEYS} from '../keys.ts';

const HELP: RecordFiltersProps['help'] = {
  examples: [
    ['source_ip_address=10.0.0.0/8', 'an address or a block'],
    ['total_bytes>1000000', 'more than a megabyte'],
    ['application=tls AND destination_port!=443', 'both; TLS on another port'],
    ['ip_protocol=udp OR ip_protocol=icmp', 'UDP or ICMP'],
    ['-application=dns', 'not this; NOT does the same'],
    ['elapsed_time>=3600', 'flows of an hour and more'],
  ],
  keys: [[['Enter'], 'Open the flow'], ...FLOW_LIST_KEYS.keys],
  fields: fieldNames(TRAFFIC_LIST),
};

export const Filters = (
  props: Pick<RecordFiltersProps, 'filter' | 'fault' | 'query' | 'look' | 'children'>,
): ReactNode => (
  <RecordFilters
    {...props}
    kind="traffic"
    rows="flows"
    placeholder="Words, or destination_port=443 AND total_bytes>1000000"
    help={HELP}
  />
);
