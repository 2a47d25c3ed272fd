// SPDX-License-Identifier: Apache-2.0
/** One set of endpoints, live: members, slices, events, its text, who manages it, who changed it, and what its deletion means. */
import type {Endpoints} from '@palisade/client/browser';
import {type ReactNode, useRef, useState} from 'react';
import {type Live, type LiveState, useApi, useKubeList} from '../../../api/index.ts';
import {links} from '../../../links.ts';
import {PageLink} from '../../../routing/link.tsx';
import {usePathParams, useSearchState} from '../../../routing/use-search-state.ts';
import {EmptyState, ErrorState, Loading, PageHeader, type Tab, Tabs} from '../../../ui/index.ts';
import {AuditTab} from './audit/audit-tab.tsx';
import {DeletionTab} from './deletion/deletion-tab.tsx';
import type {Draft} from './editing/draft.ts';
import {LeaveGuard} from './editing/leave-guard.tsx';
import {YamlTab} from './editing/yaml-tab.tsx';
import {EventsTab} from './events/events-tab.tsx';
import {FieldsTab} from './fields/fields-tab.tsx';
import {MembersTab} from './members/members-tab.tsx';
import css from './set.module.css';
import {SetHeader, trailOf} from './set-header.tsx';
import {ofTab, SET_SEARCH, type SetTab, type TabSearch} from './set-search.ts';
import {SlicesTab} from './slices/slices-tab.tsx';

const asIs = (object: Endpoints): Endpoints => object;

export function Page(): ReactNode {
  const {namespace, name} = usePathParams('namespace', 'name');
  return <OneSet key={`${namespace}/${name}`} namespace={namespace} name={name} />;
}

function OneSet({namespace, name}: {readonly namespace: string; readonly name: string}): ReactNode {
  const {kube} = useApi();
  const live = useKubeList({
    id: 'endpoints-set',
    client: kube.endpoints,
    namespace,
    fieldSelector: `metadata.name=${name}`,
    toRow: asIs,
  });
  // The last state of an object that is gone stays readable, and what was typed about it stays too.
  const last = useRef<Endpoints>(undefined);
  last.current = live.rows[0] ?? last.current;
  if (last.current === undefined)
    return (
      <>
        <PageHeader title={name} trail={trailOf(namespace)} />
        <Nothing {...{live, namespace, name}} />
      </>
    );
  return <Shown object={last.current} isGone={live.phase === 'live' && live.rows.length === 0} />;
}

function Nothing({
  live,
  namespace,
  name,
}: {
  readonly live: Live<LiveState<Endpoints>>;
  readonly namespace: string;
  readonly name: string;
}): ReactNode {
  if (live.phase === 'refused')
    return <ErrorState title="These endpoints cannot be read" text={live.error ?? ''} onRetry={live.retry} />;
  if (live.phase === 'lost') return <ErrorState title="The server does not answer" text={live.error ?? ''} />;
  if (live.phase !== 'live') return <Loading label="Loading the endpoints" rows={10} />;
  return (
    <EmptyState
      title={`Endpoints ${namespace}/${name} do not exist`}
      text="They were deleted, or the address has a typing error. They appear here when they are created."
      action={<PageLink to={links.endpointsList({namespace})}>All endpoints in {namespace}</PageLink>}
    />
  );
}

function Shown({object, isGone}: {readonly object: Endpoints; readonly isGone: boolean}): ReactNode {
  const [search, setSearch] = useSearchState(SET_SEARCH);
  // Outlives the tab: the text remains after a look at the members.
  const [draft, setDraft] = useState<Draft>();
  const part: TabSearch & {readonly object: Endpoints} = {object, search, setSearch};
  const tab = (id: SetTab, label: string, content: () => ReactNode): Tab => ({
    id,
    label,
    content: search.tab === id ? content() : null,
  });
  const tabs = [
    tab('members', 'Members', () => <MembersTab {...part} />),
    tab('slices', 'Slices', () => <SlicesTab {...part} />),
    tab('events', 'Events', () => <EventsTab {...part} />),
    tab('yaml', draft === undefined ? 'YAML' : 'YAML •', () => <YamlTab {...part} {...{isGone, draft, setDraft}} />),
    tab('fields', 'Fields', () => <FieldsTab {...part} />),
    tab('audit', 'Audit', () => <AuditTab {...part} />),
    tab('deletion', 'Deletion', () => <DeletionTab {...part} isGone={isGone} />),
  ];
  return (
    <>
      <SetHeader object={object} isGone={isGone} />
      {isGone && (
        <div className={css['banner']} role="status">
          <h2>These endpoints were deleted</h2>
          <p>What is shown is their last state.</p>
        </div>
      )}
      <div className={css['fill']}>
        <Tabs
          label="Parts of the set"
          tabs={tabs}
          value={search.tab}
          onChange={id => setSearch(ofTab(id as SetTab), {push: true})}
        />
      </div>
      <LeaveGuard isDirty={draft !== undefined} />
    </>
  );
}
