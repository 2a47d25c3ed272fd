// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {links} from '../../links.ts';
import {PageLink} from '../../routing/link.tsx';
import {Badge, byText, type Column, sortRows, Time, VirtualTable} from '../../ui/index.ts';
import type {RegistrationRow} from './model/group-row.ts';

const COLUMNS: readonly Column<RegistrationRow>[] = [
  {
    id: 'name',
    title: 'Registration',
    width: 120,
    grow: 5,
    compare: byText(row => row.name),
    cell: row => <span title={row.name}>{row.name}</span>,
  },
  {
    id: 'namespace',
    title: 'Namespace',
    width: 92,
    grow: 2,
    wideOnly: true,
    compare: byText(row => row.namespace),
    cell: row => <span title={row.namespace}>{row.namespace}</span>,
  },
  {
    id: 'group',
    title: 'Group',
    width: 100,
    grow: 4,
    compare: byText(row => row.group),
    cell: row => (
      <PageLink to={links.group(row.namespace, row.group)} title={row.group}>
        {row.group}
      </PageLink>
    ),
  },
  {id: 'state', title: 'State', width: 108, compare: byText(row => row.state), cell: stateCell},
  {
    id: 'since',
    title: 'Since',
    width: 64,
    wideOnly: true,
    compare: byText(row => row.since ?? ''),
    cell: row => <Time at={row.since} form="age" />,
  },
  {
    id: 'addresses',
    title: 'Addresses',
    width: 110,
    grow: 2,
    wideOnly: true,
    cell: row => (
      <span className="num" title={row.addresses.join(', ')}>
        {row.addresses.join(', ')}
      </span>
    ),
  },
  {
    id: 'ports',
    title: 'Own ports',
    width: 104,
    wideOnly: true,
    cell: row => (row.ports === '' ? <span className="muted">of the group</span> : row.ports),
  },
  {
    id: 'user',
    title: 'User',
    width: 72,
    grow: 1,
    wideOnly: true,
    compare: byText(row => row.user),
    cell: row => <span title={row.user}>{row.user}</span>,
  },
  {
    id: 'ttl',
    title: 'TTL',
    width: 66,
    wideOnly: true,
    align: 'right',
    cell: row => `${row.ttlSeconds}s`,
  },
];

function stateCell({state, draining, deleting}: RegistrationRow): ReactNode {
  if (deleting !== undefined) return <Badge tone="warn">Deleting</Badge>;
  if (state === 'Expired') return <Badge tone="bad">Expired</Badge>;
  if (draining) return <Badge tone="warn">Draining</Badge>;
  return state === 'Live' ? <Badge tone="ok">Live</Badge> : <span className="muted">–</span>;
}

export type RegistrationsTableProps = {
  readonly rows: readonly RegistrationRow[];
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly onOpen?: (row: RegistrationRow) => void;
  readonly empty: ReactNode;
};

export const RegistrationsTable = ({rows, sort, onSort, onOpen, empty}: RegistrationsTableProps): ReactNode => (
  <VirtualTable
    label="Registrations"
    dense
    columns={COLUMNS}
    rows={sortRows(rows, COLUMNS, sort)}
    rowKey={({namespace, name}) => `${namespace}/${name}`}
    sort={sort}
    onSort={onSort}
    {...(onOpen === undefined ? {} : {onOpen})}
    empty={empty}
  />
);
