// SPDX-License-Identifier: Apache-2.0
/** One IDS endpoint: from its creation, whose progress is shown here, to its deletion. */
import type {IdsEndpoint, Operation} from '@palisade/client/browser';
import {isIdsError} from '@palisade/client/browser';
import {type ReactNode, useEffect, useRef, useState} from 'react';
import {errorText, usePermission} from '../../../api/index.ts';
import {links} from '../../../links.ts';
import {PageLink, useGo} from '../../../routing/link.tsx';
import {type SetSearch, usePathParams, useSearchState} from '../../../routing/use-search-state.ts';
import {
  Badge,
  Button,
  EmptyState,
  ErrorState,
  Loading,
  PageHeader,
  SeverityBadge,
  type Tab,
  Tabs,
  toast,
} from '../../../ui/index.ts';
import css from '../ids-endpoints.module.css';
import {healthWord, stateWord} from '../model/health.ts';
import {ONE_SEARCH, type OneSearch} from '../model/one-search.ts';
import {newestDeletion, shownOperation} from '../model/operations.ts';
import {useAskAgain, useEndpoint, useHealth, useOperations} from '../queries.ts';
import {DeleteDialog} from './delete-dialog.tsx';
import {ExceptionsTab} from './exceptions-tab.tsx';
import {HistoryTab} from './history-tab.tsx';
import {MirrorTab} from './mirror-tab.tsx';
import {OperationBanner} from './operation-banner.tsx';
import {OverviewTab} from './overview-tab.tsx';
import {RulesTab} from './rules-tab.tsx';

export function Page(): ReactNode {
  const {project, location, endpoint: id} = usePathParams('project', 'location', 'endpoint');
  const name = `projects/${project}/locations/${location}/endpoints/${id}`;
  const [search, setSearch] = useSearchState(ONE_SEARCH);
  const endpoint = useEndpoint(name);
  const operations = useOperations(name);
  const [isDeleting, setDeleting] = useState(false);
  useNewsAtEnd(name, operations.data ?? []);
  const shown = shownOperation(operations.data ?? [], search.operation);
  const isGone = isIdsError(endpoint.error, 'NOT_FOUND');
  const current = isGone ? undefined : endpoint.data;
  const isLeaving = useLeaveWhenDeleted(name, {
    isGone,
    isThere: current !== undefined,
    operations: operations.data ?? [],
  });
  return (
    <>
      <PageHeader
        trail={
          <>
            <PageLink to={links.idsEndpointsList()}>IDS endpoints</PageLink> /{' '}
            <PageLink to={links.idsEndpointsList({project})}>{project}</PageLink> / {location}
          </>
        }
        title={id}
        aside={current !== undefined && <States name={name} endpoint={current} />}
        actions={current !== undefined && <Actions name={name} endpoint={current} onDelete={() => setDeleting(true)} />}
      />
      {shown !== undefined && (
        <OperationBanner name={name} operation={shown} onDismiss={() => setSearch({operation: ''})} />
      )}
      {current !== undefined ? (
        <EndpointTabs {...{name, endpoint: current, operations: operations.data ?? [], search, setSearch}} />
      ) : isGone && !isLeaving ? (
        <Gone name={name} />
      ) : endpoint.error !== null && !isGone ? (
        <ErrorState
          title="The endpoint cannot be shown"
          text={errorText(endpoint.error)}
          onRetry={() => void endpoint.refetch()}
        />
      ) : (
        <Loading label="Loading the endpoint" rows={10} />
      )}
      {isDeleting && <DeleteDialog name={name} onClose={() => setDeleting(false)} />}
    </>
  );
}

/** When an operation ends, the endpoint is read again at once. */
function useNewsAtEnd(name: string, operations: readonly Operation[]): void {
  const askAgain = useAskAgain(name);
  const running = operations.filter(({done}) => done !== true).length;
  const before = useRef(running);
  useEffect(() => {
    if (running < before.current) void askAgain();
    before.current = running;
  }, [running, askAgain]);
}

function States({name, endpoint}: {readonly name: string; readonly endpoint: IdsEndpoint}): ReactNode {
  const {data: health} = useHealth(name);
  const state = stateWord(endpoint.state ?? '');
  const sensor = health === undefined ? undefined : healthWord(health.status);
  return (
    <>
      <SeverityBadge severity={endpoint.severity ?? ''} />
      <Badge tone={state.tone}>{state.word}</Badge>
      {sensor !== undefined && <Badge tone={sensor.tone}>{sensor.word}</Badge>}
    </>
  );
}

type Presence = {readonly isGone: boolean; readonly isThere: boolean; readonly operations: readonly Operation[]};

/** Goes to the list as soon as the endpoint that was shown here is deleted. Whether that is so, or about to be. */
function useLeaveWhenDeleted(name: string, {isGone, isThere, operations}: Presence): boolean {
  const go = useGo();
  const shown = useRef('');
  if (isThere) shown.current = name;
  const deletion = isGone && shown.current === name ? newestDeletion(operations) : undefined;
  const isDeleted = deletion?.done === true;
  useEffect(() => {
    if (!isDeleted) return;
    toast('ok', `IDS endpoint ${name.split('/').at(-1)} deleted. Its stored records stay readable.`);
    go(links.idsEndpointsList());
  }, [isDeleted, name, go]);
  return deletion !== undefined;
}

type ActionsProps = {readonly name: string; readonly endpoint: IdsEndpoint; readonly onDelete: () => void};

function Actions({name, endpoint, onDelete}: ActionsProps): ReactNode {
  const remove = usePermission(name, 'ids.endpoints.delete');
  const why = endpoint.state === 'DELETING' ? 'The endpoint is being deleted' : remove.why;
  return (
    <>
      <PageLink className={css['headLink']} to={links.threats({in: name})}>
        Threats
      </PageLink>
      <PageLink className={css['headLink']} to={links.traffic({in: name})}>
        Traffic
      </PageLink>
      <Button kind="danger" whyDisabled={why} onClick={onDelete}>
        Delete
      </Button>
    </>
  );
}

const Gone = ({name}: {readonly name: string}): ReactNode => (
  <EmptyState
    title="There is no such endpoint"
    text={`${name} was deleted, was not created, or has another name.`}
    action={<PageLink to={links.idsEndpointsList()}>All IDS endpoints</PageLink>}
  />
);

type TabsProps = {
  readonly name: string;
  readonly endpoint: IdsEndpoint;
  readonly operations: readonly Operation[];
  readonly search: OneSearch;
  readonly setSearch: SetSearch<OneSearch>;
};

function EndpointTabs({name, endpoint, operations, search, setSearch}: TabsProps): ReactNode {
  const tabs: readonly Tab[] = [
    {id: 'overview', label: 'Overview', content: <OverviewTab {...{name, endpoint, search, setSearch}} />},
    {id: 'rules', label: 'Rules', content: <RulesTab {...{name, search, setSearch}} />},
    {
      id: 'exceptions',
      label: 'Exceptions',
      count: endpoint.threatExceptions?.length ?? 0,
      content: <ExceptionsTab {...{name, endpoint}} />,
    },
    {id: 'mirror', label: 'Mirroring', content: <MirrorTab {...{name, endpoint, search, setSearch}} />},
    {id: 'history', label: 'History', count: operations.length, content: <HistoryTab operations={operations} />},
  ];
  return (
    <Tabs
      label="Parts of the endpoint"
      tabs={tabs}
      value={search.tab}
      onChange={tab => setSearch({tab: tab as OneSearch['tab']}, {push: true})}
    />
  );
}
