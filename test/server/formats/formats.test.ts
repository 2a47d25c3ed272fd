// SPDX-License-Identifier: Apache-2.0
/** Folders that released versions wrote, opened by this one. Fixtures of released versions stay as they are. */
import {mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {PROGRAM_VERSION} from '@palisade/store';
import {openSqliteStore, takeLock} from '@palisade/store/sqlite';
import {expect, test} from 'vitest';
import {palisade} from '../../support/in-process.ts';
import {run, scratch} from '../../support/palisade.ts';
import {formatNumbers} from './format-numbers.ts';
import {FIXTURES, observe, unpack} from './observe.ts';

test.each(readdirSync(FIXTURES))(
  '48-4 in the folders of %s this version finds exactly what its text says',
  async version => {
    using folder = scratch();
    unpack(version, folder.dir);
    const found = await observe(folder.dir);
    expect(found.split('\n')).toEqual(readFileSync(join(FIXTURES, version, 'expected.txt'), 'utf8').split('\n'));
  },
);

test.each(readdirSync(FIXTURES))('48-4 the backup of %s, restored by this version, has the same', async version => {
  using folder = scratch();
  unpack(version, folder.dir);
  const data = join(folder.dir, 'data');
  rmSync(data, {recursive: true});
  const restored = await run(['restore', join(FIXTURES, version, 'backup.tar.zst'), '--data', data]);
  expect([restored.code, restored.stderr]).toEqual([0, '']);
  const isRevision = (line: string) => line.startsWith('{"keys":'); // a restore leaves out some, and gives new ones
  const linesOf = (text: string) => text.split('\n').filter(line => !isRevision(line));
  const found = await observe(folder.dir);
  expect(linesOf(found)).toEqual(linesOf(readFileSync(join(FIXTURES, version, 'expected.txt'), 'utf8')));
});

test('48-4 no format changes without a fixture of it', () => {
  const newest =
    readdirSync(FIXTURES)
      .sort(new Intl.Collator('en', {numeric: true}).compare)
      .at(-1) ?? '';
  const numbers = JSON.parse(readFileSync(join(FIXTURES, newest, 'formats.json'), 'utf8'));
  expect(numbers, `palisade ${PROGRAM_VERSION}: write its fixture with test/server/formats/write-fixture.ts`).toEqual(
    formatNumbers(),
  );
});

test('48-3 palisade store check names each damage with its way out; repair keeps the rest, shrink gives room back', async () => {
  using folder = scratch();
  unpack('0.1.0', folder.dir);
  const data = join(folder.dir, 'data');
  const store = (...words: string[]) => run(['store', ...words, '--data', data]);
  const file = join(data, 'store.sqlite');
  const db = new DatabaseSync(file);
  db.exec(`UPDATE change SET value = CAST('{}' AS BLOB) WHERE key = '/kube/core/endpoints/fixture/web-4'`);
  db.close();
  const partition = readdirSync(join(data, 'records')).find(name => name.startsWith('high-')) ?? '';
  writeFileSync(join(data, 'records', partition), 'noise '.repeat(2_000));

  const checked = await store('check');
  expect(checked.code).toBe(1);
  expect(checked.stdout).toContain('/kube/core/endpoints/fixture/web-4 at revision');
  expect(checked.stdout).toContain(`without one: palisade store repair --data ${data}`);
  expect(checked.stdout).toMatch(new RegExp(`${partition}: .*which sets a damaged file aside`));
  const before = readFileSync(file);
  const shown = await store('repair');
  expect([shown.code, shown.stdout]).toEqual([1, '']);
  expect(shown.stderr).toContain('lost: /kube/core/endpoints/fixture/web-4');
  expect(shown.stderr).toContain('accept the loss with --accept-loss');
  expect(readFileSync(file)).toEqual(before);

  const repaired = JSON.parse((await store('repair', '--accept-loss', '--json')).stdout);
  expect(repaired).toMatchObject({state: 'accepted', lostKeys: ['/kube/core/endpoints/fixture/web-4']});
  expect(readFileSync(repaired.damagedFile)).toEqual(before);
  rmSync(join(data, 'records'), {recursive: true});
  const shrunk = JSON.parse((await store('shrink', '--json')).stdout);
  expect(shrunk.after).toBeLessThanOrEqual(shrunk.before);
  const after = await store('check', '--json');
  expect([after.code, JSON.parse(after.stdout)]).toMatchObject([0, {whole: true, store: {keys: repaired.keptKeys}}]);
});

type Said = {readonly error?: {readonly code: string}};
const jsonOf = (stdout: string): Said => JSON.parse(stdout);

test('48-3 without a store each command says so, with an exit code of its own, and as JSON', async () => {
  using folder = scratch();
  const dir = join(folder.dir, 'empty');
  mkdirSync(dir);
  const message = `no store in ${dir}; check --data`;
  for (const command of ['check', 'shrink', 'repair']) {
    const words = ['store', command, '--data', dir];
    expect(await palisade(words)).toEqual({code: 3, stdout: '', stderr: `palisade: ${message}\n`});
    const asJson = await palisade([...words, '--json']);
    expect([asJson.code, asJson.stderr]).toEqual([3, '']);
    expect(JSON.parse(asJson.stdout)).toEqual({data: dir, error: {code: 'absent', message}});
  }
  expect(readdirSync(dir)).toEqual([]);
});

test('48-3 store commands tell a store in use, a foreign one, one that cannot be read, and a damaged one apart', async () => {
  using folder = scratch();
  const file = join(folder.dir, 'store.sqlite');
  const result = async (command: string): Promise<[number, string | undefined]> => {
    const {code, stdout} = await palisade(['store', command, '--data', folder.dir, '--json']);
    return [code, jsonOf(stdout).error?.code];
  };
  await (await openSqliteStore({file})).close();
  const lock = takeLock(file);
  for (const command of ['check', 'shrink', 'repair']) expect(await result(command)).toEqual([3, 'locked']);
  lock.release();
  writeFileSync(file, 'a letter');
  for (const command of ['check', 'shrink', 'repair']) expect(await result(command)).toEqual([3, 'format']);
  writeFileSync(file, '');
  expect(await result('check')).toEqual([1, undefined]); // a fault in its list
  for (const command of ['shrink', 'repair']) expect(await result(command)).toEqual([1, 'damaged']);
  rmSync(file);
  mkdirSync(file);
  for (const command of ['check', 'shrink', 'repair']) expect(await result(command)).toEqual([3, 'unreadable']);
});
