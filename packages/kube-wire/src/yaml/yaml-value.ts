// SPDX-License-Identifier: Apache-2.0
/**
 * What go-yaml reads into `interface{}`, and how Go prints it. A float is no integer there: `1` and `1.0` are two keys of
 * one map, and `1e6` is printed `1e+06`. Ref: Go internal/fmtsort, fmt `%#v`.
 */
import {compareUtf8} from '../go/order.ts';
import {goQuote} from '../go/quote.ts';
import {goFloat} from '../patch/go-text.ts';

const INT64_MAX = 2n ** 63n - 1n;

export class YamlFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

export type YamlKey = string | number | bigint | boolean | null | YamlFloat;
export type YamlMap = Map<YamlKey, YamlValue>;
export type YamlValue = YamlKey | YamlValue[] | YamlMap;

export const isUnsigned = (value: YamlValue): value is bigint => typeof value === 'bigint' && value > INT64_MAX;

/** A value as `%#v` prints it. */
export function goSyntax(value: YamlValue): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (value instanceof YamlFloat) return floatText(value.value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (value instanceof Map) {
    const members = [...value].sort(([a], [b]) => compareKeys(a, b));
    return `map[interface {}]interface {}{${members.map(([k, v]) => `${goSyntax(k)}:${goSyntax(v)}`).join(', ')}}`;
  }
  return isUnsigned(value) ? `0x${value.toString(16)}` : String(value);
}

export function floatText(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : goFloat(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

/** The order of Go types in a map with keys of several: where the linker of kube-apiserver put them. */
function rankOf(key: YamlKey): number {
  if (key === null) return 0;
  if (typeof key === 'string') return 1;
  if (isUnsigned(key)) return 2;
  if (key instanceof YamlFloat) return 4;
  return typeof key === 'boolean' ? 5 : 3;
}

function compareKeys(a: YamlKey, b: YamlKey): number {
  if (typeof a === 'string' && typeof b === 'string') return compareUtf8(a, b);
  if (a instanceof YamlFloat && b instanceof YamlFloat) return compareFloats(a.value, b.value);
  const ranks = rankOf(a) - rankOf(b);
  if (ranks !== 0 || a === null || b === null) return ranks;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** NaN is before all others. */
function compareFloats(a: number, b: number): number {
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : -1;
  return Number.isNaN(b) || a > b ? 1 : a < b ? -1 : 0;
}
