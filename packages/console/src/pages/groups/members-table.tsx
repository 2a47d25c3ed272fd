// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {ageText, byNumber, byText, type Column, Squares, sortRows, Time, useNow, VirtualTable} from '../../ui/index.ts';
import type {MemberRow} from './model/member-row.ts';
import {StateBadge} from './state-badge.tsx';

const DASH = <span className="muted">–</span>;

const COLUMNS: readonly Column<MemberRow>[] = [
  {
    id: 'member',
    title: 'Member',
    width: 128,
    grow: 1,
    compare: byText(row => row.ip),
    cell: row => (
      <span className="num" title={row.host}>
        {row.ip}
      </span>
    ),
  },
  {id: 'port', title: 'Port', width: 96, compare: byText(row => row.port), cell: row => row.port},
  {
    id: 'state',
    title: 'State',
    width: 116,
    compare: byText(row => row.state),
    cell: row => <StateBadge {...row} />,
  },
  {
    id: 'since',
    title: 'Since',
    width: 76,
    wideOnly: true,
    compare: byNumber(row => -row.sinceAt),
    cell: row => <Time at={row.since} form="age" />,
  },
  {
    id: 'checks',
    title: 'Checks, newest at the right',
    width: 210,
    wideOnly: true,
    cell: row => (row.squares.length === 0 ? DASH : <Squares squares={row.squares} />),
  },
  {id: 'next', title: 'Next check', width: 92, wideOnly: true, cell: row => <Next at={row.next} />},
  {
    id: 'error',
    title: 'Last error',
    width: 120,
    grow: 3,
    wideOnly: true,
    cell: row => (row.lastError === '' ? DASH : <span title={row.lastError}>{row.lastError}</span>),
  },
  {
    id: 'registration',
    title: 'Registration',
    width: 126,
    grow: 1,
    wideOnly: true,
    compare: byText(row => row.registration ?? ''),
    cell: row => row.registration ?? DASH,
  },
];

/** A check that is late is under way, or waits for its place. */
function Next({at}: {readonly at: number | undefined}): ReactNode {
  const now = useNow();
  if (at === undefined) return DASH;
  return <span className="num">{at <= now + 1_000 ? 'now' : `in ${ageText(at - now)}`}</span>;
}

export type MembersTableProps = {
  readonly rows: readonly MemberRow[];
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly onOpen: (row: MemberRow) => void;
  readonly empty: ReactNode;
};

export const MembersTable = ({rows, sort, onSort, onOpen, empty}: MembersTableProps): ReactNode => (
  <VirtualTable
    label="Members"
    columns={COLUMNS}
    rows={sortRows(rows, COLUMNS, sort)}
    rowKey={({key}) => key}
    sort={sort}
    onSort={onSort}
    onOpen={onOpen}
    empty={empty}
  />
);
