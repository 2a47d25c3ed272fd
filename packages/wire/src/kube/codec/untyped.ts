// SPDX-License-Identifier: Apache-2.0
/**
 * JSON without a schema, as Go keeps it in `interface{}`: for patches, for values that are passed on as they are, and
 * for the strict check of duplicate keys in them. Whole numbers beyond 2^53 become bigint when they fit in 64 bits.
 * Ref: sigs.k8s.io/json internal/golang/encoding/json decode.go (valueInterface, convertNumber).
 */
import type {Json} from '../schema.ts';
import {type JsonNode, JsonSyntaxError} from './json-scan.ts';

/** Values nested deeper than this are refused where they would be kept: every later step recurses over them. */
export const KEPT_DEPTH_MAX = 1000;

type MutableObject = {[key: string]: Json};

/**
 * Converts a tree; the last of equal keys wins and `onDuplicate` is told the path of the others. `spelled` may give
 * the value of a number, a text or an object with equal keys whose spelling counts.
 */
export function treeToJson(
  node: JsonNode,
  onDuplicate?: (path: string) => void,
  path = '',
  depth = 0,
  spelled?: (node: JsonNode, depth: number) => Json | undefined,
): Json {
  if (depth > KEPT_DEPTH_MAX) throw new JsonSyntaxError('exceeded max depth');
  switch (node.kind) {
    case 'null':
      return null;
    case 'bool':
      return node.value;
    case 'string':
      return spelled?.(node, depth) ?? node.text;
    case 'number':
      return spelled?.(node, depth) ?? toNumber(node.text);
    case 'array':
      return node.items.map((item, i) => treeToJson(item, onDuplicate, `${path}[${i}]`, depth + 1, spelled));
    case 'object': {
      const out: MutableObject = {};
      const seen = new Set<string>();
      for (const [i, key] of node.keys.entries()) {
        const at = path === '' ? key : `${path}.${key}`;
        if (seen.has(key)) onDuplicate?.(at);
        seen.add(key);
        define(out, key, treeToJson(node.values[i] as JsonNode, onDuplicate, at, depth + 1, spelled));
      }
      return (seen.size < node.keys.length ? spelled?.(node, depth) : undefined) ?? out;
    }
  }
}

/** For `spelled`: a number beyond any float is the largest one. */
export const clampedNumber = (node: JsonNode): number | undefined =>
  node.kind === 'number' && !Number.isFinite(Number(node.text)) ? Number.MAX_VALUE : undefined;

function toNumber(text: string): number | bigint {
  if (/^-?\d+$/.test(text)) {
    const value = Number(text);
    if (Number.isSafeInteger(value)) return value + 0;
    const exact = BigInt(text);
    if (exact === BigInt.asIntN(64, exact)) return exact;
  }
  const value = Number(text);
  if (!Number.isFinite(value))
    throw new JsonSyntaxError(`json: cannot unmarshal number ${text} into Go value of type float64`);
  return value;
}

function define(target: MutableObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, {value, enumerable: true, configurable: true, writable: true});
  } else target[key] = value;
}
