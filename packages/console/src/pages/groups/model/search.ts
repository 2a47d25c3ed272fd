// SPDX-License-Identifier: Apache-2.0
/** The state of the pages of groups, as in their addresses. */
import {flag, oneOf, type SearchShape, text} from '../../../routing/search.ts';
import {type GroupRow, isFailingGroup, isFailingRegistration, type RegistrationRow} from './group-row.ts';

export type GroupsSearch = {
  readonly tab: 'groups' | 'registrations';
  readonly q: string;
  /** '' is all. */
  readonly namespace: string;
  readonly failing: boolean;
  readonly sort: string;
};

export const GROUPS_SEARCH: SearchShape<GroupsSearch> = {
  tab: oneOf(['groups', 'registrations'], 'groups'),
  q: text(),
  namespace: text(),
  failing: flag(),
  sort: text(),
};

export type GroupSearch = {
  readonly tab: 'members' | 'registrations';
  readonly q: string;
  readonly failing: boolean;
  readonly sort: string;
  /** The member whose checks are shown: its key. */
  readonly open: string;
};

export const GROUP_SEARCH: SearchShape<GroupSearch> = {
  tab: oneOf(['members', 'registrations'], 'members'),
  q: text(),
  failing: flag(),
  sort: text(),
  open: text(),
};

const wordsOf = (q: string): readonly string[] => q.toLowerCase().split(/\s+/).filter(Boolean);

export function matchingGroups(
  rows: readonly GroupRow[],
  {q, failing}: Pick<GroupsSearch, 'q' | 'failing'>,
): readonly GroupRow[] {
  const words = wordsOf(q);
  return rows.filter(
    row =>
      (!failing || isFailingGroup(row)) &&
      words.every(word => row.name.toLowerCase().includes(word) || row.addresses.includes(` ${word}`)),
  );
}

export function matchingRegistrations(
  rows: readonly RegistrationRow[],
  {q, failing}: Pick<GroupsSearch, 'q' | 'failing'>,
): readonly RegistrationRow[] {
  const words = wordsOf(q);
  return rows.filter(row => {
    const text = `${row.name} ${row.group} ${row.user} ${row.addresses.join(' ')}`.toLowerCase();
    return (!failing || isFailingRegistration(row)) && words.every(word => text.includes(word));
  });
}
