// SPDX-License-Identifier: Apache-2.0
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import type {RuleSet} from '../rules/rule-set.ts';
import {type CatalogRule, writeCatalog} from './catalog.ts';
import {CatalogReader} from './catalog-reader.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palisade-catalog-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, {recursive: true});
});

const setOf = (): Pick<RuleSet, 'folder' | 'extras'> =>
  ({folder, extras: {classtypes: [], references: []}}) as unknown as Pick<RuleSet, 'folder' | 'extras'>;
const rule = (sid: string, more: Partial<CatalogRule> = {}): CatalogRule => ({
  ...{file: 'a.rules', line: 1, state: 'ACTIVE', reason: ''},
  text: `alert ip any any -> any any (msg:"rule ${sid}"; sid:${sid}; rev:1;)`,
  ...more,
});

test('44-2 one rule is looked up without parsing the others, and out of the kept rules where they are kept', async () => {
  const others = Array.from({length: 500}, (_, i) => rule(String(1000 + i)));
  const off = rule('7', {state: 'DISABLED', line: 3});
  await writeCatalog(folder, [off, ...others, rule('7'), rule('007008'), rule('71'), rule('17')]);
  const reader = new CatalogReader({after: () => ({cancel: () => undefined})});
  const parse = vi.spyOn(JSON, 'parse');
  expect(await reader.find(setOf(), '1:7')).toMatchObject({ruleId: '1:7', state: 'ACTIVE'});
  expect(parse.mock.calls.length).toBeLessThan(5);
  expect(await reader.find(setOf(), '1:7008')).toMatchObject({ruleId: '1:7008'});
  expect(await reader.find(setOf(), '2:7')).toBeUndefined();
  expect(await reader.find(setOf(), '1:9')).toBeUndefined();
  await reader.read(setOf());
  parse.mockClear();
  expect(await reader.find(setOf(), '1:7')).toMatchObject({ruleId: '1:7', state: 'ACTIVE'});
  expect(parse).not.toHaveBeenCalled();
  reader.close();
});
