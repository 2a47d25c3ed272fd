// SPDX-License-Identifier: Apache-2.0
/**
 * every line of docs/requirements.md has a test whose name carries its id. Lines of later rounds are listed here with the
 * reason; an entry whose test exists has to go.
 */
import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';

/** Lines that later work brings. */
const LATER: Readonly<Record<string, string>> = {};

const ids = [...readFileSync('docs/requirements.md', 'utf8').matchAll(/^\| ([EIX]-\d{3}) \|/gm)].map(
  match => match[1] ?? '',
);

const testFiles = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(path => path !== '' && existsSync(path));

/** Ids that stand in a string, that is in a test's name or in the row of a table that makes one; comments do not count. */
const named = new Set(
  testFiles.flatMap(path => {
    const code = readFileSync(path, 'utf8')
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/^\s*\/\/.*$/gm, '');
    return [...code.matchAll(/['"`][^'"`\n]*['"`]/g)].flatMap(match => match[0].match(/[EIX]-\d{3}/g) ?? []);
  }),
);

test('X-005 every requirement has a test that carries its id', () => {
  expect(ids.length).toBeGreaterThan(250);
  expect(ids.filter(id => !named.has(id) && LATER[id] === undefined)).toEqual([]);
});

test('X-005 what is listed as later has no test yet, and is a requirement', () => {
  expect(Object.keys(LATER).filter(id => named.has(id) || !ids.includes(id))).toEqual([]);
});
