// SPDX-License-Identifier: Apache-2.0
/** The state of the list of IDS endpoints, as in its address. */
import {flag, type SearchShape, text} from '../../../routing/search.ts';
import type {RowFilter} from './row.ts';

export type ListSearch = RowFilter & {
  /** See Scope; all projects need the right in all projects. */
  readonly project: string;
  /** `name`, `-threats`. */
  readonly sort: string;
  /** The dialog that creates one is open. */
  readonly create: boolean;
};

export const LIST_SEARCH: SearchShape<ListSearch> = {
  q: text(),
  project: text(),
  severity: text(),
  attention: flag(),
  sort: text(),
  create: flag(),
};
