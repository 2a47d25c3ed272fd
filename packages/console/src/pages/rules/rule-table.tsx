// SPDX-License-Identifier: Apache-2.0
import type {RuleMessage} from '@palisade/ids-wire';
import {type ReactNode, useMemo} from 'react';
import {CellButton} from '../../records/cells.tsx';
import type {Marks} from '../../records/use-marks.ts';
import {Badge, type Column, SeverityBadge, useFitsColumns, useIsNarrow, VirtualTable} from '../../ui/index.ts';
import {Reason} from './reason.tsx';
import {reasonText} from './reason-text.ts';
import {fileName, rowKey} from './rule-place.ts';
import {LEFT_OUT, MARK_PX, type RuleTableRoom, WIDTHS} from './rule-widths.ts';
import css from './rules.module.css';
import {STATE_TONE, STATE_WORD} from './rules-search.ts';

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

type ColumnsOptions = Pick<RuleTableProps, 'marks' | 'hits' | 'onOpen'> & {readonly room: RuleTableRoom};

function columnsOf(options: ColumnsOptions): readonly Column<RuleRow>[] {
  const left = LEFT_OUT[options.room];
  return [...nameColumns(options), ...factColumns(options)].filter(({id}) => !left.includes(id));
}

function nameColumns({marks, onOpen, room}: ColumnsOptions): readonly Column<RuleRow>[] {
  const isShort = room !== 'full';
  return [
    {
      id: 'mark',
      title: '✓',
      width: MARK_PX,
      cell: row => (
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Select rule ${row.rule.ruleId}`}
          checked={marks.has(row)}
          onClick={event => marks.toggle(row, event.shiftKey)}
          onChange={() => {}}
        />
      ),
    },
    {
      id: 'severity',
      title: isShort ? 'Sev' : 'Severity',
      width: WIDTHS[room].severity,
      compare: byServer,
      cell: ({rule}) => <SeverityBadge severity={rule.severity} short={isShort} />,
    },
    {
      id: 'message',
      title: 'Message',
      width: WIDTHS[room].message,
      grow: 4,
      compare: byServer,
      cell: row => <Message row={row} onOpen={onOpen} />,
    },
  ];
}

function factColumns({hits, room}: ColumnsOptions): readonly Column<RuleRow>[] {
  const isShort = room !== 'full';
  return [
    {
      id: 'state',
      title: 'State',
      width: WIDTHS[room].state,
      cell: ({rule}) => (
        <span title={reasonText(rule)}>
          <Badge tone={STATE_TONE[rule.state]} short={isShort}>
            {STATE_WORD[rule.state]}
          </Badge>
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
      compare: byServer,
      cell: ({rule}) => <span title={rule.classtype}>{rule.classtype}</span>,
    },
    {
      id: 'file',
      title: 'File',
      width: 130,
      wideOnly: true,
      compare: byServer,
      cell: ({rule}) => (
        <span className="muted" title={`${fileName(rule.file)}:${rule.line}`}>
          {fileName(rule.file)}:{rule.line}
        </span>
      ),
    },
    {
      id: 'hits',
      title: room === 'full' ? 'Alerts 24 h' : '24 h',
      width: WIDTHS[room].hits,
      align: 'right',
      cell: ({rule}) => <span className="num">{hits?.get(rule.ruleId)?.toLocaleString('en') ?? '–'}</span>,
    },
  ];
}

function Message({row, onOpen}: {readonly row: RuleRow; readonly onOpen: (row: RuleRow) => void}): ReactNode {
  const {msg, reason} = row.rule;
  return (
    <CellButton className={css['message']} title={msg} onClick={() => onOpen(row)}>
      <span className={css['lines']}>
        {msg === '' ? '(no message)' : msg}
        {reason !== '' && (
          <span className={css['why']}>
            {' · '}
            <Reason rule={row.rule} />
          </span>
        )}
      </span>
    </CellButton>
  );
}

function useRoom(isPanelOpen: boolean): RuleTableRoom {
  const isNarrow = useIsNarrow();
  const fitsColumns = useFitsColumns();
  if (isNarrow) return 'narrow';
  if (!isPanelOpen) return 'full';
  return fitsColumns ? 'compact' : 'tight';
}

export function RuleTable(props: RuleTableProps): ReactNode {
  const {rows, marks, hits, isPanelOpen, sort, onSort, onOpen, onEnd, empty} = props;
  const room = useRoom(isPanelOpen);
  const columns = useMemo(() => columnsOf({marks, hits, onOpen, room}), [marks, hits, onOpen, room]);
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
