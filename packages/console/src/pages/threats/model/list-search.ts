// SPDX-License-Identifier: Apache-2.0
/** What the list of threats shows, as it stands in its address. */
import {flag, oneOf, type SearchShape, text, texts} from '../../../routing/search.ts';
import {PRESETS, type RangeSearch} from './time-range.ts';

export const GROUPS = ['', 'threat', 'source', 'destination', 'severity', 'endpoint'] as const;
export type Grouping = (typeof GROUPS)[number];

export type ThreatsSearch = RangeSearch & {
  /** Full name of an IDS endpoint, whose parts may be `-`. */
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

export const EVERYWHERE = 'projects/-/locations/-/endpoints/-';
/** More names make an address that cannot be sent to a colleague. */
export const MARKS_IN_ADDRESS = 40;

const NAME = /^projects\/[^/?#\s]+\/locations\/[^/?#\s]+\/endpoints\/[^/?#\s]+$/;
const STEP = /(^|\/)\.{1,2}(\/|$)/;
export const isScope = (name: string): boolean => NAME.test(name) && !STEP.test(name);

const scope = (): SearchShape<ThreatsSearch>['in'] => {
  const plain = text(EVERYWHERE);
  return {
    read: all => {
      const name = plain.read(all);
      return isScope(name) ? name : EVERYWHERE;
    },
    write: plain.write,
  };
};

export const THREATS_SEARCH: SearchShape<ThreatsSearch> = {
  in: scope(),
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

/** Where rights are asked for: the endpoint, or its location when it stands for all of them. */
export const rightsParent = (name: string): string =>
  name.endsWith('/-') ? name.replace(/\/endpoints\/-$/, '') : name;
