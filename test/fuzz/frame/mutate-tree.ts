// SPDX-License-Identifier: Apache-2.0
/** Mutations of JSON and YAML by their structure. Scalars are kept as the text they are written in, and keys may repeat. */
import {parse} from 'yaml';
import {ODD_TEXTS} from './mutate-bytes.ts';
import type {Random} from './random.ts';

type Tree =
  | {readonly kind: 'scalar'; text: string}
  | {readonly kind: 'list'; items: Tree[]}
  | {readonly kind: 'map'; entries: [key: string, value: Tree][]};

const SCALARS = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '1',
  '-1',
  '1.0',
  '1.5',
  '1e2',
  '1E+400',
  '-1e400',
  '1e-400',
  '65536',
  '2147483648',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  '123456789012345678901234567890',
  '""',
  '" "',
  '"0"',
  '"-1"',
  '"1.5"',
  '"true"',
  '"null"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"\\u2028"',
  '"2020-01-01T00:00:00Z"',
  '"0000-13-32T25:61:61Z"',
  '"9999-12-31T23:59:60.999999999+23:59"',
  '"::ffff:1.2.3.4"',
  '"010.1.1.1"',
  '"1.2.3.4/33"',
  '"500m"',
  '"1e99999"',
  '"__proto__"',
  '[]',
  '{}',
  '[null]',
  '{"":null}',
  '{"toString":null}', // String() of it throws
  '[[[[]]]]',
];
/** No JSON, or only nearly. */
const BROKEN = [
  '01',
  '+1',
  '1.',
  '.5',
  '0x10',
  'NaN',
  'nul',
  "'a'",
  '"\t"',
  '"\\x"',
  '"\\u12"',
  '/*c*/1',
  '',
  '1 1',
  ',',
];
const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'length',
  '',
  ' ',
  '0',
  '-1',
  'kind',
  'KIND',
  'metadata',
  'apiVersion',
  'name',
  'f:name',
  'k:{"a":1}',
  'v:1',
  'i:0',
  '.',
  '$patch',
  '$setElementOrder/a',
  '$deleteFromPrimitiveList/a',
  '$retainKeys',
  '<<',
  'ſtatus',
];
/** Of inputs whose structure is changed: larger ones are changed as bytes. */
const PARSED_CHARS_MAX = 30_000;
/** Deeper ones are too much for a reader that calls itself. */
const DEPTH_MAX = 200;
const DEPTHS = [2, 20, 120, 600, 12_000];

const depthOf = (given: string): number => {
  let [depth, deepest] = [0, 0];
  for (const char of given) {
    if (char === '[' || char === '{') deepest = Math.max(deepest, ++depth);
    else if (char === ']' || char === '}') depth--;
  }
  return deepest;
};

const treeOf = (value: unknown): Tree => {
  if (Array.isArray(value)) return {kind: 'list', items: value.map(treeOf)};
  if (typeof value === 'object' && value !== null)
    return {kind: 'map', entries: Object.entries(value).map(([key, each]) => [key, treeOf(each)])};
  return {kind: 'scalar', text: JSON.stringify(value) ?? 'null'};
};

/** Every place that holds a tree: what it holds, and how to put another there. */
type Place = {readonly tree: Tree; readonly put: (tree: Tree) => void};

const placesOf = (root: Tree, putRoot: (tree: Tree) => void): Place[] => {
  const places: Place[] = [];
  const walk = (tree: Tree, put: (tree: Tree) => void): void => {
    places.push({tree, put});
    if (tree.kind === 'list')
      for (const [i, item] of tree.items.entries())
        walk(item, next => {
          tree.items[i] = next;
        });
    if (tree.kind === 'map')
      for (const entry of tree.entries)
        walk(entry[1], next => {
          entry[1] = next;
        });
  };
  walk(root, putRoot);
  return places;
};

const text = (value: string): Tree => ({kind: 'scalar', text: JSON.stringify(value)});

const nested = (tree: Tree, random: Random): Tree => {
  const depth = random.once(6) ? random.pick(DEPTHS) : random.pick(DEPTHS.slice(0, 2));
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
  ] as const);
  return {kind: 'scalar', text: `${open.repeat(depth)}${written(tree)}${close.repeat(depth)}`};
};

const odd = (random: Random): string => {
  const length = random.once(30) ? 5_000 : 1 + random.int(3);
  return Array.from({length}, () => random.pick(ODD_TEXTS)).join('');
};

function mutateAt({tree, put}: Place, places: readonly Place[], random: Random): void {
  const way = random.int(12);
  if (way === 0) put({kind: 'scalar', text: random.pick(SCALARS)});
  else if (way === 1) put({kind: 'scalar', text: random.once(6) ? random.pick(BROKEN) : random.pick(SCALARS)});
  else if (way === 2) put(nested(tree, random));
  else if (way === 3) put(structuredClone(random.pick(places).tree));
  else if (way === 4) put(text(odd(random)));
  else if (way === 5) put({kind: 'list', items: [tree, structuredClone(tree)]});
  else if (tree.kind === 'map') mutateMap(tree.entries, places, random);
  else if (tree.kind === 'list') {
    const at = random.int(tree.items.length);
    if (random.once(3)) tree.items.splice(at, 1);
    else if (random.once(4)) {
      const item = tree.items[at] ?? text('');
      const copies = item.kind === 'scalar' ? 300 : 8;
      if (places.length < 2_000) tree.items.push(...Array.from({length: copies}, () => structuredClone(item)));
    } else
      tree.items.splice(at, 0, structuredClone(tree.items[random.int(tree.items.length)] ?? random.pick(places).tree));
  } else if (tree.text.startsWith('"') && random.once(2)) {
    const value = JSON.parse(isJson(tree.text) ? tree.text : '""') as unknown;
    const given = typeof value === 'string' ? value : '';
    const at = random.int(given.length + 1);
    put(text(given.slice(0, at) + odd(random) + given.slice(at + random.int(3))));
  } else put({kind: 'scalar', text: random.pick(SCALARS)});
}

function mutateMap(entries: [string, Tree][], places: readonly Place[], random: Random): void {
  const at = random.int(entries.length);
  const entry = entries[at];
  const way = random.int(6);
  if (entry === undefined || way === 0)
    entries.splice(at, 0, [random.pick(KEYS), structuredClone(random.pick(places).tree)]);
  else if (way === 1) entries.splice(at, 1);
  else if (way === 2) entries.push([entry[0], structuredClone(random.pick(places).tree)]);
  else if (way === 3) entry[0] = random.pick(KEYS);
  else if (way === 4) entry[0] = random.once(2) ? entry[0].toUpperCase() : entry[0] + odd(random);
  else entries.reverse();
}

const isJson = (given: string): boolean => {
  try {
    JSON.parse(given);
    return true;
  } catch {
    return false;
  }
};

const written = (tree: Tree): string => {
  if (tree.kind === 'scalar') return tree.text;
  if (tree.kind === 'list') return `[${tree.items.map(written).join(',')}]`;
  return `{${tree.entries.map(([key, value]) => `${JSON.stringify(key)}:${written(value)}`).join(',')}}`;
};

/** Block style for maps and lists, JSON for what is in them at random. */
const writtenYaml = (tree: Tree, random: Random, indent = ''): string => {
  if (tree.kind === 'scalar' || random.once(8)) return written(tree);
  const deeper = `${indent}${random.once(10) ? ' ' : '  '}`;
  if (tree.kind === 'list') {
    if (tree.items.length === 0) return '[]';
    return tree.items.map(item => `\n${indent}- ${writtenYaml(item, random, deeper)}`).join('');
  }
  if (tree.entries.length === 0) return '{}';
  const plain = (key: string): string => (/^[A-Za-z][\w/.-]*$/.test(key) ? key : JSON.stringify(key));
  return tree.entries.map(([key, value]) => `\n${indent}${plain(key)}: ${writtenYaml(value, random, deeper)}`).join('');
};

/** Undefined: the input has no structure to change. */
export function mutateTree(input: Buffer, random: Random, form: 'json' | 'yaml'): Buffer | undefined {
  let value: unknown;
  try {
    const given = input.toString();
    if (given.length > PARSED_CHARS_MAX || depthOf(given) > DEPTH_MAX) return undefined;
    value = form === 'json' ? JSON.parse(given) : parse(given, {logLevel: 'silent', maxAliasCount: 10});
  } catch {
    return undefined;
  }
  let root: Tree;
  try {
    root = treeOf(value);
    const put = (tree: Tree): void => {
      root = tree;
    };
    for (let step = 1 + random.int(4); step > 0; step--) {
      const places = placesOf(root, put);
      mutateAt(random.pick(places), places, random);
    }
    return Buffer.from(form === 'json' ? written(root) : writtenYaml(root, random).replace(/^\n/, ''));
  } catch (error) {
    if (error instanceof RangeError) return undefined; // too deep to be walked here
    throw error;
  }
}
