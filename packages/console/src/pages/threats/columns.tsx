// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {links} from '../../links.ts';
import {AddressCell, RecordTime, ValueCell} from '../../records/cells.tsx';
import {FilterIcon} from '../../records/filter-icon.tsx';
import type {ValueMenuAt} from '../../records/value-menu.tsx';
import {PageLink} from '../../routing/link.tsx';
import {Badge, type Column, numberText, SeverityBadge, Time, TwoLines} from '../../ui/index.ts';
import {type FieldId, fieldsOf, flowText, STATE_WORD, stateOf, type ThreatRow} from './model/threat-row.ts';
import css from './threats.module.css';

export type ColumnsOptions = {
  readonly isNarrow: boolean;
  /** Room for words in addition to colours. */
  readonly isWide: boolean;
  /** All rows are of one endpoint. */
  readonly isOneEndpoint: boolean;
  /** The search of the list, for the way back from a record. */
  readonly back: string;
  readonly isMarked: (row: ThreatRow) => boolean;
  readonly onMark: (row: ThreatRow, isRange: boolean) => void;
  readonly onMenu: (at: ValueMenuAt, row: ThreatRow) => void;
};

type ValueProps = {
  readonly row: ThreatRow;
  readonly id: FieldId;
  readonly onMenu: ColumnsOptions['onMenu'];
  readonly children: ReactNode;
};

const Value = ({row, id, onMenu, children}: ValueProps): ReactNode => (
  <ValueCell field={fieldsOf(row).get(id)} isWhole={id === 'severity'} onMenu={at => onMenu(at, row)}>
    {children}
  </ValueCell>
);

type ThreatProps = {readonly row: ThreatRow} & Pick<ColumnsOptions, 'isNarrow' | 'back' | 'onMenu'>;

/** On a narrow screen with a second line, for the addresses that have no columns there. */
function Threat({row, isNarrow, back, onMenu}: ThreatProps): ReactNode {
  const {name, threat_id: id} = row.threat;
  const field = fieldsOf(row).get('threat');
  const link = (
    <PageLink to={links.threat(row.name, {back})} tabIndex={-1} title={`${name} (${id})`}>
      {name}
    </PageLink>
  );
  return (
    <span className={css['threat']}>
      {isNarrow ? <TwoLines below={flowText(row)}>{link}</TwoLines> : link}
      <button
        type="button"
        tabIndex={-1}
        className={css['funnel']}
        aria-haspopup="menu"
        aria-label={`Filter by threat ${id}`}
        onClick={event => field !== undefined && onMenu({fields: [field], element: event.currentTarget}, row)}
      >
        <FilterIcon />
      </button>
    </span>
  );
}

const STATE_TONE = {open: 'neutral', acknowledged: 'ok', escalated: 'warn'} as const;

type Columns = readonly Column<ThreatRow>[];
type Valued = (id: FieldId, shown: (row: ThreatRow) => ReactNode) => (row: ThreatRow) => ReactNode;

export function threatColumns(options: ColumnsOptions): Columns {
  const {isOneEndpoint, onMenu} = options;
  const value: Valued = (id, shown) => row => <Value {...{row, id, onMenu}}>{shown(row)}</Value>;
  return [
    ...whatColumns(options, value),
    ...flowColumns(onMenu, value),
    ...stateColumns(options, value),
    ...(isOneEndpoint ? [] : [endpointColumn(value)]),
  ];
}

function whatColumns({isNarrow, isWide, back, isMarked, onMark, onMenu}: ColumnsOptions, value: Valued): Columns {
  return [
    {
      id: 'mark',
      title: '✓',
      width: 36,
      cell: row => (
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Select ${row.threat.name}`}
          checked={isMarked(row)}
          onClick={event => onMark(row, event.shiftKey)}
          onChange={() => {}}
        />
      ),
    },
    {
      id: 'time',
      title: isNarrow ? 'Age' : 'Time',
      width: isNarrow ? 50 : 96,
      cell: ({threat}) =>
        isNarrow ? <Time at={threat.event_time} form="age" /> : <RecordTime at={threat.event_time} />,
    },
    {
      id: 'severity',
      title: isWide ? 'Severity' : 'Sev',
      width: isWide ? 104 : 40,
      cell: value('severity', ({threat}) => <SeverityBadge severity={threat.alert_severity} short={!isWide} />),
    },
    {
      id: 'threat',
      title: 'Threat',
      // With a scroll bar, too, the columns of a narrow screen fit into 326 pixels.
      width: isNarrow ? 140 : 204,
      grow: 4,
      cell: row => <Threat {...{row, isNarrow, back, onMenu}} />,
    },
  ];
}

const flowColumns = (onMenu: ColumnsOptions['onMenu'], value: Valued): Columns => [
  {
    id: 'source',
    title: 'Source',
    width: 128,
    grow: 1,
    wideOnly: true,
    cell: value('source', ({threat}) => <span className="num">{threat.source_ip_address}</span>),
  },
  {
    id: 'destination',
    title: 'Destination',
    width: 152,
    grow: 1,
    wideOnly: true,
    cell: value('destination', ({threat}) => (
      <AddressCell ip={threat.destination_ip_address} port={threat.destination_port} />
    )),
  },
  {
    id: 'application',
    title: 'App',
    width: 64,
    wideOnly: true,
    cell: row => (
      <Value row={row} id={row.threat.application === 'unknown' ? 'protocol' : 'application'} onMenu={onMenu}>
        {appOf(row)}
      </Value>
    ),
  },
];

const stateColumns = ({isWide}: ColumnsOptions, value: Valued): Columns => [
  {
    id: 'count',
    title: 'Count',
    width: 58,
    align: 'right',
    cell: value('count', ({threat}) => numberText(Number(threat.repeat_count))),
  },
  {
    id: 'state',
    title: 'State',
    width: isWide ? 132 : 60,
    wideOnly: true,
    cell: value('state', ({threat}) => {
      const state = stateOf(threat);
      return state === 'open' ? (
        <span className="muted">{STATE_WORD.open}</span>
      ) : (
        <Badge tone={STATE_TONE[state]} short={!isWide}>
          {STATE_WORD[state]}
        </Badge>
      );
    }),
  },
];

const endpointColumn = (value: Valued): Column<ThreatRow> => ({
  id: 'endpoint',
  title: 'Endpoint',
  width: 80,
  grow: 1,
  wideOnly: true,
  cell: value('endpoint', row => fieldsOf(row).get('endpoint')?.shown),
});

const appOf = ({threat}: ThreatRow): string =>
  threat.application === '' || threat.application === 'unknown' ? threat.ip_protocol : threat.application;
