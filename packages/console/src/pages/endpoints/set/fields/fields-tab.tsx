// SPDX-License-Identifier: Apache-2.0
import type {Endpoints} from '@palisade/client/browser';
import {type ReactNode, useMemo} from 'react';
import {
  Badge,
  Button,
  byText,
  type Column,
  counted,
  EmptyState,
  FilterBar,
  Select,
  sortRows,
  Time,
  VirtualTable,
} from '../../../../ui/index.ts';
import css from '../set.module.css';
import type {TabSearch} from '../set-search.ts';
import {type ManagedField, managedFieldsOf, managersOf, matchingFields} from './managed-fields.ts';

const COLUMNS: readonly Column<ManagedField>[] = [
  {
    id: 'field',
    title: 'Field',
    width: 164,
    grow: 3,
    compare: byText(row => row.field),
    cell: row => (
      <code className={css['tail']} title={row.field}>
        <bdi dir="ltr">{row.field}</bdi>
      </code>
    ),
  },
  {
    id: 'manager',
    title: 'Manager',
    width: 100,
    grow: 1,
    compare: byText(row => row.manager),
    cell: row => <span title={row.manager}>{row.manager}</span>,
  },
  {
    id: 'operation',
    title: 'Operation',
    width: 150,
    wideOnly: true,
    compare: byText(row => row.operation),
    cell: row => (
      <Badge tone={row.operation === 'Apply' ? 'accent' : 'neutral'} plain>
        {row.subresource === '' ? row.operation : `${row.operation} of ${row.subresource}`}
      </Badge>
    ),
  },
  {
    id: 'time',
    title: 'Written',
    width: 84,
    align: 'right',
    compare: byText(row => row.time ?? ''),
    cell: row => <Time at={row.time} />,
  },
];
const keyOf = ({key}: ManagedField): string => key;

/** Who manages which field, as managedFields of the object say. */
export function FieldsTab({object, search, setSearch}: TabSearch & {readonly object: Endpoints}): ReactNode {
  const fields = useMemo(() => managedFieldsOf(object.metadata?.managedFields ?? []), [object]);
  const managers = useMemo(() => managersOf(fields), [fields]);
  const shown = useMemo(
    () => sortRows(matchingFields(fields, search.q, search.manager), COLUMNS, search.sort),
    [fields, search.q, search.manager, search.sort],
  );
  return (
    <>
      <FilterBar label="Filter fields" placeholder="Field or manager" value={search.q} onChange={q => setSearch({q})}>
        <Select
          label="Manager"
          hideLabel
          value={search.manager}
          onChange={event => setSearch({manager: event.target.value})}
          options={[
            {value: '', label: `All managers (${managers.length})`},
            ...managers.map(({name, fields: count}) => ({value: name, label: `${name} (${count})`})),
          ]}
        />
        <span className="muted num" role="status">
          {counted(shown.length, fields.length)}
        </span>
      </FilterBar>
      <div className={css['table']}>
        <VirtualTable
          label="Managed fields"
          columns={COLUMNS}
          rows={shown}
          rowKey={keyOf}
          sort={search.sort}
          onSort={sort => setSearch({sort})}
          empty={
            fields.length === 0 ? (
              <EmptyState title="No manager has a field of this object" text="It has no managedFields." />
            ) : (
              <EmptyState
                title="No fields match"
                action={<Button onClick={() => setSearch({q: '', manager: ''})}>Clear filters</Button>}
              />
            )
          }
        />
      </div>
    </>
  );
}
