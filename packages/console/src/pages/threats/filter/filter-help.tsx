// SPDX-License-Identifier: Apache-2.0
import {fieldNames, THREAT_LIST} from '@palisade/ids-wire';
import type {ReactNode} from 'react';
import {FilterHelp, type FilterHelpProps} from '../../../records/filter-help.tsx';

const EXAMPLES: readonly (readonly [filter: string, meaning: string])[] = [
  ['sql injection', 'both words, in any text of the threat'],
  ['"sql injection"', 'these words in this order'],
  ['alert_severity>=HIGH', 'high and critical ones'],
  ['source_ip_address=10.0.0.0/8', 'an address or a block'],
  ['name:"scan" OR name:"probe"', 'a part of a text; either of two'],
  ['-destination_port=443', 'not this; NOT does the same'],
  ['acknowledged=false', 'those that nobody has acknowledged'],
  ['cves:"CVE-2021-44228"', 'an element of a list'],
  ['repeat_count>100', 'numbers have an order'],
];

const KEYS: readonly (readonly [key: string, does: string])[] = [
  ['F', 'filter by a value of the row'],
  ['Space', 'select the row'],
  ['Enter', 'open the threat'],
  ['A', 'acknowledge the selection, or the row'],
  ['E', 'escalate it'],
  ['C', 'comment on it'],
  ['P', 'pause or resume'],
];

const FIELDS = fieldNames(THREAT_LIST);

export const ThreatFilterHelp = (on: Pick<FilterHelpProps, 'onClose' | 'onUse'>): ReactNode => (
  <FilterHelp {...on} title="Search threats" examples={EXAMPLES} keys={KEYS} fields={FIELDS} />
);
