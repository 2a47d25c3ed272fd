// SPDX-License-Identifier: Apache-2.0
/**
 * YAML to JSON as sigs.k8s.io/yaml does it: the first document, keys turned into strings, the last of equal keys wins.
 * The `yaml` package reads the syntax; every meaning (scalars, merge keys, aliases, duplicates) is decided here, after
 * go-yaml v2. Ref: sigs.k8s.io/yaml v1.6.0 yaml.go, go.yaml.in/yaml/v2 v2.4.3 decode.go.
 */
import {DecodeError, encodeUntyped, goQuote, type Json} from '@palisade/wire/kube';
import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  Parser,
  Scalar,
  type YAMLError,
} from 'yaml';
import {escapeFault, mayHoldBadEscape} from './yaml-escape.ts';
import {type Resolved, resolveScalar} from './yaml-scalar.ts';
import {syntaxErrorText} from './yaml-syntax.ts';

/** An alias may stand for at most this share of all nodes, in documents with more than 1000 of them. */
const ALIAS_RATIO_MAX = 0.99;
const DEPTH_MAX = 1000;

type Key = string | number | bigint | boolean | null;
type YamlMap = Map<Key, YamlValue>;
type YamlValue = null | boolean | number | bigint | string | YamlValue[] | YamlMap;

/**
 * JSON text with sorted keys. `strictErrors` has at most one text: every duplicate key of the document.
 * Throws DecodeError with go-yaml's text (`yaml: line 2: …`).
 */
export function yamlToJson(body: Uint8Array): {text: string; strictErrors: readonly string[]} {
  const lines = new LineCounter();
  const source = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  const document = readFirst(source, lines);
  if (document === undefined) return {text: 'null', strictErrors: []};
  const reader = new YamlReader(lines, anchorsOf(document), source);
  const value = reader.read(document.contents, 0);
  const duplicates = reader.duplicates;
  const strictErrors =
    duplicates.length === 0 ? [] : [`yaml: unmarshal errors:\n${duplicates.map(d => `  ${d}`).join('\n')}`];
  return {text: encodeUntyped(toJson(value)), strictErrors};
}

type YamlDocument = Document.Parsed | Document;

function readFirst(text: string, lines: LineCounter): YamlDocument | undefined {
  try {
    const composer = new Composer({version: '1.1', schema: 'failsafe', uniqueKeys: false, merge: false});
    for (const document of composer.compose(new Parser(lines.addNewLine).parse(text))) {
      const errors = [...document.errors, ...document.warnings.filter(w => w.code === 'BAD_DIRECTIVE')].filter(
        error => !isBehind(error, document.contents, text),
      );
      if (errors.length > 0) {
        throw new DecodeError(`yaml: ${syntaxErrorText(errors, text, lines)}`, {cause: errors[0]});
      }
      return document as unknown as YamlDocument;
    }
    if (text.startsWith('%')) throw new DecodeError('yaml: found unknown directive name');
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) throw new DecodeError('yaml: exceeded max depth of 10000', {cause: error});
    throw error;
  }
}

/** go-yaml reads one node: what follows a closing bracket on the outermost level is not looked at. */
function isBehind(error: YAMLError, contents: unknown, text: string): boolean {
  const end = (isMap(contents) || isSeq(contents)) && contents.flow === true ? contents.range?.[1] : undefined;
  return end !== undefined && error.pos[0] >= end && /[\]}]/.test(text[end - 1] ?? '');
}

/** Each alias with the node it stands for: the last one of its name before it. */
function anchorsOf(document: YamlDocument): Map<Node, Node> {
  const targets = new Map<Node, Node>();
  const anchors = new Map<string, Node>();
  const walk = (node: unknown): void => {
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target === undefined) throw new DecodeError(`yaml: unknown anchor '${node.source}' referenced`);
      targets.set(node, target);
      return;
    }
    const anchor = (node as {anchor?: string} | null)?.anchor;
    if (anchor !== undefined) anchors.set(anchor, node as Node);
    if (isSeq(node)) for (const item of node.items) walk(item);
    else if (isMap(node)) {
      for (const pair of node.items) {
        walk(pair.key);
        walk(pair.value);
      }
    }
  };
  walk(document.contents);
  return targets;
}

class YamlReader {
  readonly duplicates: string[] = [];
  readonly #lines: LineCounter;
  /** The text, when something in it has to be looked at twice. */
  readonly #escaped: string | undefined;
  readonly #targets: ReadonlyMap<Node, Node>;
  readonly #open = new Set<Node>();
  #nodes = 0;
  #aliased = 0;
  #aliasDepth = 0;

  constructor(lines: LineCounter, targets: ReadonlyMap<Node, Node>, source: string) {
    this.#lines = lines;
    this.#targets = targets;
    this.#escaped = mayHoldBadEscape(source) ? source : undefined;
  }

  read(node: unknown, depth: number): YamlValue {
    if (depth > DEPTH_MAX) throw new DecodeError('yaml: exceeded max depth of 10000');
    this.#count();
    if (isAlias(node)) return this.#followed(node, target => this.read(target, depth + 1));
    if (isSeq(node)) return node.items.map(item => this.read(item, depth + 1));
    if (isMap(node)) {
      const map: YamlMap = new Map();
      this.#fill(node, map, depth);
      return map;
    }
    return isScalar(node) ? this.#scalar(node) : null;
  }

  #count(): void {
    this.#nodes++;
    if (this.#aliasDepth > 0) this.#aliased++;
    if (this.#aliased > 100 && this.#nodes > 1000 && this.#aliased / this.#nodes > allowedAliasRatio(this.#nodes)) {
      throw new DecodeError('yaml: document contains excessive aliasing');
    }
  }

  #followed<T>(alias: Node & {readonly source: string}, use: (target: Node) => T): T {
    if (this.#open.has(alias)) throw new DecodeError(`yaml: anchor '${alias.source}' value contains itself`);
    this.#open.add(alias);
    this.#aliasDepth++;
    const result = use(this.#targets.get(alias) as Node);
    this.#aliasDepth--;
    this.#open.delete(alias);
    return result;
  }

  #scalar(node: Scalar): YamlValue {
    if (this.#escaped !== undefined && node.type === Scalar.QUOTE_DOUBLE) this.#refuseEscapes(node, this.#escaped);
    const resolved = this.#resolved(node);
    return resolved.tag === 'timestamp' ? textOf(node) : resolved.value;
  }

  #refuseEscapes(node: Scalar, source: string): void {
    const [from = 0, to = 0] = node.range ?? [];
    const fault = escapeFault(source.slice(from, to));
    if (fault === undefined) return;
    const {line} = this.#lines.linePos(from);
    throw new DecodeError(line > 1 ? `yaml: line ${line}: ${fault}` : `yaml: ${fault}`);
  }

  #resolved(node: Scalar): Resolved {
    const text = textOf(node);
    const tag = node.tag?.replace('tag:yaml.org,2002:', '!!');
    if (tag === undefined || tag === '!!str' || !tag.startsWith('!!')) {
      const plain = tag === undefined && (node.type === Scalar.PLAIN || node.type === undefined);
      return plain ? resolveScalar(text) : {tag: 'str', value: text};
    }
    if (tag === '!!binary') return {tag: 'str', value: fromBase64(text)};
    return checkedTag(resolveScalar(text), text, tag);
  }

  #fill(node: unknown, into: YamlMap, depth: number): void {
    if (!isMap(node)) throw new DecodeError('yaml: map merge requires map or sequence of maps as the value');
    for (const pair of node.items) {
      if (this.#isMerge(pair.key)) {
        this.#merge(pair.value, into, depth + 1);
        continue;
      }
      const key = this.read(pair.key, depth + 1);
      if (key instanceof Map || Array.isArray(key)) throw new DecodeError(`yaml: invalid map key: ${goSyntax(key)}`);
      const value = this.read(pair.value, depth + 1);
      if (into.has(key)) this.#duplicate(pair.value ?? pair.key, key);
      into.set(key, value);
    }
  }

  #isMerge(key: unknown): boolean {
    return isScalar(key) && textOf(key) === '<<' && key.type === Scalar.PLAIN && key.tag === undefined;
  }

  #merge(node: unknown, into: YamlMap, depth: number): void {
    if (isSeq(node)) for (const item of [...node.items].reverse()) this.#mergeOne(item, into, depth);
    else this.#mergeOne(node, into, depth);
  }

  #mergeOne(node: unknown, into: YamlMap, depth: number): void {
    if (isAlias(node)) this.#followed(node, target => this.#fill(target, into, depth + 1));
    else this.#fill(node, into, depth);
  }

  #duplicate(node: unknown, key: Key): void {
    const offset = (node as {range?: readonly number[] | null} | null)?.range?.[0] ?? 0;
    this.duplicates.push(
      `line ${this.#lines.linePos(offset).line}: key ${key === null ? '<nil>' : goSyntax(key)} already set in map`,
    );
  }
}

function allowedAliasRatio(nodes: number): number {
  if (nodes <= 400_000) return ALIAS_RATIO_MAX;
  return nodes >= 4_000_000 ? 0.1 : ALIAS_RATIO_MAX - 0.89 * ((nodes - 400_000) / 3_600_000);
}

const textOf = (node: Scalar): string => (node.value === null || node.value === undefined ? '' : String(node.value));

function fromBase64(text: string): string {
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text)) {
    throw new DecodeError('yaml: !!binary value contains invalid base64 data');
  }
  return Buffer.from(text, 'base64').toString();
}

function checkedTag(resolved: Resolved, text: string, tag: string): Resolved {
  if (tag === `!!${resolved.tag}`) return resolved;
  if (tag === '!!float' && resolved.tag === 'int') return {tag: 'float', value: Number(resolved.value)};
  if (!['!!bool', '!!int', '!!float', '!!null', '!!timestamp'].includes(tag)) return {tag: 'str', value: text};
  throw new DecodeError(`yaml: cannot decode !!${resolved.tag} \`${text}\` as a ${tag}`);
}

/** A value as Go's `%#v` prints it, for messages. */
function goSyntax(value: YamlValue): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (value instanceof Map) {
    return `map[interface {}]interface {}{${[...value].map(([k, v]) => `${goSyntax(k)}:${goSyntax(v)}`).join(', ')}}`;
  }
  return String(value);
}

const unsupportedKey = (value: YamlValue): string =>
  `unsupported map key of type: %!s(<nil>), key: <nil>, value: ${value === null ? '<nil>' : goSyntax(value)}`;

function toJson(value: YamlValue): Json {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const text = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
    throw new DecodeError(`json: unsupported value: ${text}`);
  }
  if (Array.isArray(value)) return value.map(toJson);
  if (!(value instanceof Map)) return value;
  const out = new Map<string, Json>();
  for (const [key, member] of value) {
    if (key === null) throw new DecodeError(unsupportedKey(member));
    out.set(keyText(key), toJson(member));
  }
  return Object.fromEntries(out);
}

/** Keys that are no strings become strings; floats with the shortest digits of 32 bits. */
function keyText(key: Exclude<Key, null>): string {
  if (typeof key !== 'number' || Number.isInteger(key)) return String(key);
  if (Number.isNaN(key)) return '.nan';
  if (!Number.isFinite(key)) return key > 0 ? '.inf' : '-.inf';
  for (let digits = 1; digits <= 9; digits++) {
    const text = key.toPrecision(digits);
    if (Math.fround(Number(text)) === Math.fround(key)) return String(Number(text));
  }
  return String(key);
}
