// SPDX-License-Identifier: Apache-2.0
/** One group: its members with their checks, and its registrations. */
import {type ReactNode, useMemo} from 'react';
import type {LiveState} from '../../api/index.ts';
import {links} from '../../links.ts';
import {PageLink} from '../../routing/link.tsx';
import {type SetSearch, usePathParams, useSearchState} from '../../routing/use-search-state.ts';
import {LiveEmpty} from '../../scope/live-empty.tsx';
import {
  Badge,
  Checkbox,
  cx,
  EmptyState,
  ErrorState,
  FilterBar,
  KeyValueList,
  Loading,
  PageHeader,
  ReadyRatio,
  Tabs,
} from '../../ui/index.ts';
import css from './groups.module.css';
import {MemberDialog} from './member-dialog.tsx';
import {MembersTable} from './members-table.tsx';
import {groupSelector, problemsOf, toRegistrationRow} from './model/group-row.ts';
import type {EndpointGroup, EndpointRegistration} from './model/kinds.ts';
import {isFailingMember, matchingMembers, memberRows} from './model/member-row.ts';
import {GROUP_SEARCH, type GroupSearch, matchingRegistrations} from './model/search.ts';
import {checkText, portText} from './model/text.ts';
import {RegistrationsTable} from './registrations-table.tsx';
import {useGroup, useRegistrations} from './use-group.ts';

const NO_REGISTRATIONS: LiveState<EndpointRegistration> = {rows: [], phase: 'live'};

export function Page(): ReactNode {
  const {namespace, name} = usePathParams('namespace', 'name');
  const {list, group} = useGroup(namespace, name);
  const trail = (
    <>
      <PageLink to={links.groups()}>Groups</PageLink>
      {' / '}
      <PageLink to={links.groups({namespace})}>{namespace}</PageLink>
    </>
  );
  if (group !== undefined) {
    const selector = groupSelector(group);
    return (
      <>
        <Head {...{group, trail, namespace, name}} />
        {selector === undefined ? (
          <Parts group={group} registrations={NO_REGISTRATIONS} />
        ) : (
          <PartsWithRegistrations {...{group, namespace, selector}} />
        )}
      </>
    );
  }
  return (
    <>
      <PageHeader title={name} trail={trail} />
      {list.phase === 'loading' && <Loading label="Loading the group" rows={10} />}
      {list.phase === 'refused' && (
        <ErrorState title="The group cannot be read" text={list.error ?? ''} onRetry={list.retry} />
      )}
      {list.phase === 'lost' && <ErrorState title="The server does not answer" text={list.error ?? ''} />}
      {(list.phase === 'live' || list.phase === 'paused') && (
        <EmptyState
          title="There is no such group"
          text={`Namespace ${namespace} has no EndpointGroup ${name}. It appears here if it is created.`}
          action={<PageLink to={links.groups()}>All groups</PageLink>}
        />
      )}
    </>
  );
}

type HeadProps = {
  readonly group: EndpointGroup;
  readonly trail: ReactNode;
  readonly namespace: string;
  readonly name: string;
};

function Head({group, trail, namespace, name}: HeadProps): ReactNode {
  const {spec = {}, status = {}, metadata} = group;
  const selector = groupSelector(group);
  const ports = spec.ports ?? [];
  return (
    <>
      <PageHeader
        title={name}
        trail={trail}
        aside={
          <>
            <ReadyRatio ready={status.ready ?? 0} total={status.total ?? 0} />
            {metadata?.deletionTimestamp !== undefined && <Badge tone="warn">Deleting</Badge>}
          </>
        }
      />
      {problemsOf(status.conditions).map(({reason, message, passing}) => (
        <p key={reason} className={cx(css['problem'], !passing && css['problemBad'])}>
          <Badge tone={passing ? 'warn' : 'bad'}>{reason}</Badge> {message}
        </p>
      ))}
      <div className={css['facts']}>
        <KeyValueList
          pairs={[
            [
              'Produces',
              <PageLink key="produces" to={links.endpoints(namespace, name)}>
                Endpoints {namespace}/{name}
              </PageLink>,
            ],
            [
              'Checks',
              ports.length === 0 ? (
                'those of each registration'
              ) : (
                <ul className={css['checks']}>
                  {ports.map(port => (
                    <li key={portText(port)}>
                      <strong>{portText(port)}</strong> {checkText(port)}
                    </li>
                  ))}
                </ul>
              ),
            ],
            ['Registrations', selectorWords(selector)],
            [
              'Panic',
              (spec.panicThresholdPercent ?? 0) === 0
                ? undefined
                : `if fewer than ${spec.panicThresholdPercent} % of the checked members pass, all stay in`,
            ],
          ]}
        />
      </div>
    </>
  );
}

const selectorWords = (selector: string | undefined): ReactNode => {
  if (selector === undefined) return 'not used: the group has no selector';
  return selector === '' ? 'all of the namespace' : <code>{selector}</code>;
};

function PartsWithRegistrations({
  namespace,
  selector,
  group,
}: {
  readonly namespace: string;
  readonly selector: string;
  readonly group: EndpointGroup;
}): ReactNode {
  return <Parts group={group} registrations={useRegistrations(namespace, selector)} />;
}

type PartsProps = {readonly group: EndpointGroup; readonly registrations: LiveState<EndpointRegistration>};
type TabProps = PartsProps & {readonly search: GroupSearch; readonly setSearch: SetSearch<GroupSearch>};

function Parts({group, registrations}: PartsProps): ReactNode {
  const [search, setSearch] = useSearchState(GROUP_SEARCH);
  const props = {group, registrations, search, setSearch};
  return (
    <div className={css['fill']}>
      <Tabs
        label="Parts of the group"
        value={search.tab}
        onChange={tab =>
          setSearch({tab: tab as GroupSearch['tab'], q: '', failing: false, sort: '', open: ''}, {push: true})
        }
        tabs={[
          {id: 'members', label: 'Members', count: group.status?.total ?? 0, content: <MembersTab {...props} />},
          {
            id: 'registrations',
            label: 'Registrations',
            count: registrations.rows.length,
            content: <RegistrationsTab {...props} />,
          },
        ]}
      />
    </div>
  );
}

function MembersTab({group, registrations, search, setSearch}: TabProps): ReactNode {
  const all = useMemo(() => memberRows(group, registrations.rows), [group, registrations.rows]);
  const found = useMemo(() => matchingMembers(all, search.q, search.failing), [all, search.q, search.failing]);
  const failing = all.filter(isFailingMember).length;
  const opened = all.find(({key}) => key === search.open);
  return (
    <>
      <FilterBar
        label="Filter members"
        placeholder="Address, port, registration or error"
        value={search.q}
        onChange={q => setSearch({q})}
      >
        <Checkbox
          label="Only failing"
          checked={search.failing}
          onChange={event => setSearch({failing: event.target.checked})}
        />
        {failing > 0 && <Badge tone="bad">{failing} failing</Badge>}
      </FilterBar>
      <MembersTable
        rows={found}
        sort={search.sort}
        onSort={sort => setSearch({sort})}
        onOpen={({key}) => setSearch({open: key}, {push: true})}
        empty={
          <LiveEmpty
            what="members"
            list={{rows: all, phase: 'live'}}
            text="Members come from the specification of the group, and from registrations."
            onClear={() => setSearch({q: '', failing: false})}
          />
        }
      />
      <MemberDialog
        row={opened}
        registration={registrations.rows.find(({metadata}) => metadata?.name === opened?.registration)}
        onClose={() => setSearch({open: ''})}
      />
    </>
  );
}

function RegistrationsTab({registrations, search, setSearch}: TabProps): ReactNode {
  const all = useMemo(() => registrations.rows.map(toRegistrationRow), [registrations.rows]);
  const found = useMemo(() => matchingRegistrations(all, search), [all, search]);
  if (registrations.phase === 'refused')
    return <ErrorState title="Registrations cannot be listed" text={registrations.error ?? ''} />;
  return (
    <>
      <FilterBar
        label="Filter registrations"
        placeholder="Name, address or user"
        value={search.q}
        onChange={q => setSearch({q})}
      >
        <Checkbox
          label="Only expired"
          checked={search.failing}
          onChange={event => setSearch({failing: event.target.checked})}
        />
      </FilterBar>
      <RegistrationsTable
        rows={found}
        sort={search.sort}
        onSort={sort => setSearch({sort})}
        onOpen={({addresses}) => setSearch({tab: 'members', q: addresses[0] ?? '', failing: false}, {push: true})}
        empty={
          <LiveEmpty
            what="registrations"
            list={registrations}
            text="The group has no selector, or no machine has registered."
            onClear={() => setSearch({q: '', failing: false})}
          />
        }
      />
    </>
  );
}
