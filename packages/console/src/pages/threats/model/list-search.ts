// SPDX-License-Identifier: Apache-2.0
/** The state of the list of threats, as in its address. */

import {PRESETS, type RangeSearch} from '../../../records/time-range.ts';
import {flag, oneOf, type SearchShape, text, texts} from '../../../routing/search.ts';
import {endpointsField} from '../../../scope/scope.ts';

export const GROUPS = ['', 'threat', 'source', 'destination', 'severity', 'endpoint'] as const;
export type Grouping = (typeof GROUPS)[number];

export type ThreatsSearch = RangeSearch & {
  /** See endpointsField. */
  readonly in: string;
  /** AIP-160. */
  readonly q: string;
  readonly group: Grouping;
  /** Of groups: `last`, `-alerts`. */
  readonly sort: string;
  /** Rows that come are held back. */
  readonly paused: boolean;
  /** Names of the selected threats; those of larger selections are not in the address. */
  readonly mark: readonly string[];
  /** All that match are selected, not only those shown. */
  readonly all: boolean;
};

export const THREATS_SEARCH: SearchShape<ThreatsSearch> = {
  in: endpointsField(),
  q: text(),
  range: oneOf(PRESETS, '24h'),
  from: text(),
  to: text(),
  group: oneOf(GROUPS, ''),
  sort: text(),
  paused: flag(),
  mark: texts(),
  all: flag(),
};
