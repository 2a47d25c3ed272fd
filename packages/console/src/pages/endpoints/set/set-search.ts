// SPDX-License-Identifier: Apache-2.0
/** The state of the page of one set, as in its address. */
import {flag, oneOf, type SearchShape, text} from '../../../routing/search.ts';

const SET_TABS = ['members', 'slices', 'events', 'yaml', 'fields', 'audit', 'deletion'] as const;
export type SetTab = (typeof SET_TABS)[number];

export type SetSearch = {
  readonly tab: SetTab;
  /** The filter of the tab. */
  readonly q: string;
  /** Members: those that are not ready alone. */
  readonly failing: boolean;
  /** Of the table of the tab: `address`, `-since`. */
  readonly sort: string;
  /** The row whose details are shown: a member, or an audit entry. */
  readonly open: string;
  /** YAML: with managedFields. */
  readonly managed: boolean;
  /** YAML: how it is saved. */
  readonly save: 'replace' | 'apply';
  /** Fields: of this manager alone. */
  readonly manager: string;
};

export const SET_SEARCH: SearchShape<SetSearch> = {
  tab: oneOf(SET_TABS, 'members'),
  q: text(),
  failing: flag(),
  sort: text(),
  open: text(),
  managed: flag(),
  save: oneOf(['replace', 'apply'], 'replace'),
  manager: text(),
};

/** Another tab begins without the filters of the one before. */
export const ofTab = (tab: SetTab): Partial<SetSearch> => ({
  tab,
  q: '',
  failing: false,
  sort: '',
  open: '',
  manager: '',
});

/** What each tab gets. */
export type TabSearch = {
  readonly search: SetSearch;
  readonly setSearch: (patch: Partial<SetSearch>) => void;
};
