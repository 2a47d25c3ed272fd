// SPDX-License-Identifier: Apache-2.0
import type {Operation} from '@palisade/client/browser';
import {type ReactNode, useMemo} from 'react';
import {Badge, type Column, durationText, EmptyState, Time, type Tone, VirtualTable} from '../../../ui/index.ts';
import css from '../ids-endpoints.module.css';
import {type HistoryRow, historyOf} from '../model/changes.ts';
import {operationNoun, operationSeconds, operationText, outcomeOf} from '../model/operations.ts';

const TONES: Readonly<Record<ReturnType<typeof outcomeOf>, Tone>> = {
  Running: 'accent',
  Done: 'ok',
  Failed: 'bad',
  Cancelled: 'warn',
};

const detailsOf = ({operation, changes}: HistoryRow): string =>
  [changes, operationText(operation)].filter(text => text !== '').join('. ');

const COLUMNS: readonly Column<HistoryRow>[] = [
  {id: 'verb', title: 'Operation', width: 90, grow: 1, cell: ({operation}) => operationNoun(operation)},
  {
    id: 'outcome',
    title: 'Outcome',
    width: 106,
    cell: ({operation}) => (
      <Badge tone={TONES[outcomeOf(operation)]} title={operationText(operation)}>
        {outcomeOf(operation)}
      </Badge>
    ),
  },
  {
    id: 'age',
    title: 'Age',
    width: 76,
    align: 'right',
    cell: ({operation}) => <Time at={operation.metadata?.createTime} form="age" />,
  },
  {
    id: 'started',
    title: 'Started',
    width: 170,
    wideOnly: true,
    cell: ({operation}) => <Time at={operation.metadata?.createTime} form="absolute" />,
  },
  {
    id: 'took',
    title: 'Took',
    width: 100,
    wideOnly: true,
    align: 'right',
    cell: ({operation}) => {
      const seconds = operationSeconds(operation);
      return <span className="num">{seconds === undefined ? '–' : durationText(seconds)}</span>;
    },
  },
  {
    id: 'text',
    title: 'Details',
    width: 200,
    grow: 4,
    wideOnly: true,
    cell: row => <span title={detailsOf(row)}>{detailsOf(row)}</span>,
  },
];

/** Operations of the endpoint that the server still keeps, newest first. */
export function HistoryTab({operations}: {readonly operations: readonly Operation[]}): ReactNode {
  const rows = useMemo(() => historyOf(operations), [operations]);
  return (
    <div className={css['history']}>
      <VirtualTable
        label="Operations"
        columns={COLUMNS}
        rows={rows}
        rowKey={({operation}) => operation.name}
        empty={
          <EmptyState
            title="There are no operations"
            text="The server removes operations some time after their end, and you may lack the permission ids.operations.list."
          />
        }
      />
    </div>
  );
}
