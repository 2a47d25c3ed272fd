// SPDX-License-Identifier: Apache-2.0
/**
 * every line of docs/requirements.md has a test whose name, as the runner reports it, carries its id. Lines of later
 * rounds are listed here with the reason; an entry whose test exists has to go.
 */
import {readFileSync} from 'node:fs';
import {beforeAll, expect, test} from 'vitest';
import {type ListedTest, listTests} from './listed-tests.ts';

/** Lines that later work brings. */
const LATER: Readonly<Record<string, string>> = {};

/** Observers behind a socket or a process: their tests are in `test/`, never beside a source. */
const FROM_OUTSIDE = /\b(WIRE|IDS|KUBECTL|GCLOUD|DP|RESTART)\b/;

type Requirement = {readonly id: string; readonly observer: string};
const requirements: readonly Requirement[] = [
  ...readFileSync('docs/requirements.md', 'utf8').matchAll(/^\| ([EIX]-\d{3}) \|.*\| (.*?) \|$/gm),
].map(([, id = '', observer = '']) => ({id, observer}));

const idsIn = (name: string): readonly string[] => name.match(/\b[EIX]-\d{3}\b/g) ?? [];

/** Files of the tests that carry an id. */
const filesOf = new Map<string, Set<string>>();
let listed: readonly ListedTest[] = [];
beforeAll(async () => {
  listed = await listTests();
  for (const {name, file} of listed)
    for (const id of idsIn(name)) filesOf.set(id, (filesOf.get(id) ?? new Set()).add(file));
}, 320_000);

test('X-005 every requirement has a test that carries its id', () => {
  expect(requirements.length).toBeGreaterThan(250);
  expect(requirements.filter(({id}) => !filesOf.has(id) && LATER[id] === undefined).map(({id}) => id)).toEqual([]);
});

test('X-005 what is observed from outside has a test that looks from outside', () => {
  const fromInside = requirements.filter(({id, observer}) => {
    const files = [...(filesOf.get(id) ?? [])];
    return FROM_OUTSIDE.test(observer) && files.length > 0 && !files.some(file => file.startsWith('test/'));
  });
  expect(fromInside.map(({id, observer}) => `${id}: ${observer}`)).toEqual([]);
});

test('X-005 no test carries the id of a requirement that is not there', () => {
  const known = new Set(requirements.map(({id}) => id));
  const strays = listed.filter(({name}) => idsIn(name).some(id => !known.has(id)));
  expect(strays.map(({name, file}) => `${file}: ${name}`)).toEqual([]);
});

test('X-005 what is listed as later has no test yet, and is a requirement', () => {
  const known = new Set(requirements.map(({id}) => id));
  expect(Object.keys(LATER).filter(id => filesOf.has(id) || !known.has(id))).toEqual([]);
});

test('X-005 names count, not strings: this one names no requirement beside its own', () => {
  const mention = 'E-999'; // in a string of a test file, but in no name
  expect(filesOf.has(mention)).toBe(false);
  expect(listed.length).toBeGreaterThan(1_000);
});
