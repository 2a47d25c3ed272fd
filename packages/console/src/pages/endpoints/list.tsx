// SPDX-License-Identifier: Apache-2.0
/** All sets of endpoints, live. */
import {type ReactNode, useMemo} from 'react';
import {isCounted, useApi, useKubeList, useRight, useRights, whyInNone} from '../../api/index.ts';
import {links} from '../../links.ts';
import {PageLink, useGo} from '../../routing/link.tsx';
import {useSearchState} from '../../routing/use-search-state.ts';
import {LiveEmpty} from '../../scope/live-empty.tsx';
import {NamespaceSelect, useNamespaceNames} from '../../scope/namespace-field.tsx';
import {
  Badge,
  Button,
  byNumber,
  byText,
  Checkbox,
  type Column,
  counted,
  ErrorState,
  FilterBar,
  icons,
  NameCell,
  PageHeader,
  ReadyRatio,
  sortRows,
  Time,
  TwoLines,
  useIsNarrow,
  VirtualTable,
} from '../../ui/index.ts';
import {endWords, LIST_SEARCH, type ListSearch, matching} from './list-search.ts';
import {type EndpointsRow, isFailing, toEndpointsRow} from './row.ts';

const keyOf = ({namespace, name}: EndpointsRow): string => `${namespace}/${name}`;
const openShare = ({ready, total}: EndpointsRow): number => (total === 0 ? 2 : ready / total);

const COLUMNS: readonly Column<EndpointsRow>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 144,
    grow: 5,
    compare: byText(row => row.name),
    cell: row => <Name row={row} />,
  },
  {
    id: 'namespace',
    title: 'Namespace',
    width: 116,
    grow: 3,
    wideOnly: true,
    compare: byText(row => row.namespace),
    cell: row => <span title={row.namespace}>{row.namespace}</span>,
  },
  {
    id: 'ready',
    title: 'Ready',
    width: 136,
    compare: byNumber(openShare),
    cell: row => <ReadyRatio ready={row.ready} total={row.total} />,
  },
  {
    id: 'ports',
    title: 'Ports',
    width: 160,
    grow: 4,
    wideOnly: true,
    cell: portsCell,
  },
  {id: 'failing', title: 'Failing addresses', width: 180, grow: 4, wideOnly: true, cell: failingCell},
  {
    id: 'age',
    title: 'Age',
    width: 64,
    align: 'right',
    compare: byNumber(row => -row.createdAt),
    cell: row => <Time at={row.created} form="age" />,
  },
];

/** On a narrow screen with the namespace, which has no column there. */
function Name({row: {namespace, name, deleting}}: {readonly row: EndpointsRow}): ReactNode {
  const isNarrow = useIsNarrow();
  const link = (
    <PageLink to={links.endpoints(namespace, name)} title={name}>
      {name}
    </PageLink>
  );
  return (
    <NameCell
      badge={
        deleting !== undefined && (
          <Badge tone="warn" title={`deleted at ${deleting}, still blocked`}>
            Deleting
          </Badge>
        )
      }
    >
      {isNarrow ? <TwoLines below={namespace}>{link}</TwoLines> : link}
    </NameCell>
  );
}

function portsCell({ports}: EndpointsRow): ReactNode {
  if (ports === '') return <span className="muted">–</span>;
  return (
    <span className="num" title={ports}>
      {ports}
    </span>
  );
}

function failingCell(row: EndpointsRow): ReactNode {
  if (!isFailing(row)) return <span className="muted">–</span>;
  const more = row.total - row.ready - row.failing.length;
  const text = `${row.failing.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return (
    <span className="num" title={text}>
      {text}
    </span>
  );
}

export function Page(): ReactNode {
  const {kube} = useApi();
  const [search, setSearch] = useSearchState(LIST_SEARCH);
  // Of one namespace, the server sends that one alone; many users may read no other.
  const list = useKubeList({
    id: 'endpoints',
    client: kube.endpoints,
    namespace: search.namespace,
    toRow: toEndpointsRow,
  });
  const namespaces = useNamespaces(list.rows);
  const go = useGo();
  const found = useMemo(() => matching(list.rows, search), [list.rows, search]);
  const sorted = useMemo(() => sortRows(found, COLUMNS, search.sort), [found, search.sort]);
  const failing = useMemo(() => list.rows.filter(isFailing).length, [list.rows]);
  return (
    <>
      <PageHeader
        title="Endpoints"
        aside={
          <>
            {isCounted(list) && <Badge plain>{counted(found.length, list.rows.length)}</Badge>}
            {failing > 0 && <Badge tone="bad">{failing} failing</Badge>}
          </>
        }
        actions={<CreateButton namespace={search.namespace} namespaces={namespaces} />}
      />
      <Filters {...{namespaces, search, setSearch}} />
      {list.phase === 'refused' ? (
        <ErrorState title="Endpoints cannot be listed" text={list.error ?? ''} onRetry={list.retry} />
      ) : (
        <VirtualTable
          label="Endpoints"
          columns={COLUMNS}
          rows={sorted}
          rowKey={keyOf}
          sort={search.sort}
          onSort={sort => setSearch({sort})}
          onOpen={row => go(links.endpoints(row.namespace, row.name))}
          empty={
            <LiveEmpty
              what="endpoints"
              list={list}
              text="They appear here when a program, kubectl or a group creates them."
              action={<code>kubectl create -f endpoints.yaml</code>}
              namespace={search.namespace}
              onClear={() => setSearch({q: '', namespace: '', label: [], port: undefined, failing: false})}
            />
          }
        />
      )}
    </>
  );
}

/** Namespaces that are asked about, one request each; where there are more, the server decides. */
const ASKED_NAMESPACES = 20;

function CreateButton({
  namespace,
  namespaces,
}: {
  readonly namespace: string;
  readonly namespaces: readonly string[];
}): ReactNode {
  const go = useGo();
  const create = {verb: 'create', resource: 'endpoints'} as const;
  const here = useRight({...create, ...(namespace === '' ? {} : {namespace})});
  // Users without the right in all namespaces may have it in one, which is chosen later.
  const asked = namespace === '' && here.allowed === false && namespaces.length <= ASKED_NAMESPACES ? namespaces : [];
  const inOne = useRights(asked.map(one => ({...create, namespace: one})));
  const isUnknown = namespace === '' && here.allowed === false && asked.length === 0;
  const search = namespace === '' ? {} : {namespace};
  return (
    <Button
      kind="primary"
      icon={<icons.PlusIcon />}
      whyDisabled={isUnknown ? undefined : whyInNone(here, inOne)}
      onClick={() => go(links.endpointsCreate(search))}
    >
      Create
    </Button>
  );
}

type FiltersProps = {
  readonly namespaces: readonly string[];
  readonly search: ListSearch;
  readonly setSearch: (patch: Partial<ListSearch>) => void;
};

/** All that the user may list; where that is refused, those of the rows. */
function useNamespaces(rows: readonly EndpointsRow[]): readonly string[] {
  const {names} = useNamespaceNames();
  return useMemo(() => names ?? [...new Set(rows.map(({namespace}) => namespace))].sort(), [names, rows]);
}

function Filters({namespaces, search, setSearch}: FiltersProps): ReactNode {
  const end = (typed: string): string => {
    const ended = endWords(typed, search);
    if (ended === undefined) return typed;
    setSearch(ended);
    return ended.q;
  };
  const chips = [
    ...search.label.map(one => ({
      id: one,
      text: one,
      onRemove: () => setSearch({label: search.label.filter(other => other !== one)}),
    })),
    ...(search.port === undefined
      ? []
      : [{id: 'port', text: `port ${search.port}`, onRemove: () => setSearch({port: undefined})}]),
  ];
  return (
    <FilterBar
      label="Filter endpoints"
      placeholder="Name, address, label (app=web) or port (:8080)"
      value={search.q}
      onChange={q => setSearch({q})}
      onEnd={end}
      chips={chips}
    >
      <NamespaceSelect names={namespaces} value={search.namespace} onChange={namespace => setSearch({namespace})} />
      <Checkbox
        label="Only failing"
        checked={search.failing}
        onChange={event => setSearch({failing: event.target.checked})}
      />
    </FilterBar>
  );
}
