// SPDX-License-Identifier: Apache-2.0
/**
 * YAML to JSON as sigs.k8s.io/yaml does it: the first document, keys turned into strings, the last of equal keys wins.
 * Ref: sigs.k8s.io/yaml v1.6.0 yaml.go, go.yaml.in/yaml/v2 v2.4.3 decode.go.
 */

import {DecodeError} from '../codec/decode-error.ts';
import {encodeUntyped} from '../codec/encode.ts';
import {compareUtf8} from '../go/order.ts';
import type {Json} from '../schema.ts';
import {type Resolved, resolveScalar} from './yaml-scalar.ts';
import {composeYaml, type YamlAlias, type YamlNode, type YamlScalar} from './yaml-syntax/compose.ts';
import {floatText, goSyntax, isUnsigned, YamlFloat, type YamlKey, type YamlMap, type YamlValue} from './yaml-value.ts';

/** An alias may stand for at most this share of all nodes, in documents with more than 1000 of them. */
const ALIAS_RATIO_MAX = 0.99;
const DEPTH_MAX = 1000;

/**
 * JSON text with sorted keys. `strictErrors` has at most one text: every duplicate key of the document.
 * Throws DecodeError with go-yaml's text (`yaml: line 2: …`).
 */
export function yamlToJson(body: Uint8Array): {text: string; strictErrors: readonly string[]} {
  const root = composeYaml(body);
  if (root === undefined) return {text: 'null', strictErrors: []};
  const reader = new YamlReader();
  const value = reader.read(root, 0);
  const duplicates = reader.duplicates;
  const strictErrors =
    duplicates.length === 0 ? [] : [`yaml: unmarshal errors:\n${duplicates.map(d => `  ${d}`).join('\n')}`];
  const json = toJson(value);
  if (reader.hasInfinite) refuseInfinite(json);
  return {text: encodeUntyped(json), strictErrors};
}

class YamlReader {
  readonly duplicates: string[] = [];
  /** Some number, or a key, is one that JSON cannot hold. */
  hasInfinite = false;
  readonly #open = new Set<YamlAlias>();
  readonly #floatKeys = new Map<number, YamlFloat>();
  #nodes = 0;
  #aliased = 0;
  #aliasDepth = 0;

  read(node: YamlNode, depth: number): YamlValue {
    if (depth > DEPTH_MAX) throw new DecodeError(`yaml: exceeded max depth of ${DEPTH_MAX}`);
    this.#count();
    switch (node.kind) {
      case 'alias':
        return this.#followed(node, target => this.read(target, depth + 1));
      case 'sequence':
        return node.children.map(item => this.read(item, depth + 1));
      case 'mapping': {
        const map: YamlMap = new Map();
        this.#fill(node.children, map, depth);
        return map;
      }
      case 'scalar': {
        const value = scalarValue(node);
        if (value instanceof YamlFloat && !Number.isFinite(value.value)) this.hasInfinite = true;
        return value;
      }
    }
  }

  #count(): void {
    this.#nodes++;
    if (this.#aliasDepth > 0) this.#aliased++;
    if (this.#aliased > 100 && this.#nodes > 1000 && this.#aliased / this.#nodes > allowedAliasRatio(this.#nodes)) {
      throw new DecodeError('yaml: document contains excessive aliasing');
    }
  }

  #followed<T>(alias: YamlAlias, use: (target: YamlNode) => T): T {
    if (this.#open.has(alias)) throw new DecodeError(`yaml: anchor '${alias.name}' value contains itself`);
    this.#open.add(alias);
    this.#aliasDepth++;
    const result = use(alias.target);
    this.#aliasDepth--;
    this.#open.delete(alias);
    return result;
  }

  #fill(children: readonly YamlNode[], into: YamlMap, depth: number): void {
    for (let i = 0; i + 1 < children.length; i += 2) {
      const [name, member] = [children[i] as YamlNode, children[i + 1] as YamlNode];
      if (isMerge(name)) {
        this.#merge(member, into, depth + 1);
        continue;
      }
      const read = this.read(name, depth + 1);
      if (read instanceof Map || Array.isArray(read)) throw new DecodeError(`yaml: invalid map key: ${goSyntax(read)}`);
      const key = read instanceof YamlFloat ? this.#floatKey(read) : read;
      const value = this.read(member, depth + 1);
      if (into.has(key)) this.#duplicate(member, read);
      into.set(key, value);
    }
  }

  /** Equal floats are one key; NaN is equal to none, not even to itself. */
  #floatKey(float: YamlFloat): YamlFloat {
    if (Number.isNaN(float.value)) return float;
    const known = this.#floatKeys.get(float.value) ?? float;
    this.#floatKeys.set(float.value, known);
    return known;
  }

  #merge(node: YamlNode, into: YamlMap, depth: number): void {
    if (node.kind === 'sequence') for (const item of [...node.children].reverse()) this.#mergeOne(item, into, depth);
    else this.#mergeOne(node, into, depth);
  }

  #mergeOne(node: YamlNode, into: YamlMap, depth: number): void {
    if (depth > DEPTH_MAX) throw new DecodeError('yaml: exceeded max depth of 10000');
    const map = node.kind === 'alias' ? node.target : node;
    if (map.kind !== 'mapping') throw new DecodeError('yaml: map merge requires map or sequence of maps as the value');
    this.#count();
    if (node.kind === 'alias') this.#followed(node, () => this.#mergeOne(map, into, depth + 1));
    else this.#fill(map.children, into, depth + 1);
  }

  #duplicate({line}: YamlNode, key: YamlKey): void {
    this.duplicates.push(`line ${line + 1}: key ${key === null ? '<nil>' : goSyntax(key)} already set in map`);
  }
}

const LONG_TAG = 'tag:yaml.org,2002:';

const isMerge = (node: YamlNode): boolean =>
  node.kind === 'scalar' && node.value === '<<' && (node.isPlain || node.tag === `${LONG_TAG}merge`);

function resolved({tag, value, isPlain}: YamlScalar): Resolved {
  if (tag === '') return isPlain ? resolveScalar(value) : {tag: 'str', value};
  const short = tag.startsWith(LONG_TAG) ? `!!${tag.slice(LONG_TAG.length)}` : tag;
  return short === '!!binary' ? {tag: 'str', value: fromBase64(value)} : resolvedAs(short, value);
}

/** What looks like a time stays a string. */
function scalarValue(node: YamlScalar): YamlValue {
  const {tag, value} = resolved(node);
  if (tag === 'float') return new YamlFloat(Number(value));
  return tag === 'timestamp' ? node.value : value;
}

function allowedAliasRatio(nodes: number): number {
  if (nodes <= 400_000) return ALIAS_RATIO_MAX;
  return nodes >= 4_000_000 ? 0.1 : ALIAS_RATIO_MAX - 0.89 * ((nodes - 400_000) / 3_600_000);
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function fromBase64(text: string): string {
  if (!BASE64.test(text.replace(/[\r\n]/g, ''))) {
    throw new DecodeError('yaml: !!binary value contains invalid base64 data');
  }
  return Buffer.from(text, 'base64').toString();
}

const CHECKED_TAGS = ['!!bool', '!!int', '!!float', '!!null', '!!timestamp'];

/** The value under a tag; under one without a meaning it is a string. */
function resolvedAs(tag: string, text: string): Resolved {
  if (!CHECKED_TAGS.includes(tag)) return {tag: 'str', value: text};
  const plain = resolveScalar(text);
  const found: Resolved = plain.tag === 'timestamp' && tag !== '!!timestamp' ? {tag: 'str', value: text} : plain;
  if (tag === `!!${found.tag}`) return found;
  if (tag === '!!float' && found.tag === 'int' && !isUnsigned(found.value))
    return {tag: 'float', value: Number(found.value)};
  throw new DecodeError(`yaml: cannot decode !!${found.tag} \`${text}\` as a ${tag}`);
}

const unsupportedKey = (type: string, key: string, value: YamlValue): DecodeError =>
  new DecodeError(
    `unsupported map key of type: ${type}, key: ${key}, value: ${value === null ? '<nil>' : goSyntax(value)}`,
  );

function toJson(value: YamlValue): Json {
  if (value instanceof YamlFloat) return value.value;
  if (Array.isArray(value)) return value.map(toJson);
  if (!(value instanceof Map)) return value;
  const out = new Map<string, Json>();
  for (const [key, member] of value) {
    if (key === null) throw unsupportedKey('%!s(<nil>)', '<nil>', member);
    if (isUnsigned(key)) throw unsupportedKey('uint64', `0x${key.toString(16)}`, member);
    out.set(key instanceof YamlFloat ? floatKey(key.value) : String(key), toJson(member));
  }
  return Object.fromEntries(out);
}

/** Of several numbers that JSON cannot hold the first is told in the order in which the document is written, keys sorted. */
function refuseInfinite(json: Json): void {
  if (typeof json === 'number' && !Number.isFinite(json)) {
    throw new DecodeError(`json: unsupported value: ${floatText(json)}`);
  }
  if (typeof json !== 'object' || json === null) return;
  if (Array.isArray(json)) json.forEach(refuseInfinite);
  else for (const [, member] of Object.entries(json).sort(([a], [b]) => compareUtf8(a, b))) refuseInfinite(member);
}

/** A float as a key: the shortest digits of 32 bits, with an exponent where they are many. */
function floatKey(key: number): string {
  if (Number.isNaN(key)) return '.nan';
  const short = Math.fround(key);
  if (!Number.isFinite(short)) return short > 0 ? '.inf' : '-.inf';
  for (let digits = 1; ; digits++) {
    const text = short.toExponential(digits - 1);
    if (digits < 9 && Math.fround(Number(text)) !== short) continue;
    const [mantissa = '', exponent = '0'] = text.split('e');
    const scale = Number(exponent);
    if (scale >= -4 && scale < 6) return Object.is(short, -0) ? '-0' : String(Number(text));
    return `${mantissa}e${scale < 0 ? '-' : '+'}${String(Math.abs(scale)).padStart(2, '0')}`;
  }
}
