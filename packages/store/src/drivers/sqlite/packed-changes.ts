// SPDX-License-Identifier: Apache-2.0
/**
 * Many changes as three things that pass between threads at little cost: numbers, keys, and all values in one buffer
 * that is moved, not copied. Unpacked values are views of that buffer.
 *   heads: per change id, previousId, createRevision, length of the value (-1: none)
 */
import type {Change, ChangeHead} from '../../log/change.ts';

export type PackedChanges = {
  readonly heads: Float64Array<ArrayBuffer>;
  readonly keys: readonly string[];
  readonly bytes: Uint8Array<ArrayBuffer>;
};

const FIELDS = 4;

/** Values go into `spare` when they fit; it is moved away with them. */
export function packChanges(changes: readonly Change[], spare?: ArrayBuffer): PackedChanges {
  const heads = new Float64Array(changes.length * FIELDS);
  const keys: string[] = [];
  let size = 0;
  for (const {value} of changes) size += value?.length ?? 0;
  const bytes = spare !== undefined && spare.byteLength >= size ? new Uint8Array(spare, 0, size) : new Uint8Array(size);
  let [field, offset] = [0, 0];
  for (const {id, key, previousId, createRevision, value} of changes) {
    keys.push(key);
    heads[field++] = id;
    heads[field++] = previousId;
    heads[field++] = createRevision;
    heads[field++] = value === undefined ? -1 : value.length;
    if (value === undefined) continue;
    bytes.set(value, offset);
    offset += value.length;
  }
  return {heads, keys, bytes};
}

export const transferOf = ({heads, bytes}: PackedChanges): ArrayBuffer[] => [heads.buffer, bytes.buffer];

export function unpackChanges({heads, keys, bytes}: PackedChanges): Change[] {
  let [field, offset] = [0, 0];
  return keys.map(key => {
    const id = heads[field++] ?? 0;
    const previousId = heads[field++] ?? 0;
    const createRevision = heads[field++] ?? 0;
    const length = heads[field++] ?? -1;
    const value = length < 0 ? undefined : bytes.subarray(offset, offset + length);
    offset += Math.max(0, length);
    return {id, key, previousId, createRevision, value};
  });
}

/** Heads travel as changes without values. */
export const toHeadsOnly = (heads: readonly ChangeHead[]): readonly Change[] =>
  heads.map(head => ({...head, value: undefined}));
