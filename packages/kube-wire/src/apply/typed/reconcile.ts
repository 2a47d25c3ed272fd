// SPDX-License-Identifier: Apache-2.0
/**
 * A field set written under another schema, brought to this one: where a list or map has become atomic since, the
 * owner of any part of it owns the whole. (The other direction needs nothing: the whole stays owned.)
 * Ref: structured-merge-diff v6 typed/reconcile_schema.go.
 */
import type {FieldNode, FieldSet} from '../fields/field-set.ts';
import {type MapShape, memberShape, type Shape} from './shape.ts';

/** The same set where nothing has to change. */
export function reconcileFields(fields: FieldSet, shape: MapShape): FieldSet {
  return reconcileLevel(fields, shape);
}

function reconcileLevel(fields: FieldSet, shape: Shape): FieldSet {
  let out: Map<string, FieldNode> | undefined;
  for (const [step, node] of fields) {
    if (node.children === undefined) continue;
    const child = childShape(shape, step);
    if (child === undefined || child.kind === 'scalar' || child.kind === 'any') continue;
    let reconciled: FieldNode;
    if (child.atomic) {
      reconciled = {member: true, children: undefined};
    } else {
      const children = reconcileLevel(node.children, child);
      if (children === node.children) continue;
      reconciled = {member: node.member, children};
    }
    out ??= new Map(fields);
    out.set(step, reconciled);
  }
  return out ?? fields;
}

function childShape(shape: Shape, step: string): Shape | undefined {
  if (shape.kind === 'map') return step.startsWith('f:') ? memberShape(shape, step.slice(2)) : undefined;
  return shape.kind === 'list' ? shape.item : undefined;
}
