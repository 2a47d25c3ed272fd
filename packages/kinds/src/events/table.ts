// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 pkg/printers/internalversion/printers.go AddHandlers, printEvent. */
import {
  humanDuration,
  type KubeObject,
  type TableColumn,
  type TableConvertor,
  tableNameColumns,
} from '@palisade/apiserver';
import {textColumn as column} from '../doc-column.ts';
import {toCoreEvent} from './conversion.ts';
import type {CoreEvent} from './types.ts';

const [NAME] = tableNameColumns([]) as readonly [TableColumn, TableColumn];

const columns: readonly TableColumn[] = [
  column('Last Seen', 'The time at which the most recent occurrence of this event was recorded.'),
  column('Type', 'Type of this event (Normal, Warning), new types could be added in the future'),
  column(
    'Reason',
    'This should be a short, machine understandable string that gives the reason for the transition ' +
      "into the object's current status.",
  ),
  column('Object', 'The object that this event is about.'),
  column(
    'Subobject',
    'If referring to a piece of an object instead of an entire object, this string should contain a ' +
      'valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, ' +
      'if the object reference is to a container within a pod, this would take on a value like: ' +
      '"spec.containers{name}" (where "name" refers to the name of the container that triggered the ' +
      'event) or if no container name is specified "spec.containers[2]" (container with index 2 in ' +
      'this pod). This syntax is chosen only to have some well-defined way of referencing a part of an ' +
      'object.',
    1,
  ),
  column('Source', 'The component reporting this event. Should be a short machine understandable string.', 1),
  column('Message', 'A human-readable description of the status of this operation.'),
  column('First Seen', 'The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)', 1),
  column('Count', 'The number of times this event has occurred.', 1),
  {...NAME, priority: 1},
];

const since = (time: string | null | undefined, nowMs: number): string =>
  time == null ? '<unknown>' : humanDuration(nowMs - Date.parse(time));

const cellsOf = (event: CoreEvent, nowMs: number): readonly (string | number)[] => {
  const {involvedObject: about = {}, source = {}, series, message = '', reason = '', type = ''} = event;
  const first = since(event.firstTimestamp ?? event.eventTime, nowMs);
  const last = event.lastTimestamp == null ? first : since(event.lastTimestamp, nowMs);
  const kind = (about.kind ?? '').toLowerCase();
  const from = [source.component || event.reportingComponent, source.host || event.reportingInstance];
  return [
    series == null ? last : since(series.lastObservedTime, nowMs),
    type,
    reason,
    (about.name ?? '') === '' ? kind : `${kind}/${about.name}`,
    about.fieldPath ?? '',
    from[1] ? `${from[0] ?? ''}, ${from[1]}` : (from[0] ?? ''),
    message.trim(),
    first,
    series == null ? event.count || 1 : (series.count ?? 0),
    event.metadata.name ?? '',
  ];
};

export const coreEventTable: TableConvertor = {
  columns,
  cells: (object, nowMs) => cellsOf(object as CoreEvent, nowMs),
};

export const eventsEventTable: TableConvertor = {
  columns,
  cells: (object: KubeObject, nowMs) => cellsOf({...toCoreEvent(object), metadata: object.metadata}, nowMs),
};
