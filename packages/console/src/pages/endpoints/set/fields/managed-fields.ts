// SPDX-License-Identifier: Apache-2.0
/** Which manager has which field. Ref: structured-merge-diff v6 fieldpath serialization (FieldsV1). */
import type {ManagedFieldsEntry} from '@palisade/client/browser';

export type ManagedField = {
  readonly key: string;
  /** `metadata.labels.app`, `subsets`, `ports[port=80,protocol=TCP].name`. */
  readonly field: string;
  readonly manager: string;
  /** Apply or Update. */
  readonly operation: string;
  readonly subresource: string;
  readonly time: string | undefined;
};

/** Managers by name, with what they did last and how many fields they have. */
export type Manager = {
  readonly name: string;
  readonly fields: number;
};

/** Names that a path shows as they are. */
const PLAIN = /^[\w/-]+$/;

function stepText(step: string): string {
  const rest = step.slice(2);
  if (step.startsWith('f:')) return PLAIN.test(rest) ? `.${rest}` : `[${JSON.stringify(rest)}]`;
  if (step.startsWith('i:')) return `[${rest}]`;
  if (step.startsWith('v:')) return `[=${rest}]`;
  if (step.startsWith('k:')) return `[${keysText(rest)}]`;
  return `[${step}]`;
}

function keysText(json: string): string {
  try {
    const keys = JSON.parse(json) as Record<string, unknown>;
    return Object.entries(keys)
      .map(([name, value]) => `${name}=${String(value)}`)
      .join(',');
  } catch {
    return json;
  }
}

/** Paths of the fields in a FieldsV1: its leaves, and nodes that are marked with `.`. */
export function fieldPaths(fields: unknown, path = ''): readonly string[] {
  if (typeof fields !== 'object' || fields === null) return [];
  return Object.entries(fields).flatMap(([step, inner]) => {
    if (step === '.') return path === '' ? [] : [path];
    const next = `${path}${stepText(step)}`.replace(/^\./, '');
    const isLeaf = typeof inner !== 'object' || inner === null || Object.keys(inner).length === 0;
    return isLeaf ? [next] : fieldPaths(inner, next);
  });
}

/** One row for each field of each manager: a field of several managers has several rows. */
export const managedFieldsOf = (entries: readonly ManagedFieldsEntry[]): readonly ManagedField[] =>
  entries
    .flatMap(({manager = '', operation = '', subresource = '', time, fieldsV1}) =>
      fieldPaths(fieldsV1).map(field => ({
        key: JSON.stringify([field, manager, operation, subresource]),
        ...{field, manager, operation, subresource, time},
      })),
    )
    .toSorted((a, b) => (a.field < b.field ? -1 : a.field > b.field ? 1 : 0));

export function managersOf(fields: readonly ManagedField[]): readonly Manager[] {
  const counts = Map.groupBy(fields, ({manager}) => manager);
  return [...counts].map(([name, {length}]) => ({name, fields: length}));
}

export const matchingFields = (
  fields: readonly ManagedField[],
  q: string,
  manager: string,
): readonly ManagedField[] => {
  const wanted = q.trim().toLowerCase();
  return fields.filter(
    one =>
      (manager === '' || one.manager === manager) &&
      (wanted === '' || `${one.field} ${one.manager} ${one.operation}`.toLowerCase().includes(wanted)),
  );
};
