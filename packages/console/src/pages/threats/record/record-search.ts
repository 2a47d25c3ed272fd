// SPDX-License-Identifier: Apache-2.0
/** The state of the page of one threat, as in its address, and the list that links to it. */
import {
  flag,
  oneOf,
  parseQuery,
  queryOf,
  readSearch,
  type SearchShape,
  text,
  writeSearch,
} from '../../../routing/search.ts';
import {EVERYWHERE} from '../../../scope/scope.ts';
import {THREATS_SEARCH, type ThreatsSearch} from '../model/list-search.ts';

export const DATA_TABS = ['payload', 'packet', 'event'] as const;
const BYTE_FORMS = ['hex', 'text'] as const;

export type RecordSearch = {
  /** Full resource name of the threat. */
  readonly name: string;
  /** The search of the list. */
  readonly back: string;
  readonly data: (typeof DATA_TABS)[number];
  readonly form: (typeof BYTE_FORMS)[number];
  /** The dialog that makes an exception is open. */
  readonly exception: boolean;
};

export const RECORD_SEARCH: SearchShape<RecordSearch> = {
  name: text(),
  back: text(),
  data: oneOf(DATA_TABS, 'payload'),
  form: oneOf(BYTE_FORMS, 'hex'),
  exception: flag(),
};

export const listSearch = (back: string): ThreatsSearch => {
  const search = readSearch(THREATS_SEARCH, parseQuery(back));
  return search.in === '' ? {...search, in: EVERYWHERE} : search;
};

/** The search of the list with another filter; nothing remains selected. */
export const backWith = (back: string, q: string): string =>
  queryOf(writeSearch(THREATS_SEARCH, parseQuery(back), {q, group: '', sort: '', mark: [], all: false}));
