// SPDX-License-Identifier: Apache-2.0
import type {RuleMessage} from '@palisade/ids-wire';
import {type ReactNode, useMemo} from 'react';
import type {Marks} from '../../records/use-marks.ts';
import {Badge, type Column, SeverityBadge, useIsNarrow, VirtualTable} from '../../ui/index.ts';
import css from './rules.module.css';
import {rowKey, STATE_TONE, STATE_WORD} from './rules-search.ts';

/** A rule by its row, of which several may have one name. */
export type RuleRow = {readonly name: string; readonly rule: RuleMessage};

export type RuleTableProps = {
  readonly rows: readonly RuleRow[];
  readonly marks: Marks;
  readonly hits: ReadonlyMap<string, number> | undefined;
  /** The panel takes room. */
  readonly isPanelOpen: boolean;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly onOpen: (row: RuleRow) => void;
  readonly onEnd: (() => void) | undefined;
  readonly empty: ReactNode;
};

/** The server sorts; the table only shows that it can be asked for. */
const byServer = (): number => 0;

type ColumnsOptions = Pick<RuleTableProps, 'marks' | 'hits' | 'onOpen'> & {
  readonly isNarrow: boolean;
  readonly isCompact: boolean;
};

type RoomyColumn = Column<RuleRow> & {readonly roomy?: true};

function columnsOf(options: ColumnsOptions): readonly Column<RuleRow>[] {
  const all = [...nameColumns(options), ...factColumns(options)];
  return all.filter(({roomy}) => !(options.isCompact && roomy === true));
}

function nameColumns({marks, onOpen, isNarrow, isCompact}: ColumnsOptions): readonly RoomyColumn[] {
  return [
    {
      id: 'mark',
      title: '✓',
      width: 36,
      cell: row => (
        <input
          type="checkbox"
          tabIndex={-1}
          className={css['mark']}
          aria-label={`Select rule ${row.rule.ruleId}`}
          checked={marks.has(row)}
          onClick={event => marks.toggle(row, event.shiftKey)}
          onChange={() => {}}
        />
      ),
    },
    {
      id: 'severity',
      title: isCompact ? 'Sev' : 'Severity',
      width: isNarrow ? 48 : isCompact ? 56 : 112,
      compare: byServer,
      cell: ({rule}) => <SeverityBadge severity={rule.severity} short={isCompact} />,
    },
    {
      id: 'message',
      title: 'Message',
      width: isNarrow ? 100 : isCompact ? 150 : 200,
      grow: 4,
      compare: byServer,
      cell: row => <Message row={row} onOpen={onOpen} />,
    },
  ];
}

function factColumns({hits, isNarrow, isCompact}: ColumnsOptions): readonly RoomyColumn[] {
  return [
    {
      id: 'state',
      title: 'State',
      width: isNarrow ? 106 : 112,
      cell: ({rule}) => (
        <span title={rule.reason}>
          <Badge tone={STATE_TONE[rule.state]}>{STATE_WORD[rule.state]}</Badge>
        </span>
      ),
    },
    {
      id: 'id',
      title: 'Rule',
      width: 110,
      wideOnly: true,
      compare: byServer,
      cell: ({rule}) => <span className="mono">{rule.ruleId === '' ? '–' : rule.ruleId}</span>,
    },
    {
      id: 'class',
      title: 'Class',
      width: 140,
      wideOnly: true,
      roomy: true,
      compare: byServer,
      cell: ({rule}) => <span title={rule.classtype}>{rule.classtype}</span>,
    },
    {
      id: 'file',
      title: 'File',
      width: 130,
      wideOnly: true,
      roomy: true,
      compare: byServer,
      cell: ({rule}) => (
        <span className="muted" title={`${rule.file}:${rule.line}`}>
          {rule.file.split('/').at(-1)}:{rule.line}
        </span>
      ),
    },
    {
      id: 'hits',
      title: isCompact ? '24 h' : 'Alerts 24 h',
      width: isNarrow ? 56 : isCompact ? 64 : 100,
      align: 'right',
      cell: ({rule}) => <span className="num">{hits?.get(rule.ruleId)?.toLocaleString('en') ?? '–'}</span>,
    },
  ];
}

function Message({row, onOpen}: {readonly row: RuleRow; readonly onOpen: (row: RuleRow) => void}): ReactNode {
  const {msg, reason} = row.rule;
  return (
    <button type="button" tabIndex={-1} className={css['message']} title={msg} onClick={() => onOpen(row)}>
      {msg === '' ? '(no message)' : msg}
      {reason !== '' && <span className={css['why']}> · {reason}</span>}
    </button>
  );
}

export function RuleTable(props: RuleTableProps): ReactNode {
  const {rows, marks, hits, isPanelOpen, sort, onSort, onOpen, onEnd, empty} = props;
  const isNarrow = useIsNarrow();
  const columns = useMemo(
    () => columnsOf({marks, hits, onOpen, isNarrow, isCompact: isNarrow || isPanelOpen}),
    [marks, hits, onOpen, isNarrow, isPanelOpen],
  );
  return (
    <VirtualTable
      label="Rules"
      columns={columns}
      rows={rows}
      rowKey={keyOf}
      sort={sort}
      onSort={onSort}
      onOpen={onOpen}
      onToggle={marks.toggle}
      isMarked={marks.has}
      {...(onEnd === undefined ? {} : {onEnd})}
      empty={empty}
    />
  );
}

const keyOf = ({rule}: RuleRow): string => rowKey(rule);
