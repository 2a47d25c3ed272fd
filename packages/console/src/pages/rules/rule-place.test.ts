// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {fileName, fileText, rowKey} from './rule-place.ts';

const SOURCES = [
  '/srv/palisade/rules/',
  '/srv/palisade/local.rules',
  '/srv/feed.tar.gz',
  'https://feed.example/…/et.tar.gz',
];

test.each([
  ['/srv/palisade/rules/http/web.rules', 'web.rules', 'http/web.rules in rules'],
  ['/srv/palisade/local.rules', 'local.rules', 'local.rules'],
  ['rules/web.rules in /srv/feed.tar.gz', 'web.rules', 'rules/web.rules in feed.tar.gz'],
  ['web.rules in https://feed.example/…/et.tar.gz', 'web.rules', 'web.rules in https://feed.example/…/et.tar.gz'],
  ['https://feed.example/…/web.rules', 'web.rules', 'https://feed.example/…/web.rules'],
  ['/elsewhere/web.rules', 'web.rules', 'web.rules'],
])('49-3 %s is shown by its name and source', (file, name, text) => {
  expect(fileName(file)).toBe(name);
  expect(fileText(file, SOURCES)).toBe(text);
});

test('49-3 a rule in the address of the page has no path of the server, and rules of one name remain apart', () => {
  const name = 'projects/-/locations/-/ruleSets/default/rules/1:7';
  const keys = ['/srv/a/web.rules', '/srv/b/web.rules'].flatMap(file => [3, 4].map(line => rowKey({name, file, line})));
  expect(new Set(keys).size).toBe(4);
  for (const key of keys)
    expect(key).toMatch(/^projects\/-\/locations\/-\/ruleSets\/default\/rules\/1:7@[0-9a-z]+:[34]$/);
});
