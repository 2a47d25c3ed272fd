// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {links} from '../../../links.ts';
import {PageLink} from '../../../routing/link.tsx';
import {
  Badge,
  byNumber,
  byText,
  type Column,
  numberText,
  percentText,
  rateText,
  SEVERITIES,
  SeverityBadge,
  Skeleton,
  Time,
} from '../../../ui/index.ts';
import css from '../ids-endpoints.module.css';
import {healthWord, isWell, stateWord} from '../model/health.ts';
import {type EndpointRow, shortNetwork} from '../model/row.ts';

const DASH = <span className="muted">–</span>;
const UNKNOWN_LAST = -1;

const severityRank = (severity: string): number => (SEVERITIES as readonly string[]).indexOf(severity);
const HEALTH_ORDER = ['FAILED', 'DEGRADED', 'WAITING', 'STARTING', 'READY'];

export const COLUMNS: readonly Column<EndpointRow>[] = [
  {id: 'name', title: 'Name', width: 116, grow: 2, compare: byText(row => row.id), cell: nameCell},
  {
    id: 'network',
    title: 'Network',
    width: 96,
    grow: 1,
    wideOnly: true,
    compare: byText(row => shortNetwork(row.network)),
    cell: row => <span title={row.network}>{shortNetwork(row.network)}</span>,
  },
  {
    id: 'severity',
    title: 'Severity',
    width: 100,
    wideOnly: true,
    compare: byNumber(row => severityRank(row.severity)),
    cell: row => <SeverityBadge severity={row.severity} />,
  },
  {id: 'state', title: 'State', width: 98, wideOnly: true, compare: byText(row => row.state), cell: stateCell},
  {
    id: 'health',
    title: 'Health',
    width: 116,
    grow: 2,
    compare: byNumber(row => HEALTH_ORDER.indexOf(row.health?.status ?? 'READY')),
    cell: healthCell,
  },
  {
    id: 'ip',
    title: 'Endpoint IP',
    width: 118,
    wideOnly: true,
    compare: byText(row => row.ip),
    cell: row => (row.ip === '' ? DASH : <span className="num">{row.ip}</span>),
  },
  {
    id: 'rate',
    title: 'Packets',
    width: 88,
    wideOnly: true,
    align: 'right',
    compare: byNumber(row => row.rate ?? UNKNOWN_LAST),
    cell: row => (row.rate === undefined ? DASH : <span className="num">{rateText(row.rate)}</span>),
  },
  {
    id: 'loss',
    title: 'Loss',
    width: 66,
    wideOnly: true,
    align: 'right',
    compare: byNumber(row => row.loss ?? UNKNOWN_LAST),
    cell: lossCell,
  },
  {
    id: 'threats',
    title: 'Alerts 24 h',
    width: 116,
    align: 'right',
    compare: byNumber(row => row.threats ?? UNKNOWN_LAST),
    cell: threatsCell,
  },
  {
    id: 'age',
    title: 'Age',
    width: 70,
    wideOnly: true,
    align: 'right',
    compare: byNumber(row => -Date.parse(row.created ?? '')),
    cell: row => <Time at={row.created} form="age" />,
  },
];

function nameCell(row: EndpointRow): ReactNode {
  return (
    <span className={css['name']}>
      <PageLink to={links.idsEndpoint(row.project, row.location, row.id)}>{row.id}</PageLink>
      <span className={css['where']}>
        {row.project}/{row.location}
      </span>
    </span>
  );
}

function stateCell({state, progress}: EndpointRow): ReactNode {
  const {word, tone} = stateWord(state);
  return (
    <Badge tone={tone} title={progress}>
      {word}
    </Badge>
  );
}

function healthCell({health, progress, state}: EndpointRow): ReactNode {
  if (health === undefined) return <Skeleton width="72px" />;
  const {word, tone} = healthWord(health.status);
  const why = state === 'READY' ? health.reasons.join(' ') : progress || health.reasons.join(' ');
  return (
    <span className={css['health']} title={why}>
      <Badge tone={tone}>{word}</Badge>
      {!isWell(health) && <span className={css['reason']}>{why}</span>}
    </span>
  );
}

function lossCell({loss}: EndpointRow): ReactNode {
  if (loss === undefined) return DASH;
  return <span className={`num ${loss > 0 ? css['lost'] : ''}`}>{percentText(loss)}</span>;
}

function threatsCell(row: EndpointRow): ReactNode {
  if (row.threats === undefined) return DASH;
  if (row.threats === 0) return <span className="num muted">0</span>;
  return (
    <PageLink to={links.threats({in: row.name})} className={css['threats']}>
      {row.worst !== undefined && <SeverityBadge severity={row.worst} short />}
      <span className="num">{numberText(row.threats)}</span>
    </PageLink>
  );
}
