// SPDX-License-Identifier: Apache-2.0
/** ARCHITECTURE.md names what exists: the symbols of its three walks, and every package and floor. */
import {expect, test} from 'vitest';
import {production, read} from './source-files.ts';

const text = read('ARCHITECTURE.md');
const section = (heading: string): string => text.split(/^## /m).find(part => part.startsWith(heading)) ?? '';
const named = (part: string): string[] => [...part.matchAll(/`([^`]+)`/g)].map(match => match[1] ?? '');

test('each symbol of the three walks is declared in the code', () => {
  const symbols = named(section('Three walks')).filter(name => /^[A-Za-z]\w*(\(\))?(\.\w+)?$/.test(name));
  const code = production.map(read).join('\n');
  const isDeclared = (name: string): boolean =>
    new RegExp(
      `(\\b(function|class|const|type|interface) ${name}\\b)|(^ +(async |readonly )*['"]?${name}['"]?[?]?[(:<])`,
      'm',
    ).test(code);
  const missing = symbols.filter(
    symbol =>
      !symbol
        .split(/\(\)\.|\(\)|\./)
        .filter(Boolean)
        .every(isDeclared),
  );
  expect(symbols.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});

test('the code map has a row for every package and every floor of apiserver', () => {
  const rows = section('Code map')
    .split('\n')
    .filter(line => line.startsWith('| '))
    .flatMap(line => named(line.split('|')[1] ?? ''));
  const packages = new Set(production.map(path => path.split('/')[1] ?? ''));
  const floors = new Set(production.flatMap(path => /^packages\/apiserver\/src\/([^/]+)\//.exec(path)?.[1] ?? []));
  expect([...packages, ...floors].filter(name => !rows.includes(name))).toEqual([]);
});
