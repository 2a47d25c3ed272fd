// SPDX-License-Identifier: Apache-2.0
/**
 * YAML to JSON as sigs.k8s.io/yaml does it: the first document, keys turned into strings, the last of equal keys wins.
 * Ref: sigs.k8s.io/yaml v1.6.0 yaml.go, go.yaml.in/yaml/v2 v2.4.3 decode.go.
 */
import {compareUtf8, DecodeError, encodeUntyped, goQuote, type Json} from '@palisade/wire/kube';
import {goNumber} from '../patch/go-text.ts';
import {type Resolved, resolveScalar} from './yaml-scalar.ts';
import {composeYaml, type YamlAlias, type YamlNode, type YamlScalar} from './yaml-syntax/compose.ts';

/** An alias may stand for at most this share of all nodes, in documents with more than 1000 of them. */
const ALIAS_RATIO_MAX = 0.99;
const DEPTH_MAX = 1000;
const INT64_MAX = 2n ** 63n - 1n;

type Key = string | number | bigint | boolean | null;
type YamlMap = Map<Key, YamlValue>;
type YamlValue = null | boolean | number | bigint | string | YamlValue[] | YamlMap;

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
  return {text: encodeUntyped(toJson(value)), strictErrors};
}

class YamlReader {
  readonly duplicates: string[] = [];
  readonly #open = new Set<YamlAlias>();
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
      case 'scalar':
        return scalarValue(node);
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
      const key = isFloat(name) ? floatKey(Number(this.read(name, depth + 1))) : this.read(name, depth + 1);
      if (key instanceof Map || Array.isArray(key)) throw new DecodeError(`yaml: invalid map key: ${goSyntax(key)}`);
      const value = this.read(member, depth + 1);
      if (into.has(key)) this.#duplicate(member, key);
      into.set(key, value);
    }
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

  #duplicate({line}: YamlNode, key: Key): void {
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
  const isWide = typeof found.value === 'bigint' && found.value > INT64_MAX;
  if (tag === '!!float' && found.tag === 'int' && !isWide) return {tag: 'float', value: Number(found.value)};
  throw new DecodeError(`yaml: cannot decode !!${found.tag} \`${text}\` as a ${tag}`);
}

/** A value as Go's `%#v` prints it, for messages. */
function goSyntax(value: YamlValue): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (value instanceof Map) {
    const members = [...value].sort(([a], [b]) => compareUtf8(String(a), String(b)));
    return `map[interface {}]interface {}{${members.map(([k, v]) => `${goSyntax(k)}:${goSyntax(v)}`).join(', ')}}`;
  }
  if (typeof value === 'bigint' && value > INT64_MAX) return `0x${value.toString(16)}`;
  if (typeof value === 'number') return Number.isFinite(value) ? goNumber(value) : nonFiniteText(value);
  return String(value);
}

const nonFiniteText = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf');

const unsupportedKey = (type: string, key: string, value: YamlValue): DecodeError =>
  new DecodeError(
    `unsupported map key of type: ${type}, key: ${key}, value: ${value === null ? '<nil>' : goSyntax(value)}`,
  );

function toJson(value: YamlValue): Json {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new DecodeError(`json: unsupported value: ${nonFiniteText(value)}`);
  if (Array.isArray(value)) return value.map(toJson);
  if (!(value instanceof Map)) return value;
  const out = new Map<string, Json>();
  for (const [key, member] of value) {
    if (key === null) throw unsupportedKey('%!s(<nil>)', '<nil>', member);
    if (typeof key === 'bigint' && key > INT64_MAX) throw unsupportedKey('uint64', `0x${key.toString(16)}`, member);
    out.set(String(key), toJson(member));
  }
  return Object.fromEntries(out);
}

function isFloat(node: YamlNode): boolean {
  if (node.kind === 'alias') return isFloat(node.target);
  return node.kind === 'scalar' && resolved(node).tag === 'float';
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
