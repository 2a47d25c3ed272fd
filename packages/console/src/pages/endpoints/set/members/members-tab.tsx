// SPDX-License-Identifier: Apache-2.0
import type {Endpoints} from '@palisade/client/browser';
import {keepPreviousData, useQuery} from '@tanstack/react-query';
import {type ReactNode, useMemo} from 'react';
import {errorText, useApi} from '../../../../api/index.ts';
import {
  Badge,
  Button,
  byNumber,
  byText,
  Checkbox,
  type Column,
  counted,
  EmptyState,
  FilterBar,
  Squares,
  sortRows,
  Time,
  VirtualTable,
} from '../../../../ui/index.ts';
import {pollMsOf, squaresOf} from '../../../groups/model/checks.ts';
import {type EndpointGroup, GROUPS} from '../../../groups/model/kinds.ts';
import css from '../set.module.css';
import type {TabSearch} from '../set-search.ts';
import {groupOf} from './group.ts';
import {MemberDialog} from './member-dialog.tsx';
import {type MemberRow, matchingMembers, membersOf, STATE_WORD} from './members.ts';

const TONE = {ready: 'ok', failing: 'bad', absent: 'neutral'} as const;
const MemberState = ({state}: Pick<MemberRow, 'state'>): ReactNode => (
  <Badge tone={TONE[state]}>{STATE_WORD[state]}</Badge>
);
const dash = <span className="muted">–</span>;
const orDash = (text: string): ReactNode => (text === '' ? dash : <span title={text}>{text}</span>);

const ADDRESS: Column<MemberRow> = {
  id: 'address',
  title: 'Address',
  width: 132,
  grow: 3,
  compare: byText(row => row.address),
  cell: row => (
    <span className="num" title={row.address}>
      {row.address}
    </span>
  ),
};
const STATE: Column<MemberRow> = {
  id: 'state',
  title: 'State',
  width: 128,
  compare: byText(row => row.state),
  cell: row => <MemberState state={row.state} />,
};
const PORTS: Column<MemberRow> = {
  id: 'ports',
  title: 'Ports',
  width: 150,
  grow: 5,
  wideOnly: true,
  cell: row => (
    <span className="num" title={row.ports}>
      {row.ports}
    </span>
  ),
};
const WHERE: readonly Column<MemberRow>[] = [
  {id: 'hostname', title: 'Hostname', width: 110, grow: 3, wideOnly: true, cell: row => orDash(row.hostname)},
  {id: 'node', title: 'Node', width: 90, grow: 3, wideOnly: true, cell: row => orDash(row.node)},
  {id: 'target', title: 'Target', width: 110, grow: 3, wideOnly: true, cell: row => orDash(row.target)},
];
/** Of sets without a group: the API has no times and no reasons for them. */
const PLAIN: readonly Column<MemberRow>[] = [ADDRESS, STATE, PORTS, ...WHERE];
const CHECKED: readonly Column<MemberRow>[] = [
  ADDRESS,
  STATE,
  {...PORTS, width: 110, grow: 3},
  {
    id: 'since',
    title: 'Since',
    width: 84,
    compare: byNumber(row => -row.sinceAt),
    cell: row => <Time at={row.since} form="age" />,
  },
  {
    id: 'checks',
    title: 'Checks',
    width: 208,
    wideOnly: true,
    cell: row => (row.results.length === 0 ? dash : <Squares squares={squaresOf(row.results)} />),
  },
  {id: 'reason', title: 'Reason', width: 160, grow: 6, wideOnly: true, cell: row => orDash(row.reason)},
  // Members of groups have no target.
  ...WHERE.slice(1, 2),
];

const keyOf = ({key}: MemberRow): string => key;

export function MembersTab({object, search, setSearch}: TabSearch & {readonly object: Endpoints}): ReactNode {
  const group = useGroup(object);
  const isChecked = groupOf(object) !== undefined;
  const columns = isChecked ? CHECKED : PLAIN;
  const rows = useMemo(() => membersOf(object, group.data), [object, group.data]);
  const shown = useMemo(
    () => sortRows(matchingMembers(rows, search.q, search.failing), columns, search.sort),
    [rows, search.q, search.failing, search.sort, columns],
  );
  const open = search.open === '' ? undefined : rows.find(({key}) => key === search.open);
  return (
    <>
      <FilterBar
        label="Filter members"
        placeholder="Address, hostname, node, target, port or reason"
        value={search.q}
        onChange={q => setSearch({q})}
      >
        <Checkbox
          label="Only not ready"
          checked={search.failing}
          onChange={event => setSearch({failing: event.target.checked})}
        />
        <span className="muted num" role="status">
          {counted(shown.length, rows.length, 'member')}
        </span>
      </FilterBar>
      {group.error !== null && (
        <p className="muted" role="status">
          Checks are not shown. {errorText(group.error)}
        </p>
      )}
      <div className={css['table']}>
        <VirtualTable
          label="Members"
          columns={columns}
          rows={shown}
          rowKey={keyOf}
          sort={search.sort}
          onSort={sort => setSearch({sort})}
          onOpen={row => setSearch({open: row.key})}
          empty={
            rows.length === 0 ? (
              <EmptyState title="This set has no addresses" text="Add some in the YAML tab, or with a client." />
            ) : (
              <EmptyState
                title="No members match"
                action={<Button onClick={() => setSearch({q: '', failing: false})}>Clear filters</Button>}
              />
            )
          }
        />
      </div>
      <MemberDialog row={open} isChecked={isChecked} onClose={() => setSearch({open: ''})} />
    </>
  );
}

/** The group that composes the set, with fresh results of its checks; no request without a group. */
function useGroup(object: Endpoints) {
  const {kube} = useApi();
  const owner = groupOf(object);
  const {namespace = '', resourceVersion} = object.metadata ?? {};
  return useQuery({
    queryKey: ['endpoint-group', namespace, owner?.name, resourceVersion],
    queryFn: ({signal}) => kube.resource<EndpointGroup>(GROUPS).get(namespace, owner?.name ?? '', {signal}),
    enabled: owner !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: query => (query.state.status === 'error' ? false : pollMsOf(query.state.data)),
  });
}
