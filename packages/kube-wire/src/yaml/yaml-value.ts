// SPDX-License-Identifier: Apache-2.0
/**
 * What go-yaml reads into `interface{}`. A float is no integer there: `1` and `1.0` are two keys of one map.
 */
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

/** As Go prints it with `%#v`. */
export function floatText(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : goFloat(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
