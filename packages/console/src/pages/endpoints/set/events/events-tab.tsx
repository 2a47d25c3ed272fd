// SPDX-License-Identifier: Apache-2.0
import {type Endpoints, EVENTS, eventsAbout, type KubeEvent} from '@palisade/client/browser';
import {type ReactNode, useMemo} from 'react';
import {useApi, useKubeList} from '../../../../api/index.ts';
import {
  Badge,
  Button,
  type Column,
  counted,
  EmptyState,
  ErrorState,
  FilterBar,
  Loading,
  Time,
  VirtualTable,
} from '../../../../ui/index.ts';
import css from '../set.module.css';
import type {TabSearch} from '../set-search.ts';
import {EventDialog} from './event-dialog.tsx';
import {type EventRow, matchingEvents, toEventRow} from './event-row.ts';

const COLUMNS: readonly Column<EventRow>[] = [
  {id: 'time', title: 'Last', width: 84, cell: row => <Time at={row.time} />},
  {
    id: 'type',
    title: 'Type',
    width: 100,
    wideOnly: true,
    cell: row => <Badge tone={row.isWarning ? 'warn' : 'neutral'}>{row.isWarning ? 'Warning' : 'Normal'}</Badge>,
  },
  {
    id: 'reason',
    title: 'Reason',
    width: 110,
    grow: 1.5,
    cell: row => <span title={row.reason}>{row.reason}</span>,
  },
  {
    id: 'message',
    title: 'Message',
    width: 140,
    grow: 4,
    cell: row => <span title={row.message}>{row.message}</span>,
  },
  {id: 'count', title: 'Count', width: 70, align: 'right', wideOnly: true, cell: row => row.count},
  {
    id: 'from',
    title: 'From',
    width: 130,
    grow: 1,
    wideOnly: true,
    cell: row => <span title={row.from}>{row.from}</span>,
  },
];
const keyOf = ({key}: EventRow): string => key;

/** Of the set and of the group of its name, in one stream. */
export function EventsTab({object, search, setSearch}: TabSearch & {readonly object: Endpoints}): ReactNode {
  const {kube} = useApi();
  const client = useMemo(() => kube.resource<KubeEvent>(EVENTS), [kube]);
  const {namespace = '', name = ''} = object.metadata ?? {};
  const list = useKubeList({id: 'events', client, namespace, fieldSelector: eventsAbout({name}), toRow: toEventRow});
  const all = useMemo(() => matchingEvents(list.rows, ''), [list.rows]);
  const shown = useMemo(() => matchingEvents(list.rows, search.q), [list.rows, search.q]);
  if (list.phase === 'refused')
    return <ErrorState title="Events cannot be listed" text={list.error ?? ''} onRetry={list.retry} />;
  return (
    <>
      <FilterBar
        label="Filter events"
        placeholder="Reason, message or component"
        value={search.q}
        onChange={q => setSearch({q})}
      >
        <span className="muted num" role="status">
          {counted(shown.length, all.length)}
        </span>
      </FilterBar>
      <div className={css['table']}>
        <VirtualTable
          label="Events"
          columns={COLUMNS}
          rows={shown}
          rowKey={keyOf}
          onOpen={row => setSearch({open: row.key})}
          empty={
            <NoEvents isLoading={list.phase === 'loading'} hidden={all.length} onClear={() => setSearch({q: ''})} />
          }
        />
      </div>
      <EventDialog row={all.find(({key}) => key === search.open)} onClose={() => setSearch({open: ''})} />
    </>
  );
}

function NoEvents(props: {
  readonly isLoading: boolean;
  readonly hidden: number;
  readonly onClear: () => void;
}): ReactNode {
  if (props.isLoading) return <Loading label="Loading events" />;
  if (props.hidden > 0)
    return <EmptyState title="No events match" action={<Button onClick={props.onClear}>Clear the filter</Button>} />;
  return (
    <EmptyState title="There are no events" text="The server keeps events for an hour, unless it is set otherwise." />
  );
}
