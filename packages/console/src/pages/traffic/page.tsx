// SPDX-License-Identifier: Apache-2.0
/** Traffic records: live and searched, over time and in groups. */
import type {RecordGroupMessage} from '@palisade/ids-wire';
import {type ReactNode, useCallback, useMemo} from 'react';
import {errorText} from '../../api/index.ts';
import {include} from '../../records/filter-edit.ts';
import {LiveState} from '../../records/live-state.tsx';
import {barTimes, wholeBars} from '../../records/time-range.ts';
import type {Sums} from '../../records/use-record-sums.ts';
import {ValueMenu} from '../../records/value-menu.tsx';
import {Chart} from '../../ui/chart/chart.tsx';
import {
  Badge,
  ErrorState,
  Loading,
  numberText,
  PageHeader,
  Select,
  sortRows,
  useIsNarrow,
  VirtualTable,
  WithSidePanel,
} from '../../ui/index.ts';
import {groupColumns, groupField} from './columns.tsx';
import {Filters} from './filters.tsx';
import {FlowList} from './flow-list.tsx';
import {FlowPanel} from './flow-panel.tsx';
import {Nothing} from './nothing.tsx';
import css from './traffic.module.css';
import {type FlowRow, flowKey, flowsText, GROUP_WORD, GROUPS, type Group} from './traffic-row.ts';
import {type State, useTrafficPage} from './use-traffic-page.ts';

export function Page(): ReactNode {
  const page = useTrafficPage();
  const {search, setSearch, look, fault, query, sums, feed, menu} = page;
  const total = sums.data?.sums.total.records;
  const setFilter = useCallback((q: string) => look({q}), [look]);
  const isOpen = search.flow !== '';
  return (
    <>
      <PageHeader
        title="Traffic"
        aside={total !== undefined && <Badge plain>{flowsText(total)}</Badge>}
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
      {feed.phase !== 'refused' && <Histogram data={sums.data} onZoom={(from, to) => look({from, to}, {push: true})} />}
      <WithSidePanel
        panel={
          isOpen ? (
            <FlowPanel
              key={search.flow}
              id={search.flow}
              known={feed.rows.find(({flow}) => flowKey(flow) === search.flow)?.flow}
              filter={query.filter}
              onFilter={setFilter}
              onClose={() => setSearch({flow: ''})}
            />
          ) : undefined
        }
      >
        <Table page={page} isPanelOpen={isOpen} />
      </WithSidePanel>
      <ValueMenu at={menu} filter={query.filter} onFilter={setFilter} onClose={() => page.setMenu(undefined)} />
    </>
  );
}

function Table({page, isPanelOpen}: {readonly page: State; readonly isPanelOpen: boolean}): ReactNode {
  const {search, setSearch, feed, sums} = page;
  const open = useCallback(({flow}: FlowRow) => setSearch({flow: flowKey(flow)}, {push: true}), [setSearch]);
  const empty = <Nothing page={page} />;
  if (search.group !== '') {
    if (sums.isError)
      return (
        <ErrorState
          title="Traffic cannot be grouped"
          text={errorText(sums.error)}
          onRetry={() => void sums.refetch()}
        />
      );
    return <Groups page={page} group={search.group} empty={empty} />;
  }
  return (
    <FlowList
      feed={feed}
      isPanelOpen={isPanelOpen}
      onTop={page.setTop}
      onMenu={page.setMenu}
      onPause={() => setSearch({paused: !search.paused})}
      onOpen={open}
      empty={empty}
    />
  );
}

type GroupsProps = {readonly page: State; readonly group: Group; readonly empty: ReactNode};

function Groups({page, group, empty}: GroupsProps): ReactNode {
  const {search, setSearch, look, query, sums, setMenu} = page;
  const isNarrow = useIsNarrow();
  const found = sums.data?.sums.groups;
  const rows = useMemo(() => found ?? [], [found]);
  const most = useMemo(() => Math.max(1, ...rows.map(({bytes = 0}) => bytes)), [rows]);
  const open = useCallback(
    (row: RecordGroupMessage) =>
      look({q: include(query.filter, groupField(group, row).term), group: '', sort: ''}, {push: true}),
    [look, query.filter, group],
  );
  const columns = useMemo(
    () => groupColumns({group, isNarrow, most, onOpen: open, onMenu: setMenu}),
    [group, isNarrow, most, open, setMenu],
  );
  const sorted = useMemo(() => sortRows(rows, columns, search.sort), [rows, columns, search.sort]);
  const more = sums.data?.sums.moreGroups ?? 0;
  return (
    <>
      <VirtualTable
        label={`Traffic by ${GROUP_WORD[group].toLowerCase()}`}
        columns={columns}
        rows={sorted}
        rowKey={keyOf}
        sort={search.sort}
        onSort={sort => setSearch({sort})}
        onOpen={open}
        empty={found === undefined ? <Loading label="Loading groups" rows={10} /> : empty}
      />
      {more > 0 && (
        <p className="muted">
          {numberText(more)} more groups with fewer flows are not shown. Narrow the filter or the time range.
        </p>
      )}
    </>
  );
}

const keyOf = ({key}: RecordGroupMessage): string => key;

function GroupSelect({page: {search, look}}: {readonly page: State}): ReactNode {
  return (
    <span className={css['grouping']}>
      <Select
        label="Group by"
        hideLabel
        value={search.group}
        options={GROUPS.map(value => ({
          value,
          label: value === '' ? 'Not grouped' : `By ${GROUP_WORD[value].toLowerCase()}`,
        }))}
        onChange={event => {
          const group = GROUPS.find(value => value === event.target.value) ?? '';
          look({group, sort: group === '' ? '' : '-bytes', flow: ''}, {push: true});
        }}
      />
    </span>
  );
}

const HEIGHT_PX = 92;

type HistogramProps = {
  readonly data: Sums | undefined;
  /** RFC 3339, whole bars. */
  readonly onZoom: (from: string, to: string) => void;
};

function Histogram({data, onZoom}: HistogramProps): ReactNode {
  const drawn = useMemo(() => {
    if (data === undefined) return undefined;
    const bars = new Map((data.sums.histogram ?? []).map(bar => [Date.parse(bar.startTime), bar.records]));
    const times = barTimes(data.bounds, data.width.ms, bars.keys().next().value, data.at);
    return {times, series: [{label: 'Flows', values: times.map(time => bars.get(time) ?? 0)}]};
  }, [data]);
  return (
    <div className={css['histogram']}>
      {data !== undefined && drawn !== undefined && (
        <Chart
          label={`Flows, each bar ${data.width.text}`}
          kind="bars"
          isWhole
          height={HEIGHT_PX}
          {...drawn}
          onSelect={(from, to) => onZoom(...wholeBars(from, to, data.width.ms))}
        />
      )}
    </div>
  );
}
