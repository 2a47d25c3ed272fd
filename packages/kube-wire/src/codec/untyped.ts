// SPDX-License-Identifier: Apache-2.0
/**
 * JSON without a schema, as Go keeps it in `interface{}`: for patches, for values that are passed on as they are, and
 * for the strict check of duplicate keys in them. Whole numbers beyond 2^53 become bigint when they fit in 64 bits.
 * Ref: sigs.k8s.io/json internal/golang/encoding/json decode.go (valueInterface, convertNumber).
 */
import type {Json} from '../schema.ts';
import {cannotUnmarshal} from './decode-error.ts';
import {type JsonNode, JsonSyntaxError} from './json-scan.ts';
import {memberPath} from './strict-faults.ts';

/** Values nested deeper than this are refused where they would be kept: every later step recurses over them. */
export const KEPT_DEPTH_MAX = 1000;

type MutableObject = {[key: string]: Json};

type TreeOptions = {
  /** Told the path of each of equal keys but the first. */
  readonly onDuplicate?: ((path: string) => void) | undefined;
  /** Where the value stands in its document; what `onDuplicate` is told begins with it. */
  readonly path?: string | undefined;
  /** May give the value of a number, a text or an object with equal keys whose spelling counts. */
  readonly spelled?: ((node: JsonNode, depth: number) => Json | undefined) | undefined;
};

/** The value of a tree; the last of equal keys wins. Throws JsonSyntaxError for what is too deep, or beyond any float. */
export function treeToJson(node: JsonNode, options: TreeOptions = {}): Json {
  return toJson(node, options, options.path ?? '', 0);
}

function toJson(node: JsonNode, options: TreeOptions, path: string, depth: number): Json {
  const {onDuplicate, spelled} = options;
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
      return node.items.map((item, i) => toJson(item, options, `${path}[${i}]`, depth + 1));
    case 'object': {
      const out: MutableObject = {};
      const seen = new Set<string>();
      for (const [i, key] of node.keys.entries()) {
        const at = memberPath(path, key);
        if (seen.has(key)) onDuplicate?.(at);
        seen.add(key);
        setOwn(out, key, toJson(node.values[i] as JsonNode, options, at, depth + 1));
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
  if (!Number.isFinite(value)) throw new JsonSyntaxError(cannotUnmarshal(`number ${text}`, 'value of type float64'));
  return value;
}

/** `__proto__` as a key stays a plain key. */
export function setOwn(target: MutableObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, {value, enumerable: true, configurable: true, writable: true});
  } else target[key] = value;
}
