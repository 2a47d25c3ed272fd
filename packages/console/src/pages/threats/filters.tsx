// SPDX-License-Identifier: Apache-2.0
import {fieldNames, THREAT_LIST} from '@palisade/ids-wire';
import type {ReactNode} from 'react';
import {hasTerm, toggleTerm} from '../../records/filter-edit.ts';
import {FilterIcon} from '../../records/filter-icon.tsx';
import {RecordFilters, type RecordFiltersProps} from '../../records/record-filters.tsx';
import {Button, Menu} from '../../ui/index.ts';
import {THREAT_LIST_KEYS} from '../keys.ts';

type Frequent = {readonly label: string; readonly term: string};
const LEAST: readonly Frequent[] = [
  {label: 'Critical', term: 'alert_severity=CRITICAL'},
  {label: 'High and above', term: 'alert_severity>=HIGH'},
  {label: 'Medium and above', term: 'alert_severity>=MEDIUM'},
];
const STATES: readonly Frequent[] = [
  {label: 'Not acknowledged', term: 'acknowledged=false'},
  {label: 'Acknowledged', term: 'acknowledged=true'},
  {label: 'Escalated', term: 'escalated=true'},
];

const HELP: RecordFiltersProps['help'] = {
  examples: [
    ['sql injection', 'both words, in any text of the threat'],
    ['"sql injection"', 'these words in this order'],
    ['alert_severity>=HIGH', 'high and critical ones'],
    ['source_ip_address=10.0.0.0/8', 'an address or a block'],
    ['name:"scan" OR name:"probe"', 'the name contains "scan" or "probe"'],
    ['-destination_port=443', 'not this; NOT does the same'],
    ['acknowledged=false', 'those that nobody has acknowledged'],
    ['cves:"CVE-2021-44228"', 'an element of a list'],
    ['repeat_count>100', 'more than 100 alerts in one record'],
  ],
  keys: [[['Enter'], 'Open the threat'], ...THREAT_LIST_KEYS.keys],
  fields: fieldNames(THREAT_LIST),
};

export function Filters(
  props: Pick<RecordFiltersProps, 'filter' | 'fault' | 'query' | 'look' | 'children'>,
): ReactNode {
  const {filter, look} = props;
  const group = (title: string, all: readonly Frequent[]) => ({
    title,
    items: all.map(({label, term}) => ({
      label,
      checked: hasTerm(filter, term),
      onSelect: () => {
        const others = all.map(other => other.term);
        look({q: toggleTerm(filter, term, others)});
      },
    })),
  });
  return (
    <RecordFilters
      {...props}
      kind="threats"
      rows="threats"
      placeholder="Words, or alert_severity>=HIGH AND source_ip_address=10.0.0.0/8"
      help={HELP}
      terms={
        <Menu
          align="start"
          trigger={<Button icon={<FilterIcon />}>Filters</Button>}
          groups={[group('Severity', LEAST), group('State', STATES)]}
        />
      }
    />
  );
}
