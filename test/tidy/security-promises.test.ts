// SPDX-License-Identifier: Apache-2.0
/** docs/security.md promises nothing without a test: each row of its promises names a test that is there. */
import {existsSync, readFileSync} from 'node:fs';
import {join, normalize} from 'node:path';
import {expect, test} from 'vitest';

const DOC = 'docs/security.md';
const [, promised = ''] = /^## What is promised\n(.*?)^## /ms.exec(readFileSync(DOC, 'utf8')) ?? [];
const lines = promised.split('\n').filter(line => line.startsWith('| ') && !line.startsWith('| promise |'));

const ROW = /^\| (?<promise>[^|]+) \| \[(?<label>[^\]]+)\]\((?<link>[^)]+)\) \| `(?<name>[^`]+)` \|$/;
type Promised = Record<'promise' | 'label' | 'link' | 'name', string>;
const rows = lines.map(line => ROW.exec(line)?.groups as Promised | undefined);

test('every promise has one row: words, a link to a test file, and the name of a test', () => {
  expect(lines.length).toBeGreaterThan(40);
  expect(lines.filter((_, index) => rows[index] === undefined)).toEqual([]);
  const words = rows.map(row => row?.promise);
  expect(words).toEqual([...new Set(words)]);
});

/** How a name may stand in a source: in quotes of any kind, with those inside escaped. */
const isTestOf = (source: string, name: string): boolean =>
  [`'${name.replaceAll("'", String.raw`\'`)}'`, `"${name}"`, `\`${name}\``].some(quoted => source.includes(quoted));

test('every test that a promise names is in its file', () => {
  const faults = rows.flatMap(row => {
    if (row === undefined) return [];
    const file = normalize(join('docs', row.link));
    if (!file.endsWith(`/${row.label}`)) return [`${row.link} is called ${row.label}`];
    if (!existsSync(file)) return [`${file}: no such file`];
    return isTestOf(readFileSync(file, 'utf8'), row.name) ? [] : [`${file}: no test "${row.name}"`];
  });
  expect(faults).toEqual([]);
});
