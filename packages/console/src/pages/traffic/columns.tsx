// SPDX-License-Identifier: Apache-2.0

import type {RecordGroupMessage} from '@palisade/ids-wire';
import type {ReactNode} from 'react';
import cells from '../../records/cells.module.css';
import {AddressCell, CellButton, RecordTime, ShareCell, ValueCell} from '../../records/cells.tsx';
import {FilterIcon} from '../../records/filter-icon.tsx';
import {type RowField, shortEndpoint} from '../../records/row-field.ts';
import type {ValueMenuAt} from '../../records/value-menu.tsx';
import {
  byNumber,
  byText,
  bytesText,
  type Column,
  cx,
  durationText,
  numberText,
  Time,
  TwoLines,
} from '../../ui/index.ts';
import css from './traffic.module.css';
import {belowAddress, type FieldId, type FlowRow, fieldsOf, GROUP_PATH, GROUP_WORD, type Group} from './traffic-row.ts';

export type ColumnsOptions = {
  readonly isNarrow: boolean;
  /** The panel takes room. */
  readonly isCompact: boolean;
  /** So much that addresses and time alone fit: the panel shows the rest of the open flow. */
  readonly isTight: boolean;
  /** The panel leaves room for a column of words. */
  readonly isWide: boolean;
  readonly onOpen: (row: FlowRow) => void;
  readonly onMenu: (at: ValueMenuAt) => void;
};

type ValueProps = {
  readonly row: FlowRow;
  readonly id: FieldId;
  readonly onMenu: ColumnsOptions['onMenu'];
  readonly children: ReactNode;
};

const Value = ({row, id, onMenu, children}: ValueProps): ReactNode => (
  <ValueCell field={fieldsOf(row).get(id)} onMenu={onMenu}>
    {children}
  </ValueCell>
);

type RoomyColumn = Column<FlowRow> & {readonly roomy?: true};

const cellOf =
  (onMenu: ColumnsOptions['onMenu']) =>
  (id: FieldId, shown: (row: FlowRow) => ReactNode) =>
  (row: FlowRow): ReactNode => <Value {...{row, id, onMenu}}>{shown(row)}</Value>;

const BareAddress = ({ip, below}: {readonly ip: string; readonly below: string}): ReactNode => (
  <TwoLines below={below}>
    <span className="num">{ip}</span>
  </TwoLines>
);

const TIGHT: readonly string[] = ['time', 'source', 'destination'];

export function flowColumns(options: ColumnsOptions): readonly Column<FlowRow>[] {
  const all = [...endColumns(options), ...figureColumns(options)];
  const fitting = options.isTight ? all.filter(({id}) => TIGHT.includes(id)) : all;
  return fitting.filter(({roomy}) => !(options.isCompact && roomy === true));
}

function endColumns({isNarrow, isCompact, isTight, isWide, onOpen, onMenu}: ColumnsOptions): readonly RoomyColumn[] {
  const value = cellOf(onMenu);
  const addressPx = isNarrow ? 106 : isTight ? 138 : isCompact ? 158 : 164;
  const isBare = isNarrow || isTight;
  return [
    {
      id: 'time',
      title: isBare ? 'Age' : 'Began',
      width: isNarrow ? 52 : isTight ? 60 : isCompact ? 104 : 126,
      cell: row => (
        <CellButton className={css['opens']} onClick={() => onOpen(row)}>
          <span className="sr-only">Open the flow of </span>
          {isBare ? <Time at={row.flow.event_time} form="age" /> : <RecordTime at={row.flow.event_time} />}
        </CellButton>
      ),
    },
    {
      id: 'source',
      title: 'Source',
      width: addressPx,
      grow: 1,
      cell: value('source', ({flow: {source_ip_address: ip, source_port: port}}) =>
        isBare ? <BareAddress ip={ip} below={belowAddress(port)} /> : <AddressCell ip={ip} port={port} />,
      ),
    },
    {
      id: 'destination',
      title: 'Destination',
      width: addressPx,
      grow: 1,
      cell: value(
        'destination',
        ({flow: {destination_ip_address: ip, destination_port: port, ip_protocol: protocol}}) =>
          isBare ? <BareAddress ip={ip} below={belowAddress(port, protocol)} /> : <AddressCell ip={ip} port={port} />,
      ),
    },
    {
      id: 'protocol',
      title: 'Protocol',
      width: 84,
      wideOnly: true,
      roomy: true,
      cell: value('protocol', ({flow}) => flow.ip_protocol),
    },
    {
      id: 'application',
      title: isCompact ? 'App' : 'Application',
      width: isCompact ? 84 : 112,
      wideOnly: true,
      ...(isWide ? {} : {roomy: true}),
      cell: value('application', ({flow}) => flow.application),
    },
  ];
}

function figureColumns({isNarrow, onMenu}: ColumnsOptions): readonly RoomyColumn[] {
  const value = cellOf(onMenu);
  return [
    {
      id: 'bytes',
      title: 'Bytes',
      width: isNarrow ? 72 : 84,
      align: 'right',
      cell: ({flow}) => (
        <span className="num" title={`${numberText(Number(flow.total_bytes))} bytes`}>
          {bytesText(Number(flow.total_bytes))}
        </span>
      ),
    },
    {
      id: 'packets',
      title: 'Packets',
      width: 80,
      align: 'right',
      wideOnly: true,
      roomy: true,
      cell: ({flow}) => <span className="num">{numberText(Number(flow.total_packets))}</span>,
    },
    {
      id: 'duration',
      title: 'Duration',
      width: 84,
      align: 'right',
      wideOnly: true,
      roomy: true,
      cell: ({flow}) => <span className="num">{durationText(Number(flow.elapsed_time))}</span>,
    },
    {
      id: 'endpoint',
      title: 'Endpoint',
      width: 90,
      wideOnly: true,
      roomy: true,
      cell: value('endpoint', ({flow}) => shortEndpoint(flow.endpoint)),
    },
  ];
}

export const groupField = (group: Group, {key}: RecordGroupMessage): RowField => ({
  title: GROUP_WORD[group],
  shown: group === 'endpoint' ? shortEndpoint(key) : key === '' ? '(none)' : key,
  term: {path: GROUP_PATH[group], value: key},
});

export type GroupColumnsOptions = {
  readonly group: Group;
  readonly isNarrow: boolean;
  /** The most bytes of a group. */
  readonly most: number;
  readonly onOpen: (row: RecordGroupMessage) => void;
  readonly onMenu: (at: ValueMenuAt) => void;
};

type GroupKeyProps = Pick<GroupColumnsOptions, 'group' | 'onOpen' | 'onMenu'> & {readonly row: RecordGroupMessage};

function GroupKey({row, group, onOpen, onMenu}: GroupKeyProps): ReactNode {
  const field = groupField(group, row);
  return (
    <span className={css['group']}>
      <button
        type="button"
        tabIndex={-1}
        className={cx(cells['value'], css['groupKey'])}
        title={row.key}
        onClick={() => onOpen(row)}
      >
        {field.shown}
      </button>
      {row.key !== '' && (
        <button
          type="button"
          tabIndex={-1}
          className={css['funnel']}
          aria-haspopup="menu"
          aria-label={`Filter by ${field.title.toLowerCase()} ${field.shown}`}
          onClick={event => onMenu({fields: [field], element: event.currentTarget})}
        >
          <FilterIcon />
        </button>
      )}
    </span>
  );
}

export function groupColumns(options: GroupColumnsOptions): readonly Column<RecordGroupMessage>[] {
  const {group, isNarrow, most, onOpen, onMenu} = options;
  const bytes = ({bytes: sum = 0}: RecordGroupMessage): number => sum;
  return [
    {
      id: 'key',
      title: GROUP_WORD[group],
      width: isNarrow ? 164 : 240,
      grow: 2,
      compare: byText(({key}) => key),
      cell: row => <GroupKey {...{row, group, onOpen, onMenu}} />,
    },
    {
      id: 'flows',
      title: 'Flows',
      width: isNarrow ? 56 : 90,
      align: 'right',
      compare: byNumber(({records}) => records),
      cell: ({records}) => <span className="num">{numberText(records)}</span>,
    },
    {
      id: 'bytes',
      title: 'Bytes',
      width: isNarrow ? 76 : 100,
      align: 'right',
      compare: byNumber(bytes),
      cell: row => <span className="num">{bytesText(bytes(row))}</span>,
    },
    {
      id: 'share',
      title: 'Share of bytes',
      width: 120,
      grow: 1,
      wideOnly: true,
      cell: row => <ShareCell share={bytes(row) / most} />,
    },
    {
      id: 'first',
      title: 'First seen',
      width: 110,
      align: 'right',
      wideOnly: true,
      compare: byText(({firstTime}) => firstTime),
      cell: ({firstTime}) => <Time at={firstTime} />,
    },
    {
      id: 'last',
      title: isNarrow ? 'Last' : 'Last seen',
      width: isNarrow ? 52 : 110,
      align: 'right',
      compare: byText(({lastTime}) => lastTime),
      cell: ({lastTime}) => <Time at={lastTime} form={isNarrow ? 'age' : 'relative'} />,
    },
  ];
}
