// SPDX-License-Identifier: Apache-2.0
import {createHash} from 'node:crypto';
import {mkdtempSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, expect, test} from 'vitest';
import {agesOf, rulesAge} from './rules-age.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-03-01T00:00:00Z');
const dir = mkdtempSync(join(tmpdir(), 'palisade-age-'));
afterEach(() => rmSync(dir, {recursive: true, force: true}));

const fileOf = (name: string, days: number): string => {
  const path = join(dir, name);
  writeFileSync(path, '');
  utimesSync(path, (NOW - days * DAY_MS) / 1000, (NOW - days * DAY_MS) / 1000);
  return path;
};

test('43-7 rules are as old as the source that was updated last; a feed that nobody updates any more is named', async () => {
  const url = 'https://rules.example/emerging.rules.tar.gz';
  fileOf(`${createHash('sha256').update(url).digest('hex').slice(0, 20)}.json`, 31);
  const own = fileOf('own.rules', 400);
  const fed = fileOf('suricata.rules', 30);
  const ages = await agesOf([own, fed, url, join(dir, 'gone.rules')], dir);
  expect(rulesAge(ages, NOW)).toEqual({
    updated: '2026-01-30T00:00:00.000Z',
    days: 30,
    notes: [`rules of ${url} were last updated 31 days ago: run palisade rules update`],
  });
  expect(rulesAge(ages, NOW + DAY_MS).notes).toEqual([
    `rules of ${fed} were last updated 31 days ago: run suricata-update`,
    `rules of ${url} were last updated 32 days ago: run palisade rules update`,
  ]);
  expect(rulesAge(ages, NOW, NOW - 5_000)).toMatchObject({updated: '2026-02-28T23:59:55.000Z', days: 0});
  expect(rulesAge([], NOW)).toEqual({updated: undefined, days: undefined, notes: []});
});
