// SPDX-License-Identifier: Apache-2.0
/** All IDS endpoints with their health, polled every few seconds. */
import {parseEndpointName} from '@palisade/client/browser';
import {type ReactNode, useMemo} from 'react';
import {errorText, isForbidden, usePermissionInAny} from '../../../api/index.ts';
import {links} from '../../../links.ts';
import {useGo} from '../../../routing/link.tsx';
import {type SetSearch, useSearchState} from '../../../routing/use-search-state.ts';
import {ProjectField} from '../../../scope/project-field.tsx';
import {locationOf, parentOf} from '../../../scope/scope.ts';
import {shownPart, useChooseScope, useScoped} from '../../../scope/use-scope.ts';
import {
  Badge,
  Button,
  Checkbox,
  counted,
  EmptyState,
  ErrorState,
  FilterBar,
  icons,
  Loading,
  PageHeader,
  SEVERITIES,
  Select,
  severityWord,
  sortRows,
  VirtualTable,
} from '../../../ui/index.ts';
import {LIST_SEARCH, type ListSearch} from '../model/list-search.ts';
import {type EndpointRow, matchingRows, needsAttention, toEndpointRow} from '../model/row.ts';
import {useEndpoints, useHealths, useRunning, useThreatSums} from '../queries.ts';
import {COLUMNS} from './columns.tsx';
import {CreateDialog} from './create-dialog.tsx';

const NONE: readonly never[] = [];

function useRows(project: string) {
  const list = useEndpoints(project);
  const endpoints = list.data ?? NONE;
  const names = useMemo(() => endpoints.map(({name = ''}) => name), [endpoints]);
  const parents = useMemo(() => [...new Set(names.map(locationOf))], [names]);
  const healths = useHealths(names);
  const {data: sums} = useThreatSums(project);
  const running = useRunning(parents);
  const rows = useMemo(
    () => endpoints.map(one => toEndpointRow(one, healths.get(one.name ?? ''), sums, running)),
    [endpoints, healths, sums, running],
  );
  return {list, rows};
}

export function Page(): ReactNode {
  const [own, setSearch] = useSearchState(LIST_SEARCH);
  const scoped = useScoped(own, setSearch);
  const search = useMemo(() => ({...scoped, project: shownPart(scoped.project)}), [scoped]);
  const {list, rows} = useRows(search.project);
  const go = useGo();
  const found = useMemo(() => matchingRows(rows, search), [rows, search]);
  const sorted = useMemo(() => sortRows(found, COLUMNS, search.sort), [found, search.sort]);
  const attention = useMemo(() => rows.filter(needsAttention).length, [rows]);
  const parents = useMemo(() => createParents(search.project, rows), [search.project, rows]);
  const create = usePermissionInAny(parents, 'ids.endpoints.create');
  // Those who may not list all projects may create in one that this page does not know.
  const whyDisabled =
    search.project === '' && (list.data === undefined || parents.length === PARENTS_MAX) ? undefined : create.why;
  const createButton = (
    <Button
      kind="primary"
      icon={<icons.PlusIcon />}
      whyDisabled={whyDisabled}
      onClick={() => setSearch({create: true}, {push: true})}
    >
      Create endpoint
    </Button>
  );
  return (
    <>
      <PageHeader
        title="IDS endpoints"
        aside={
          <>
            {list.data !== undefined && <Badge plain>{counted(found.length, rows.length)}</Badge>}
            {attention > 0 && <Badge tone="warn">{attention} need attention</Badge>}
          </>
        }
        actions={createButton}
      />
      <Filters search={search} setSearch={setSearch} />
      {list.data === undefined && list.error !== null ? (
        <Refused error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <VirtualTable
          label="IDS endpoints"
          columns={COLUMNS}
          rows={sorted}
          rowKey={keyOf}
          sort={search.sort}
          onSort={sort => setSearch({sort})}
          onOpen={row => go(links.idsEndpoint(row.project, row.location, row.id))}
          empty={
            list.isPending ? (
              <Loading label="Loading IDS endpoints" rows={8} />
            ) : rows.length > 0 ? (
              <NoMatch onClear={() => setSearch({q: '', severity: '', attention: false})} />
            ) : (
              <Nothing project={search.project} action={createButton} />
            )
          }
        />
      )}
      <CreateDialog
        open={search.create}
        project={search.project.split('/')[0] || (parseEndpointName(rows[0]?.name ?? '')?.project ?? '')}
        onClose={() => setSearch({create: false})}
      />
    </>
  );
}

/** Each one is a request. */
const PARENTS_MAX = 10;

/** Without a project, the right in one of those shown is enough: the dialog asks for the project, and whether it may be that one. */
const createParents = (project: string, rows: readonly EndpointRow[]): readonly string[] =>
  project === ''
    ? [parentOf(''), ...new Set(rows.map(({name}) => locationOf(name)))].slice(0, PARENTS_MAX)
    : [parentOf(project)];

const keyOf = ({name}: EndpointRow): string => name;

type FiltersProps = {readonly search: ListSearch; readonly setSearch: SetSearch<ListSearch>};

const SEVERITY_OPTIONS = [
  {value: '', label: 'Any severity'},
  ...SEVERITIES.map(value => ({value, label: severityWord(value)})),
];

function Filters({search, setSearch}: FiltersProps): ReactNode {
  const choose = useChooseScope(setSearch);
  return (
    <FilterBar
      label="Filter IDS endpoints"
      placeholder="Name, network, address, description or label"
      value={search.q}
      onChange={q => setSearch({q})}
    >
      <ProjectField value={search.project} onChange={project => choose({project})} />
      <Select
        label="Severity"
        hideLabel
        value={search.severity}
        onChange={event => setSearch({severity: event.target.value})}
        options={SEVERITY_OPTIONS}
      />
      <Checkbox
        label="Needs attention"
        checked={search.attention}
        onChange={event => setSearch({attention: event.target.checked})}
      />
    </FilterBar>
  );
}

function Refused({error, onRetry}: {readonly error: unknown; readonly onRetry: () => void}): ReactNode {
  const hint = isForbidden(error) ? '\nEnter a project above to see its endpoints only.' : '';
  return <ErrorState title="IDS endpoints cannot be listed" text={`${errorText(error)}${hint}`} onRetry={onRetry} />;
}

const NoMatch = ({onClear}: {readonly onClear: () => void}): ReactNode => (
  <EmptyState
    title="No IDS endpoints match"
    text="Change or clear the filters."
    action={<Button onClick={onClear}>Clear filters</Button>}
  />
);

const Nothing = ({project, action}: {readonly project: string; readonly action: ReactNode}): ReactNode => (
  <EmptyState
    title={project === '' ? 'There are no IDS endpoints yet' : `There are no IDS endpoints in project ${project}`}
    text="An IDS endpoint inspects the traffic that is mirrored to its address and reports threats."
    action={action}
  />
);
