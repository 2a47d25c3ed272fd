// SPDX-License-Identifier: Apache-2.0
/**
 * YAML to JSON as sigs.k8s.io/yaml does it: the first document, keys turned into strings, the last of equal keys wins.
 * Ref: sigs.k8s.io/yaml v1.6.0 yaml.go, go.yaml.in/yaml/v2 v2.4.3 decode.go.
 */

import {DecodeError} from '../codec/decode-error.ts';
import {encodeUntyped} from '../codec/encode.ts';
import {goQuote} from '../go/quote.ts';
import type {Json} from '../schema.ts';
import {composeYaml, DEPTH_MAX, type YamlAlias, type YamlNode, type YamlScalar, yamlFault} from './compose.ts';
import {type Resolved, resolveScalar} from './yaml-scalar.ts';
import {floatText, isUnsigned, YamlFloat, type YamlKey, type YamlMap, type YamlValue} from './yaml-value.ts';

/** An alias may stand for at most this share of all nodes, in documents with more than 1000 of them. */
const ALIAS_RATIO_MAX = 0.99;
/** Characters that aliases may add to a document. */
const ALIASED_TEXT_MAX = 10_000_000;

/**
 * JSON text with sorted keys. `strictErrors` has at most one text: every duplicate key of the document.
 * Throws DecodeError (`yaml: line 2: …`).
 */
export function yamlToJson(body: Uint8Array): {text: string; strictErrors: readonly string[]} {
  const root = composeYaml(body);
  if (root === undefined) return {text: 'null', strictErrors: []};
  const reader = new YamlReader();
  const value = reader.read(root, 0);
  const duplicates = reader.duplicates;
  const strictErrors =
    duplicates.length === 0 ? [] : [`yaml: unmarshal errors:\n${duplicates.map(d => `  ${d}`).join('\n')}`];
  return {text: encodeUntyped(toJson(value)), strictErrors};
}

class YamlReader {
  readonly duplicates: string[] = [];
  readonly #open = new Set<YamlAlias>();
  readonly #floatKeys = new Map<number, YamlFloat>();
  #nodes = 0;
  #aliased = 0;
  #aliasedText = 0;
  #aliasDepth = 0;

  read(node: YamlNode, depth: number): YamlValue {
    this.#count(node, depth);
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
      case 'scalar':
        if (this.#aliasDepth > 0) this.#aliasedText += node.value.length;
        return scalarValue(node);
    }
  }

  #count({line}: YamlNode, depth: number): void {
    if (depth > DEPTH_MAX) throw yamlFault(line, `exceeded max depth of ${DEPTH_MAX}`);
    this.#nodes++;
    if (this.#aliasDepth > 0) this.#aliased++;
    const isExcessive =
      this.#aliased > 100 && this.#nodes > 1000 && this.#aliased / this.#nodes > allowedAliasRatio(this.#nodes);
    if (isExcessive || this.#aliasedText > ALIASED_TEXT_MAX) {
      throw new DecodeError('yaml: document contains excessive aliasing');
    }
  }

  #followed<T>(alias: YamlAlias, use: (target: YamlNode) => T): T {
    if (this.#open.has(alias)) throw yamlFault(alias.line, `anchor '${alias.name}' value contains itself`);
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
      if (read instanceof Map || Array.isArray(read)) throw yamlFault(name.line, 'a map key must be a scalar');
      if (read === null || isUnsigned(read)) throw yamlFault(name.line, `unsupported map key: ${read}`);
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
    const map = node.kind === 'alias' ? node.target : node;
    if (map.kind !== 'mapping') throw yamlFault(node.line, 'map merge requires map or sequence of maps as the value');
    this.#count(node, depth);
    if (node.kind === 'alias') this.#followed(node, () => this.#mergeOne(map, into, depth + 1));
    else this.#fill(map.children, into, depth + 1);
  }

  #duplicate({line}: YamlNode, key: YamlKey): void {
    this.duplicates.push(`line ${line}: key ${keyText(key)} already set in map`);
  }
}

function keyText(key: YamlKey): string {
  if (typeof key === 'string') return goQuote(key);
  return key instanceof YamlFloat ? floatText(key.value) : String(key);
}

const LONG_TAG = 'tag:yaml.org,2002:';

const isMerge = (node: YamlNode): boolean =>
  node.kind === 'scalar' && node.value === '<<' && (node.isPlain || node.tag === `${LONG_TAG}merge`);

function resolved(node: YamlScalar): Resolved {
  const {tag, value, isPlain} = node;
  if (tag === '') return isPlain ? resolveScalar(value) : {tag: 'str', value};
  const short = tag.startsWith(LONG_TAG) ? `!!${tag.slice(LONG_TAG.length)}` : tag;
  return short === '!!binary' ? {tag: 'str', value: fromBase64(node)} : resolvedAs(short, node);
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

function fromBase64({line, value}: YamlScalar): string {
  if (!BASE64.test(value.replace(/[\r\n]/g, ''))) throw yamlFault(line, '!!binary value contains invalid base64 data');
  return Buffer.from(value, 'base64').toString();
}

const CHECKED_TAGS = ['!!bool', '!!int', '!!float', '!!null', '!!timestamp'];

/** The value under a tag; under one without a meaning it is a string. */
function resolvedAs(tag: string, {line, value: text}: YamlScalar): Resolved {
  if (!CHECKED_TAGS.includes(tag)) return {tag: 'str', value: text};
  const plain = resolveScalar(text);
  const found: Resolved = plain.tag === 'timestamp' && tag !== '!!timestamp' ? {tag: 'str', value: text} : plain;
  if (tag === `!!${found.tag}`) return found;
  if (tag === '!!float' && found.tag === 'int' && !isUnsigned(found.value))
    return {tag: 'float', value: Number(found.value)};
  throw yamlFault(line, `cannot decode !!${found.tag} \`${text}\` as a ${tag}`);
}

function toJson(value: YamlValue): Json {
  if (value instanceof YamlFloat) {
    if (!Number.isFinite(value.value)) throw new DecodeError(`json: unsupported value: ${floatText(value.value)}`);
    return value.value;
  }
  if (Array.isArray(value)) return value.map(toJson);
  if (!(value instanceof Map)) return value;
  const out = new Map<string, Json>();
  for (const [key, member] of value) {
    out.set(key instanceof YamlFloat ? floatKey(key.value) : String(key), toJson(member));
  }
  return Object.fromEntries(out);
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
