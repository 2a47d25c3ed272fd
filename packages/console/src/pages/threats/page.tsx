// SPDX-License-Identifier: Apache-2.0
/** Threats: live and searched, over time and in groups, with decisions about them. */
import type {ThreatAction} from '@palisade/client/browser';
import {type RecordGroupMessage, THREAT_LIST} from '@palisade/ids-wire';
import {type ReactNode, useCallback, useMemo, useState} from 'react';
import {errorText, usePermission} from '../../api/index.ts';
import {wallClock} from '../../clock.ts';
import {include} from '../../records/filter-edit.ts';
import {LiveState} from '../../records/live-state.tsx';
import {useGoodFilter, WHY_FAULTY} from '../../records/use-good-filter.ts';
import {type Marks, useMarks} from '../../records/use-marks.ts';
import {useRecordSums} from '../../records/use-record-sums.ts';
import {ValueMenu, type ValueMenuAt} from '../../records/value-menu.tsx';
import {type SetSearch, useSearchState} from '../../routing/use-search-state.ts';
import {rightsParent} from '../../scope/scope.ts';
import {useScopedEndpoints} from '../../scope/use-scope.ts';
import {Badge, Button, countText, EmptyState, ErrorState, Loading, PageHeader, Select, toast} from '../../ui/index.ts';
import {threatsText} from './decide/decide.ts';
import {DecideDialog} from './decide/decide-dialog.tsx';
import {type DecisionTarget, selectsAll, targetOf} from './decide/target.ts';
import {Filters} from './filters.tsx';
import {GROUP_WORD, Groups} from './groups.tsx';
import {Histogram} from './histogram.tsx';
import {ThreatList} from './list.tsx';
import {GROUPS, THREATS_SEARCH, type ThreatsSearch} from './model/list-search.ts';
import type {ThreatRow} from './model/threat-row.ts';
import {type ExceptionSubject, hasThreat, subjectOf} from './record/exception/exception.ts';
import {ExceptionDialog} from './record/exception/exception-dialog.tsx';
import css from './threats.module.css';
import {Toolbar} from './toolbar.tsx';
import {useSumsOfNew} from './use-sums-of-new.ts';
import {type Feed, useThreatFeed} from './use-threat-feed.ts';

type Decision = {readonly action: ThreatAction; readonly target: DecisionTarget};

/** All that the parts of the page share. */
function useThreatsPage() {
  const [own, setSearch] = useSearchState(THREATS_SEARCH);
  const search = useScopedEndpoints(own, setSearch);
  const {filter, fault} = useGoodFilter(search.q, THREAT_LIST);
  const isAll = selectsAll(search.all, fault);
  const [isTop, setTop] = useState(true);
  const [menu, setMenu] = useState<ValueMenuAt | undefined>();
  const [decision, setDecision] = useState<Decision | undefined>();
  const {range, from, to} = search;
  const time = useMemo(() => ({range, from, to}), [range, from, to]);
  const query = useMemo(() => ({name: search.in, filter, range: time}), [search.in, filter, time]);
  const [exception, setException] = useState<ExceptionSubject | undefined>();
  const isHolding = search.paused || !isTop || menu !== undefined || decision !== undefined || exception !== undefined;
  const feed = useThreatFeed(query, isHolding, search.paused);
  const sums = useRecordSums('threats', query, search.group, search.paused);
  useSumsOfNew(sums, feed, search.paused);
  const writeMarks = useCallback((mark: readonly string[]) => setSearch({mark}), [setSearch]);
  const marks = useMarks(feed.rows, search.mark, writeMarks);
  const update = usePermission(rightsParent(search.in), 'ids.threats.update');
  const exceptHere = usePermission(rightsParent(search.in), 'ids.endpoints.update');
  // Where several endpoints are shown, the dialog asks about the one of the threat.
  const except = isOneEndpoint(search.in) ? exceptHere : undefined;
  /** Looks at other threats: nothing of those before remains selected. */
  const look = useCallback<SetSearch<ThreatsSearch>>(
    (patch, options) => {
      marks.set([]);
      setTop(true);
      setSearch({...patch, mark: [], all: false}, options);
    },
    [marks.set, setSearch],
  );
  return {
    ...{search, setSearch, look, fault, isAll, query, feed, sums, marks, update, except},
    ...{setTop, menu, setMenu, decision, setDecision, exception, setException},
  };
}

type State = ReturnType<typeof useThreatsPage>;

export function Page(): ReactNode {
  const page = useThreatsPage();
  const {search, look, fault, query, sums, feed, menu, decision, exception} = page;
  const total = sums.data?.sums.total;
  const setFilter = useCallback((q: string) => look({q}), [look]);
  return (
    <>
      <PageHeader
        title="Threats"
        aside={
          total !== undefined && (
            <>
              <Badge plain>{threatsText(total.records)}</Badge>
              <span className="muted num">{countText(total.alerts ?? 0, 'alert')}</span>
            </>
          )
        }
        actions={
          <LiveState
            range={query.range}
            feed={feed}
            isPaused={search.paused}
            onPause={paused => page.setSearch({paused})}
          />
        }
      />
      <Filters {...{fault, query, look}} filter={search.q}>
        <GroupSelect page={page} />
      </Filters>
      {feed.phase !== 'refused' && (
        <Histogram
          data={sums.data}
          error={sums.isError ? errorText(sums.error) : undefined}
          onZoom={(from, to) => look({from, to}, {push: true})}
        />
      )}
      <Table page={page} />
      <ValueMenu at={menu} filter={query.filter} onFilter={setFilter} onClose={() => page.setMenu(undefined)} />
      {exception !== undefined && <ExceptionDialog subject={exception} onClose={() => page.setException(undefined)} />}
      {decision !== undefined && (
        <DecideDialog
          {...decision}
          onDecided={feed.apply}
          onClose={changed => {
            page.setDecision(undefined);
            if (!changed) return;
            page.marks.set([]);
            page.setSearch({all: false, mark: []});
            void sums.refetch();
            if (!('names' in decision.target)) feed.retry();
          }}
        />
      )}
    </>
  );
}

/** Puts the question for the selection, or for the row that the keys are on. */
function decide({isAll, query, marks, update, setDecision}: State, action: ThreatAction, row?: ThreatRow): void {
  if (update.why !== undefined) {
    toast('plain', update.why);
    return;
  }
  const target = targetOf({isAll, query, names: marks.names, row: row?.name}, wallClock());
  if (target !== undefined) setDecision({action, target});
}

const isOneEndpoint = (name: string): boolean => !name.split('/').includes('-');

const groupSubject = (scope: string, {key, name}: RecordGroupMessage): ExceptionSubject | undefined =>
  isOneEndpoint(scope) ? {endpoint: scope, threatId: key, name: name ?? key} : undefined;

/** At values that name a threat alone: an exception hides it for every source. `subject`: undefined for threats of several endpoints, as an exception is of one. */
const withException = (
  {setException, except}: Pick<State, 'setException' | 'except'>,
  at: ValueMenuAt,
  subject: ExceptionSubject | undefined,
): ValueMenuAt => {
  if (!hasThreat(at.fields)) return at;
  const whyDisabled = subject === undefined ? 'Select one IDS endpoint first' : except?.why;
  return {...at, actions: [{label: 'Make an exception', whyDisabled, onSelect: () => setException(subject)}]};
};

function Table({page}: {readonly page: State}): ReactNode {
  const {search, setSearch, look, fault, isAll, query, feed, sums, marks, setMenu, setException, except} = page;
  const onMenu = useCallback(
    (at: ValueMenuAt, {threat}: ThreatRow) => setMenu(withException({setException, except}, at, subjectOf(threat))),
    [setMenu, setException, except],
  );
  const {group} = search;
  const empty = <Nothing page={page} />;
  if (group !== '') {
    if (sums.isError) return <Failed title="Threats cannot be grouped" page={page} />;
    return (
      <Groups
        group={group}
        rows={sums.data?.sums.groups ?? []}
        more={sums.data?.sums.moreGroups ?? 0}
        sort={search.sort}
        onSort={sort => setSearch({sort})}
        onOpen={term => look({q: include(query.filter, term), group: '', sort: ''}, {push: true})}
        onMenu={(at, row) => page.setMenu(withException(page, at, groupSubject(search.in, row)))}
        empty={sums.data?.sums.groups === undefined ? <Loading label="Loading groups" rows={10} /> : empty}
      />
    );
  }
  const pause = (): void => setSearch({paused: !search.paused});
  return (
    <>
      <Toolbar
        selection={{
          ...{count: marks.names.size, isAll, shown: feed.rows.length},
          matching: sums.data?.sums.total.records,
        }}
        whyDisabled={page.update.why}
        whyNotAll={fault === undefined ? undefined : WHY_FAULTY}
        onSelect={what => select(what, feed, marks, setSearch)}
        onAct={action => decide(page, action)}
      />
      <ThreatList
        {...{feed, marks, isAll, empty}}
        isOneEndpoint={isOneEndpoint(search.in)}
        onTop={page.setTop}
        onMenu={onMenu}
        onAct={(action, row) => decide(page, action, row)}
        onPause={pause}
      />
    </>
  );
}

function select(what: 'none' | 'shown' | 'all', feed: Feed, marks: Marks, setSearch: SetSearch<ThreatsSearch>): void {
  marks.set(what === 'shown' ? feed.rows.map(({name}) => name) : []);
  if (what !== 'shown') setSearch({all: what === 'all', mark: []});
}

function GroupSelect({page}: {readonly page: State}): ReactNode {
  return (
    <span className={css['group']}>
      <Select
        label="Group by"
        hideLabel
        value={page.search.group}
        options={GROUPS.map(value => ({
          value,
          label: value === '' ? 'Not grouped' : `By ${GROUP_WORD[value].toLowerCase()}`,
        }))}
        onChange={event => {
          const group = GROUPS.find(value => value === event.target.value) ?? '';
          page.look({group, sort: ''}, {push: true});
        }}
      />
    </span>
  );
}

function Failed({title, page: {sums}}: {readonly title: string; readonly page: State}): ReactNode {
  return <ErrorState title={title} text={errorText(sums.error)} onRetry={() => void sums.refetch()} />;
}

function Nothing({page: {feed, query, look, search}}: {readonly page: State}): ReactNode {
  if (search.group === '' && feed.phase === 'lost')
    return <ErrorState title="The server does not answer" text={feed.error ?? ''} />;
  if (search.group === '' && !feed.isListed) return <Loading label="Loading threats" rows={12} />;
  if (query.filter !== '')
    return (
      <EmptyState
        title="No threats match"
        text="Change the filter or the time range."
        action={<Button onClick={() => look({q: ''})}>Clear filter</Button>}
      />
    );
  return (
    <EmptyState
      title="No threats in this time"
      text="Threats appear here as the sensors detect them."
      action={<Button onClick={() => look({range: 'all', from: '', to: ''})}>Show all time</Button>}
    />
  );
}
