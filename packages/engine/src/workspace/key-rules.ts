// SPDX-License-Identifier: Apache-2.0
/** Compares the keys of a user's map with a table of known keys, so that no key is ignored in silence. */
import {nearest, oneOf} from '../nearest.ts';
import {isJsonObject, type Json, type JsonObject} from '../state/resource-json.ts';

/** What a key does here. */
export type KeyRule = {
  /**
   * `used`: it has the effect that it has with the Pulumi CLI. `inert`: it has none on these commands with the CLI either.
   * `refused`: it has one there and none here, so a value other than an empty one is a fault.
   */
  readonly fate: 'used' | 'inert' | 'refused';
  /** Shape of the value; undefined: the code that uses the value checks it. */
  readonly type?: 'text' | 'flag' | 'map' | 'list';
  /** The only values. */
  readonly values?: readonly string[];
  /** Values of `values` that are refused: by value, why and the way out. */
  readonly refusedValues?: Readonly<Record<string, string>>;
  /** The only keys of the map; undefined: any. */
  readonly keys?: KeyRules;
  /** used, inert: the effect. refused: why, and the way out. */
  readonly note: string;
};

export type KeyRules = Readonly<Record<string, KeyRule>>;

export type KeyFaults = {
  /** Values of a wrong shape, and keys that are most likely misspelt. */
  readonly wrong: readonly string[];
  /** Keys and values that have an effect with the Pulumi CLI only. */
  readonly refused: readonly string[];
  /** Unknown keys of an open map. */
  readonly unknown: readonly string[];
};

type Fault = readonly [kind: keyof KeyFaults, text: string];

/** `isOpen`: an unknown key that resembles no known one is not a fault, as other programs may read it. */
export function judgeKeys(content: JsonObject, rules: KeyRules, options: {isOpen: boolean; at?: string}): KeyFaults {
  const faults = faultsOf(content, rules, options.at ?? '', options.isOpen);
  const of = (kind: keyof KeyFaults) => faults.filter(([k]) => k === kind).map(([, text]) => text);
  return {wrong: of('wrong'), refused: of('refused'), unknown: of('unknown')};
}

function faultsOf(content: JsonObject, rules: KeyRules, at: string, isOpen: boolean): Fault[] {
  return Object.entries(content).flatMap(([key, value]): Fault[] => {
    const path = `${at}${key}`;
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule === undefined) return [unknownKey(path, key, Object.keys(rules), isOpen)];
    return value === undefined || value === null ? [] : valueFaults(path, value as Json, rule);
  });
}

function unknownKey(path: string, key: string, known: readonly string[], isOpen: boolean): Fault {
  const near = nearest(key, known);
  if (near !== undefined) return ['wrong', `${path}: there is no such key: did you mean "${near}"?`];
  return isOpen ? ['unknown', path] : ['wrong', `${path}: there is no such key: expected ${oneOf(known)}`];
}

function valueFaults(path: string, value: Json, rule: KeyRule): Fault[] {
  if (rule.fate === 'refused') return isEmpty(value) ? [] : [['refused', `${path}: ${rule.note}`]];
  if (rule.type !== undefined && !SHAPES[rule.type].is(value))
    return [['wrong', `${path}: expected ${SHAPES[rule.type].word}, found ${JSON.stringify(value)}`]];
  if (rule.values !== undefined && !rule.values.includes(String(value)))
    return [['wrong', `${path}: expected ${oneOf(rule.values)}, found ${JSON.stringify(value)}`]];
  const why = rule.refusedValues?.[String(value)];
  if (why !== undefined) return [['refused', `${path}: ${String(value)}: ${why}`]];
  return rule.keys !== undefined && isJsonObject(value) ? faultsOf(value, rule.keys, `${path}.`, false) : [];
}

const SHAPES: Readonly<Record<NonNullable<KeyRule['type']>, {word: string; is: (value: Json) => boolean}>> = {
  text: {word: 'a string', is: value => typeof value === 'string'},
  flag: {word: 'true or false', is: value => typeof value === 'boolean'},
  map: {word: 'a map', is: isJsonObject},
  list: {word: 'a list', is: Array.isArray},
};

const isEmpty = (value: Json): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
