// SPDX-License-Identifier: Apache-2.0
/**
 * The answer to an apply that writes fields of others.
 * Ref: kubernetes v1.36 apimachinery pkg/util/managedfields/internal/conflict.go.
 */
import {compareUtf8} from '../go/order.ts';
import {goQuote} from '../go/quote.ts';
import {PatchRefused} from '../patch/fault.ts';
import {listPaths} from './fields/field-set.ts';
import {pathText} from './fields/path-element.ts';
import {type Manager, managerId} from './managers.ts';
import type {Conflict} from './ownership.ts';

/** 409 with a cause per field and manager; managers sorted, a manager's fields in the order of its set. */
export function conflictRefusal(conflicts: readonly Conflict[]): PatchRefused {
  const groups = conflicts
    .map(({manager, fields}) => ({
      id: managerId(manager),
      label: managerLabel(manager),
      paths: listPaths(fields).map(pathText),
    }))
    .sort((a, b) => compareUtf8(a.id, b.id));
  const causes = groups.flatMap(({label, paths}) =>
    paths.map(field => ({reason: 'FieldManagerConflict', message: `conflict with ${label}`, field})),
  );
  const [first] = causes;
  const message =
    causes.length === 1 && first !== undefined
      ? `Apply failed with 1 conflict: ${first.message}: ${first.field}`
      : `Apply failed with ${causes.length} conflicts: ${groups
          .flatMap(({label, paths}) => [`conflicts with ${label}:`, ...paths.map(path => `- ${path}`)])
          .join('\n')}`;
  return new PatchRefused({code: 409, reason: 'Conflict', message, causes});
}

function managerLabel(manager: Manager): string {
  let label = goQuote(manager.name);
  if (manager.subresource !== '') label += ` with subresource ${goQuote(manager.subresource)}`;
  return manager.operation === 'Update' ? `${label} using ${manager.apiVersion}` : label;
}
