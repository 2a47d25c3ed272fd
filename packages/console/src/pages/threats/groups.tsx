// SPDX-License-Identifier: Apache-2.0
/** Threats in groups, those with the most alerts first; a click on one shows its threats. */
import type {RecordGroupMessage} from '@palisade/ids-wire';
import {type ReactNode, useMemo} from 'react';
import cells from '../../records/cells.module.css';
import {ShareCell} from '../../records/cells.tsx';
import type {Term} from '../../records/filter-edit.ts';
import {FilterIcon} from '../../records/filter-icon.tsx';
import {type RowField, shortEndpoint} from '../../records/row-field.ts';
import {RowKeysFrame} from '../../records/row-keys.tsx';
import type {ValueMenuAt} from '../../records/value-menu.tsx';
import {
  byNumber,
  byText,
  type Column,
  cx,
  numberText,
  SEVERITIES,
  SeverityBadge,
  severityWord,
  sortRows,
  Time,
  useIsNarrow,
  VirtualTable,
} from '../../ui/index.ts';
import type {Grouping} from './model/list-search.ts';
import css from './threats.module.css';

type Group = Exclude<Grouping, ''>;
export const GROUP_WORD: Readonly<Record<Group, string>> = {
  threat: 'Threat',
  source: 'Source',
  destination: 'Destination',
  severity: 'Severity',
  endpoint: 'Endpoint',
};
const PATH: Readonly<Record<Group, string>> = {
  threat: 'threat_id',
  source: 'source_ip_address',
  destination: 'destination_ip_address',
  severity: 'alert_severity',
  endpoint: 'endpoint',
};

const shownOf = (group: Group, {key, name}: RecordGroupMessage): string =>
  group === 'endpoint' ? shortEndpoint(key) : group === 'severity' ? severityWord(key) : (name ?? key);
const fieldOf = (group: Group, row: RecordGroupMessage): RowField => ({
  title: GROUP_WORD[group],
  shown: shownOf(group, row),
  term: {path: PATH[group], value: row.key},
});
const rank = ({highestSeverity, key}: RecordGroupMessage): number =>
  SEVERITIES.length - SEVERITIES.findIndex(one => one === (highestSeverity ?? key));

export type GroupsProps = {
  readonly group: Group;
  readonly rows: readonly RecordGroupMessage[];
  readonly more: number;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly onOpen: (term: Term) => void;
  readonly onMenu: (at: ValueMenuAt, row: RecordGroupMessage) => void;
  readonly empty: ReactNode;
};

type ColumnsOptions = Pick<GroupsProps, 'group' | 'onOpen' | 'onMenu'> & {
  readonly isNarrow: boolean;
  readonly most: number;
};

function columnsOf({group, onOpen, onMenu, isNarrow, most}: ColumnsOptions): readonly Column<RecordGroupMessage>[] {
  const severity: Column<RecordGroupMessage> = {
    id: 'severity',
    title: isNarrow ? 'Sev' : 'Highest',
    width: isNarrow ? 44 : 104,
    compare: byNumber(rank),
    cell: row => <SeverityBadge severity={row.highestSeverity ?? row.key} short={isNarrow} />,
  };
  return [
    {
      id: 'key',
      title: GROUP_WORD[group],
      width: isNarrow ? 138 : 240,
      grow: 3,
      compare: byText(row => shownOf(group, row)),
      cell: row => (
        <span className={css['threat']}>
          <button
            type="button"
            tabIndex={-1}
            className={cx(cells['value'], css['groupKey'])}
            title={`${row.name ?? ''} ${row.key}`.trim()}
            onClick={() => onOpen(fieldOf(group, row).term)}
          >
            {group === 'severity' ? <SeverityBadge severity={row.key} /> : shownOf(group, row)}
          </button>
          <button
            type="button"
            tabIndex={-1}
            className={css['funnel']}
            aria-haspopup="menu"
            aria-label={`Filter by ${shownOf(group, row)}`}
            onClick={event => onMenu({fields: [fieldOf(group, row)], element: event.currentTarget}, row)}
          >
            <FilterIcon />
          </button>
        </span>
      ),
    },
    ...(group === 'severity' ? [] : [severity]),
    ...countColumns(isNarrow, most),
  ];
}

const countColumns = (isNarrow: boolean, most: number): readonly Column<RecordGroupMessage>[] => [
  {
    id: 'alerts',
    title: 'Alerts',
    width: isNarrow ? 64 : 80,
    align: 'right',
    compare: byNumber(row => row.alerts ?? 0),
    cell: row => numberText(row.alerts ?? 0),
  },
  {
    id: 'share',
    title: 'Share',
    width: 120,
    grow: 1,
    wideOnly: true,
    cell: row => <ShareCell share={(row.alerts ?? 0) / most} />,
  },
  {
    id: 'records',
    title: 'Threats',
    width: 84,
    align: 'right',
    wideOnly: true,
    compare: byNumber(row => row.records),
    cell: row => numberText(row.records),
  },
  {
    id: 'first',
    title: 'First seen',
    width: 100,
    align: 'right',
    wideOnly: true,
    compare: byText(row => row.firstTime),
    cell: row => <Time at={row.firstTime} />,
  },
  {
    id: 'last',
    title: isNarrow ? 'Last' : 'Last seen',
    width: isNarrow ? 52 : 100,
    align: 'right',
    compare: byText(row => row.lastTime),
    cell: row => <Time at={row.lastTime} form={isNarrow ? 'age' : 'relative'} />,
  },
];

export function Groups({group, rows, more, sort, onSort, onOpen, onMenu, empty}: GroupsProps): ReactNode {
  const isNarrow = useIsNarrow();
  const most = useMemo(() => Math.max(1, ...rows.map(({alerts = 0}) => alerts)), [rows]);
  const columns = useMemo(
    () => columnsOf({group, onOpen, onMenu, isNarrow, most}),
    [group, onOpen, onMenu, isNarrow, most],
  );
  const sorted = useMemo(() => sortRows(rows, columns, sort), [rows, columns, sort]);
  return (
    <>
      <RowKeysFrame className={css['groups']} rows={sorted} fieldsOf={row => [fieldOf(group, row)]} onMenu={onMenu}>
        <VirtualTable
          dense
          label={`Threats by ${GROUP_WORD[group].toLowerCase()}`}
          columns={columns}
          rows={sorted}
          rowKey={keyOf}
          sort={sort}
          onSort={onSort}
          onOpen={row => onOpen(fieldOf(group, row).term)}
          empty={empty}
        />
      </RowKeysFrame>
      {more > 0 && (
        <p className="muted">
          {numberText(more)} more groups with fewer alerts are not shown. Narrow the filter or the time range.
        </p>
      )}
    </>
  );
}

const keyOf = ({key}: RecordGroupMessage): string => key;
