// SPDX-License-Identifier: Apache-2.0
/** google.protobuf.FieldMask over Endpoint: which input fields an update replaces. Ref: AIP-134. */
import {type EndpointField, endpointFieldName, INPUT_FIELDS} from './endpoint-json.ts';
import type {FieldViolation} from './rpc-status.ts';

/** `implicit`: no mask was given; `star`: `*`. Either way all fields are replaced, but only `*` insists on the required ones. */
export type MaskScope = 'mask' | 'implicit' | 'star';

/**
 * The input fields of a comma-separated mask, in camelCase, each once. Absent, empty or `*`: all of them. Output-only paths are
 * left out silently; unknown ones, and paths below a field, are violations. `labels.k` is not a path of a proto3 map.
 */
export const parseEndpointMask = (
  mask: string | undefined,
  parameter = 'updateMask',
): {
  readonly fields: readonly EndpointField[];
  readonly scope: MaskScope;
  readonly violations: readonly FieldViolation[];
} => {
  const paths = (mask ?? '').split(',').map(path => path.trim());
  const isStar = paths.length === 1 && paths[0] === '*';
  if (isStar || paths.every(path => path === ''))
    return {fields: INPUT_FIELDS, scope: isStar ? 'star' : 'implicit', violations: []};
  const fields = new Set<EndpointField>();
  const violations: FieldViolation[] = [];
  for (const path of paths) {
    const name = endpointFieldName(path);
    if (name === undefined) {
      const description =
        path === '*' ? '"*" stands for all fields and goes with no other path' : `"${path}" is not a field of Endpoint`;
      violations.push({field: parameter, description});
    } else if ((INPUT_FIELDS as readonly string[]).includes(name)) {
      fields.add(name as EndpointField);
    }
  }
  return {fields: [...fields], scope: 'mask', violations};
};
