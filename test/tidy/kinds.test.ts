// SPDX-License-Identifier: Apache-2.0
/** The machinery names no kind: what it does with one it reads from the kind's definition and schema. */
import {kubeModule} from '@palisade/kinds';
import {expect, test} from 'vitest';
import {production, read} from './source-files.ts';

/**
 * What the machinery may know: a namespace is part of every path and of every key; an Event may own nothing, of whatever kind,
 * and the mark behind the initial events of a watch has the word in it; service accounts and nodes are users, too.
 */
const KNOWN = ['Namespace', 'namespaces', 'Event', 'events', 'serviceaccounts', 'nodes'];
const NAMES = new Set(
  kubeModule.kinds
    .flatMap(({kind, listKind, resource, typeName}) => [kind, listKind, resource, typeName])
    .filter(name => !KNOWN.includes(name)),
);
/** The content of Endpoints, also where it is no string. */
const CONTENT = /\b(?:subsets|addresses|notReadyAddresses)\b/g;

/** Tables about single kinds, which the machinery only looks names up in. */
const TABLES = [
  'packages/kube-wire/src/endpoints/', // what is said about Endpoints alone
  'packages/kube-wire/src/overlay.ts', // the words of our own specification, by type
  'packages/kube-wire/src/codec/known-kinds.ts', // kinds that upstream knows and does not publish
];

const sources = production
  .filter(path => /^packages\/(apiserver|kube-wire)\//.test(path))
  .filter(path => !TABLES.some(table => path.startsWith(table)));

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');

/** Words of string literals; what is imported is none. */
const wordsIn = (code: string): string[] =>
  [...code.matchAll(/'([^'\n]*)'|"([^"\n]*)"|`([^`]*)`/g)]
    .map(match => match[1] ?? match[2] ?? match[3]?.replace(/\$\{[^}]*\}/g, ' ') ?? '')
    .filter(text => !/^[.@]/.test(text))
    .flatMap(text => [text, ...text.split(/[^A-Za-z]+/)]);

test('apiserver and the codecs name no kind and no field of one', () => {
  const found = sources.flatMap(path => {
    const code = withoutComments(read(path));
    const imports = code.replace(/^\s*(?:import|export)\b.*from .*$/gm, '');
    const names = [...wordsIn(code).filter(word => NAMES.has(word)), ...(imports.match(CONTENT) ?? [])];
    return [...new Set(names)].map(name => `${path}: ${name}`);
  });
  expect(sources.length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});
