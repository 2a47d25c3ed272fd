// SPDX-License-Identifier: Apache-2.0
/** The state of the page of one endpoint, as in its address. */
import {oneOf, type SearchShape, text} from '../../../routing/search.ts';
import {RANGES, type Range} from './figures.ts';

const TABS = ['overview', 'rules', 'exceptions', 'mirror', 'history'] as const;
export const TARGETS = ['linux', 'aws', 'gcp'] as const;
export const RULE_STATES = ['', 'ACTIVE', 'SKIPPED', 'REFUSED', 'DISABLED'] as const;

export type OneSearch = {
  readonly tab: (typeof TABS)[number];
  /** Of the charts. */
  readonly range: Range;
  /** Of the mirror set-up. */
  readonly target: (typeof TARGETS)[number];
  /** The interface in its commands for Linux. */
  readonly from: string;
  /** Words that rules are searched for. */
  readonly q: string;
  readonly rules: (typeof RULE_STATES)[number];
  /** Id of an operation whose failure is shown. */
  readonly operation: string;
};

export const ONE_SEARCH: SearchShape<OneSearch> = {
  tab: oneOf(TABS, 'overview'),
  range: oneOf(RANGES, '1h'),
  target: oneOf(TARGETS, 'linux'),
  from: text('eth0'),
  q: text(),
  rules: oneOf(RULE_STATES, ''),
  operation: text(),
};
