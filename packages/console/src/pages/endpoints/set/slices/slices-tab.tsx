// SPDX-License-Identifier: Apache-2.0
import type {Endpoints} from '@palisade/client/browser';
import {type ReactNode, useMemo} from 'react';
import {useApi, useKubeList} from '../../../../api/index.ts';
import {
  byText,
  type Column,
  EmptyState,
  ErrorState,
  Loading,
  ReadyRatio,
  sortRows,
  Time,
  VirtualTable,
} from '../../../../ui/index.ts';
import css from '../set.module.css';
import type {TabSearch} from '../set-search.ts';
import {
  canHaveSlices,
  ENDPOINT_SLICES,
  type EndpointSlice,
  type SliceRow,
  sliceSelector,
  toSliceRow,
} from './slices.ts';

const COLUMNS: readonly Column<SliceRow>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 132,
    grow: 2,
    compare: byText(row => row.name),
    cell: row => <span title={row.name}>{row.name}</span>,
  },
  {id: 'type', title: 'Addresses', width: 90, wideOnly: true, cell: row => row.addressType},
  {id: 'ready', title: 'Ready', width: 140, cell: row => <ReadyRatio ready={row.ready} total={row.total} />},
  {
    id: 'ports',
    title: 'Ports',
    width: 160,
    grow: 2,
    wideOnly: true,
    cell: row => <span className="num">{row.ports}</span>,
  },
  {
    id: 'manager',
    title: 'Managed by',
    width: 180,
    grow: 3,
    wideOnly: true,
    cell: row => <span title={row.manager}>{row.manager === '' ? '–' : row.manager}</span>,
  },
  {id: 'age', title: 'Age', width: 64, align: 'right', cell: row => <Time at={row.created} form="age" />},
];
const keyOf = ({name}: SliceRow): string => name;

type SlicesProps = TabSearch & {readonly object: Endpoints};

export function SlicesTab(props: SlicesProps): ReactNode {
  const {name = ''} = props.object.metadata ?? {};
  if (canHaveSlices(name)) return <Slices {...props} />;
  return (
    <EmptyState
      title="This set has no EndpointSlices"
      text={`A slice names its set in a label, which holds up to 63 characters. The name of this set has ${name.length}.`}
    />
  );
}

function Slices({object, search, setSearch}: SlicesProps): ReactNode {
  const {kube} = useApi();
  const client = useMemo(() => kube.resource<EndpointSlice>(ENDPOINT_SLICES), [kube]);
  const {namespace = '', name = ''} = object.metadata ?? {};
  const list = useKubeList({
    id: 'endpointslices',
    client,
    namespace,
    labelSelector: sliceSelector(name),
    toRow: toSliceRow,
  });
  if (list.phase === 'refused')
    return <ErrorState title="EndpointSlices cannot be listed" text={list.error ?? ''} onRetry={list.retry} />;
  return (
    <div className={css['table']}>
      <VirtualTable
        label="EndpointSlices"
        columns={COLUMNS}
        rows={sortRows(list.rows, COLUMNS, search.sort)}
        rowKey={keyOf}
        sort={search.sort}
        onSort={sort => setSearch({sort})}
        empty={
          list.phase === 'loading' ? (
            <Loading label="Loading EndpointSlices" />
          ) : (
            <EmptyState
              title="No EndpointSlice belongs to this set"
              text={`Slices belong to it by the label ${sliceSelector(name)}. The server mirrors sets that have addresses.`}
            />
          )
        }
      />
    </div>
  );
}
