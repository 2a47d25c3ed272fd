// SPDX-License-Identifier: Apache-2.0
/** A value of a YAML document against its shape: the value, or faults with place, path, value and way out; all of them. */
import {resolve} from 'node:path';
import {nearest} from '@palisade/engine/nearest';
import {type Document, isAlias, isMap, isScalar, isSeq, type LineCounter, type Pair, type YAMLMap} from 'yaml';
import {
  type Fields,
  inUnits,
  type ListShape,
  type ObjectShape,
  type Shape,
  type TextShape,
  UNIT_FORMS,
} from './shape.ts';

/** From 1. `keyLine`: of its key. */
export type Place = {readonly line: number; readonly column: number; readonly keyLine: number};

const SHOWN_LENGTH_MAX = 60;
/** What a node is: an item or value of the document, or undefined where nothing is written. */
type Node = unknown;

export class ValueChecker {
  /** By path, such as `ruleSets[0].name`. */
  readonly places = new Map<string, Place>();
  readonly faults: {readonly place: Place; readonly text: string}[] = [];
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #folder: string;

  constructor(document: Document, lines: LineCounter, folder: string) {
    this.#document = document;
    this.#lines = lines;
    this.#folder = folder;
  }

  placeOf(node: Node, key: Node = node): Place {
    const offset = offsetOf(node) ?? offsetOf(key) ?? 0;
    const {line, col} = this.#lines.linePos(offset);
    return {line, column: col, keyLine: this.#lines.linePos(offsetOf(key) ?? offset).line};
  }

  /** `said`: what the document has there. */
  #fault(path: string, node: Node, said: string): undefined {
    const place = this.places.get(path) ?? this.placeOf(node);
    this.faults.push({place, text: said === '' ? path : `${path}${said}`});
    return undefined;
  }

  #wrong(path: string, node: Node, form: string): undefined {
    return this.#fault(path, node, ` ${shown(node)}: must be ${form}`);
  }

  /** Undefined: it has a fault. `key`: the node of its key. */
  check(given: Node, shape: Shape, path: string, key: Node = given): unknown {
    const node = isAlias(given) ? given.resolve(this.#document) : given;
    this.places.set(path, this.placeOf(given, key));
    if (hasForeignTag(node)) return undefined; // reported with the syntax
    if (node === undefined || node === null || (isScalar(node) && node.value === null))
      return this.#fault(path, key, ': is empty; give a value, or remove the key');
    switch (shape.kind) {
      case 'text':
        return this.#text(node, shape, path);
      case 'number': {
        const value = isScalar(node) && typeof node.value === 'number' ? node.value : Number.NaN;
        const fits = Number.isFinite(value) && value >= (shape.min ?? value) && (!shape.isWhole || value % 1 === 0);
        return fits ? value : this.#wrong(path, node, shape.form);
      }
      case 'flag':
        return isScalar(node) && typeof node.value === 'boolean'
          ? node.value
          : this.#wrong(path, node, 'true or false');
      case 'size':
      case 'duration':
        return (
          inUnits(shape.kind, wordOf(node, shape.kind === 'size') ?? '') ??
          this.#wrong(path, node, UNIT_FORMS[shape.kind])
        );
      case 'list':
        return this.#list(node, shape, path);
      case 'map':
        return isMap(node) ? this.#map(node, shape.of, path) : this.#wrong(path, node, shape.form);
      case 'object':
        return isMap(node) ? this.#object(node, shape, path) : this.#wrong(path, node, shape.form);
    }
  }

  #map(node: YAMLMap, of: Shape, path: string): Record<string, unknown> {
    const all = this.#pairs(node, path).map(([name, {key, value}]): [string, unknown] => {
      return [name, this.check(value, of, `${path}.${name}`, key)];
    });
    return Object.fromEntries(all.filter(([, value]) => value !== undefined));
  }

  #text(node: Node, {oneOf, pattern, orNumber, isPath, form}: TextShape, path: string): string | undefined {
    const word = wordOf(node, orNumber === true);
    if (word === undefined) {
      const isPlain = isScalar(node) && oneOf === undefined && pattern === undefined && form.startsWith('a text');
      return this.#wrong(path, node, isPlain ? `${form}; write a text in quotes` : form);
    }
    if (word === '') return this.#fault(path, node, ': is empty; give a value, or remove the key');
    if (oneOf !== undefined && !oneOf.includes(word)) {
      const near = oneOf.length > 1 ? nearest(word, oneOf) : undefined;
      return this.#fault(
        path,
        node,
        ` ${word}: must be ${form}${near === undefined ? '' : `: did you mean "${near}"?`}`,
      );
    }
    if (pattern !== undefined && !new RegExp(`^(?:${pattern.source})$`, pattern.flags).test(word))
      return this.#wrong(path, node, form);
    if (isPath === true && /^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i.test(word))
      return this.#fault(path, node, ` ${word}: only http and https are fetched: give such a URL, or a path`);
    return isPath === true && !/^https?:\/\//i.test(word) ? resolve(this.#folder, word) : word;
  }

  #list(node: Node, {of, isFilled, form}: ListShape, path: string): unknown[] | undefined {
    if (isScalar(node)) return this.#wrong(path, node, `a list: [${shown(node)}]`);
    if (!isSeq(node)) return this.#wrong(path, node, form);
    if (isFilled === true && node.items.length === 0) return this.#fault(path, node, `: is empty; must be ${form}`);
    return node.items.map((item, at) => this.check(item, of, `${path}[${at}]`)).filter(value => value !== undefined);
  }

  /** Those whose key is a word; the others are faults. */
  #pairs(node: YAMLMap, path: string): [string, Pair][] {
    return node.items.flatMap((pair): [string, Pair][] => {
      const name = wordOf(pair.key, true);
      if (name !== undefined) return [[name, pair]];
      this.faults.push({
        place: this.placeOf(pair.key),
        text: `${path === '' ? 'a key' : `a key of ${path}`}: must be a word`,
      });
      return [];
    });
  }

  #object(node: YAMLMap, {fields, gone = {}}: ObjectShape, path: string): Record<string, unknown> | undefined {
    const found = this.fields(node, fields, path, name => (Object.hasOwn(gone, name) ? gone[name] : undefined));
    let isWhole = true;
    for (const [name, field] of Object.entries(fields)) {
      if (field.required === true && found[name] === undefined) isWhole = false;
      if (field.required === true && !Object.hasOwn(found, name)) this.#fault(path, node, `: has no ${name}; add it`);
      if (field.kind === 'list') found[name] ??= []; // also where its value is a fault
    }
    return isWhole ? found : undefined;
  }

  /** The known fields of a mapping that are there; the others are faults. `refused`: why a known one does not work, and the way out. */
  fields(node: YAMLMap, fields: Fields, path: string, refused: (name: string) => string | undefined = () => undefined) {
    const found: Record<string, unknown> = {};
    for (const [name, {key, value}] of this.#pairs(node, path)) {
      const whole = path === '' ? name : `${path}.${name}`;
      const shape = Object.hasOwn(fields, name) ? fields[name] : undefined;
      const why = refused(name);
      if (why !== undefined) this.faults.push({place: this.placeOf(key), text: `${whole}: ${why}`});
      else if (shape !== undefined) found[name] = this.check(value, shape, whole, key);
      else {
        const known = Object.keys(fields).filter(each => refused(each) === undefined);
        const near = nearest(name, known);
        const list = path === '' ? 'palisade serve --print-config prints all keys' : `the keys are ${known.join(', ')}`;
        const wayOut = near === undefined ? list : `did you mean "${near}"?`;
        this.faults.push({place: this.placeOf(key), text: `${whole}: unknown key; ${wayOut}`});
      }
    }
    return found;
  }
}

/** Of a text that begins with `!`. */
const hasForeignTag = (node: Node): boolean =>
  isScalar(node) && node.tag !== undefined && !node.tag.startsWith('tag:yaml.org,');

const offsetOf = (node: Node): number | undefined => {
  const range = node !== null && typeof node === 'object' && 'range' in node ? node.range : undefined;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : undefined;
};

/** Of a scalar that is a text, or may be a number: as it is written. */
const wordOf = (node: Node, orNumber: boolean): string | undefined => {
  if (!isScalar(node)) return undefined;
  if (typeof node.value === 'string') return node.value;
  return orNumber && typeof node.value === 'number' ? (node.source ?? String(node.value)) : undefined;
};

const shown = (node: Node): string => {
  if (isSeq(node)) return '(a list)';
  if (isMap(node)) return '(a mapping)';
  if (!isScalar(node)) return String(node);
  const isQuoted = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE';
  const text = isQuoted ? JSON.stringify(node.value) : (node.source ?? String(node.value));
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
};
