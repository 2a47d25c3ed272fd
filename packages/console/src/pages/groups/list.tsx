// SPDX-License-Identifier: Apache-2.0
/** All groups, or all registrations, live. */
import {type ReactNode, useMemo} from 'react';
import {isCounted, useApi, useKubeList} from '../../api/index.ts';
import {links} from '../../links.ts';
import {PageLink, useGo} from '../../routing/link.tsx';
import {type SetSearch, useSearchState} from '../../routing/use-search-state.ts';
import {LiveEmpty} from '../../scope/live-empty.tsx';
import {NamespaceField} from '../../scope/namespace-field.tsx';
import {
  Badge,
  byNumber,
  byText,
  Checkbox,
  type Column,
  counted,
  ErrorState,
  FilterBar,
  NameCell,
  PageHeader,
  ReadyRatio,
  sortRows,
  Tabs,
  Time,
  VirtualTable,
} from '../../ui/index.ts';
import css from './groups.module.css';
import {
  type GroupRow,
  isFailingGroup,
  isFailingRegistration,
  toGroupRow,
  toRegistrationRow,
} from './model/group-row.ts';
import {type EndpointGroup, type EndpointRegistration, GROUPS, REGISTRATIONS} from './model/kinds.ts';
import {GROUPS_SEARCH, type GroupsSearch, matchingGroups, matchingRegistrations} from './model/search.ts';
import {RegistrationsTable} from './registrations-table.tsx';

const COLUMNS: readonly Column<GroupRow>[] = [
  {id: 'name', title: 'Name', width: 144, grow: 3, compare: byText(row => row.name), cell: nameCell},
  {
    id: 'namespace',
    title: 'Namespace',
    width: 116,
    grow: 2,
    wideOnly: true,
    compare: byText(row => row.namespace),
    cell: row => <span title={row.namespace}>{row.namespace}</span>,
  },
  {
    id: 'ready',
    title: 'Ready',
    width: 136,
    compare: byNumber(({ready, total}) => (total === 0 ? 2 : ready / total)),
    cell: row => <ReadyRatio ready={row.ready} total={row.total} />,
  },
  {id: 'failing', title: 'Failing', width: 190, grow: 4, wideOnly: true, cell: failingCell},
  {
    id: 'ports',
    title: 'Ports',
    width: 120,
    wideOnly: true,
    cell: row => (row.ports === '' ? <span className="muted">of registrations</span> : row.ports),
  },
  {
    id: 'registered',
    title: 'Registered',
    width: 104,
    wideOnly: true,
    align: 'right',
    compare: byNumber(row => row.registered),
    cell: row => row.registered,
  },
  {
    id: 'age',
    title: 'Age',
    width: 64,
    align: 'right',
    compare: byNumber(row => -row.createdAt),
    cell: row => <Time at={row.created} form="age" />,
  },
];

function nameCell({namespace, name, deleting, problems}: GroupRow): ReactNode {
  const first = problems[0];
  return (
    <NameCell
      badge={
        deleting !== undefined ? (
          <Badge tone="warn">Deleting</Badge>
        ) : (
          first !== undefined && (
            <Badge tone={first.passing ? 'warn' : 'bad'} title={first.message}>
              {first.reason}
            </Badge>
          )
        )
      }
    >
      <PageLink to={links.group(namespace, name)} title={name}>
        {name}
      </PageLink>
    </NameCell>
  );
}

function failingCell({failing}: GroupRow): ReactNode {
  if (failing === '') return <span className="muted">–</span>;
  return (
    <span className="num" title={failing}>
      {failing}
    </span>
  );
}

type TabProps = {readonly search: GroupsSearch; readonly setSearch: SetSearch<GroupsSearch>};

export function Page(): ReactNode {
  const [search, setSearch] = useSearchState(GROUPS_SEARCH);
  const props = {search, setSearch};
  return (
    <>
      <PageHeader title="Groups and registrations" />
      <div className={css['fill']}>
        <Tabs
          label="Groups and registrations"
          value={search.tab}
          onChange={tab => setSearch({tab: tab as GroupsSearch['tab'], q: '', failing: false, sort: ''}, {push: true})}
          tabs={[
            {id: 'groups', label: 'Groups', content: <GroupsTab {...props} />},
            {id: 'registrations', label: 'Registrations', content: <RegistrationsTab {...props} />},
          ]}
        />
      </div>
    </>
  );
}

function GroupsTab({search, setSearch}: TabProps): ReactNode {
  const {kube} = useApi();
  const go = useGo();
  const client = useMemo(() => kube.resource<EndpointGroup>(GROUPS), [kube]);
  const list = useKubeList({id: 'groups', client, namespace: search.namespace, toRow: toGroupRow});
  const rows = useMemo(() => sortRows(matchingGroups(list.rows, search), COLUMNS, search.sort), [list.rows, search]);
  const failing = useMemo(() => list.rows.filter(isFailingGroup).length, [list.rows]);
  return (
    <>
      <Filters
        {...{search, setSearch, failing}}
        label="Filter groups"
        placeholder="Name or address"
        count={isCounted(list) ? counted(rows.length, list.rows.length, 'group') : undefined}
      />
      {list.phase === 'refused' ? (
        <ErrorState title="Groups cannot be listed" text={list.error ?? ''} onRetry={list.retry} />
      ) : (
        <VirtualTable
          label="Groups"
          columns={COLUMNS}
          rows={rows}
          rowKey={({namespace, name}) => `${namespace}/${name}`}
          sort={search.sort}
          onSort={sort => setSearch({sort})}
          onOpen={row => go(links.group(row.namespace, row.name))}
          empty={
            <LiveEmpty
              what="groups"
              list={list}
              text="A group composes Endpoints from members and takes out those whose checks fail."
              action={<code>kubectl create -f group.yaml</code>}
              namespace={search.namespace}
              onClear={() => setSearch({q: '', namespace: '', failing: false})}
            />
          }
        />
      )}
    </>
  );
}

function RegistrationsTab({search, setSearch}: TabProps): ReactNode {
  const {kube} = useApi();
  const go = useGo();
  const client = useMemo(() => kube.resource<EndpointRegistration>(REGISTRATIONS), [kube]);
  const list = useKubeList({id: 'registrations', client, namespace: search.namespace, toRow: toRegistrationRow});
  const rows = useMemo(() => matchingRegistrations(list.rows, search), [list.rows, search]);
  const failing = useMemo(() => list.rows.filter(isFailingRegistration).length, [list.rows]);
  return (
    <>
      <Filters
        {...{search, setSearch, failing}}
        label="Filter registrations"
        placeholder="Name, group, address or user"
        count={isCounted(list) ? counted(rows.length, list.rows.length, 'registration') : undefined}
      />
      {list.phase === 'refused' ? (
        <ErrorState title="Registrations cannot be listed" text={list.error ?? ''} onRetry={list.retry} />
      ) : (
        <RegistrationsTable
          rows={rows}
          sort={search.sort}
          onSort={sort => setSearch({sort})}
          onOpen={row => go(links.group(row.namespace, row.group, {tab: 'registrations', q: row.name}))}
          empty={
            <LiveEmpty
              what="registrations"
              list={list}
              text="Machines register themselves in a group and stay in it as long as they renew."
              action={<code>palisade register</code>}
              namespace={search.namespace}
              onClear={() => setSearch({q: '', namespace: '', failing: false})}
            />
          }
        />
      )}
    </>
  );
}

type FiltersProps = TabProps & {
  readonly label: string;
  readonly placeholder: string;
  readonly count: string | undefined;
  readonly failing: number;
};

function Filters({search, setSearch, label, placeholder, count, failing}: FiltersProps): ReactNode {
  const word = search.tab === 'groups' ? 'failing' : 'expired';
  return (
    <FilterBar {...{label, placeholder}} value={search.q} onChange={q => setSearch({q})}>
      <NamespaceField value={search.namespace} onChange={namespace => setSearch({namespace})} />
      <Checkbox
        label={`Only ${word}`}
        checked={search.failing}
        onChange={event => setSearch({failing: event.target.checked})}
      />
      {count !== undefined && <Badge plain>{count}</Badge>}
      {failing > 0 && (
        <Badge tone="bad">
          {failing} {word}
        </Badge>
      )}
    </FilterBar>
  );
}
