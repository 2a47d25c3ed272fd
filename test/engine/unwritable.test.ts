// SPDX-License-Identifier: Apache-2.0
// What the disk refuses: nothing is lost or half written, and one line says what and where. A file stands where a folder is needed.
import {existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {bench} from './support/bench-for-each.ts';

const IN_THE_WAY = 'cannot be written: there is a file where its folder should be; check the path';
const at = (path: string): string => join(bench.root, 'state/.pulumi', path);

/** Puts a file in the place of a folder; returns how to put the folder back. */
function block(path: string): () => void {
  const folder = at(path);
  const aside = join(dirname(folder), `aside-${path.replaceAll('/', '-')}.json`);
  if (existsSync(folder)) renameSync(folder, aside);
  writeFileSync(folder, '');
  return () => {
    rmSync(folder);
    if (existsSync(aside)) renameSync(aside, folder);
  };
}

test('the state cannot be written any more: told once, with what was made and is not in it; the last one is whole', async () => {
  bench.program("new Thing('a', {value: 1});");
  await bench.up();
  bench.program(
    "new Thing('a', {value: 1}); const b = new Thing('b', {value: 1}); new Thing('c', {value: b.computed});",
  );
  let unblock = (): void => undefined;
  bench.cloud.before = call => {
    if (call === 'create b') unblock = block('stacks/proj');
  };
  const ran = await bench.up(1);
  expect(ran.err.match(/could not be written/g)).toHaveLength(1);
  expect(ran.err).toContain(`the state could not be written: ${at('stacks/proj/dev.json')}: ${IN_THE_WAY}`);
  expect(ran.err).toContain('created since then are missing from it: fake:index:Thing b (id id-2); when');
  expect(ran.out).toContain('1 errored');
  unblock();
  bench.cloud.before = () => undefined;
  expect(readdirSync(at('stacks/proj')).sort()).toEqual(['dev.json', 'dev.json.bak']);
  expect(bench.resource('a')).toBeDefined();
  expect(bench.state().pending_operations).toMatchObject([{type: 'creating', resource: {type: 'fake:index:Thing'}}]);
  expect((await bench.up()).err).toContain('::b, interrupted while creating');
});

test.each([
  ['create', "new Thing('b', {fail: 'create'});"],
  ['update', "new Thing('a', {value: 1, fail: 'update'});"],
  ['delete', ''],
])('an object whose %s fails while the state cannot be written is told with both', async (verb, program) => {
  bench.program("new Thing('a', {value: 2, fail: 'delete'});");
  await bench.up();
  bench.program(program);
  bench.cloud.before = call => {
    if (call.startsWith(verb)) block('stacks/proj');
  };
  const {err} = await bench.up(1);
  expect(err).toContain('the cloud is down');
  expect(err.match(/the state could not be written/g)).toHaveLength(1);
});

test('a history that cannot be written is told after the result, with none of its files; the state is kept', async () => {
  bench.program("new Thing('a', {value: 1});");
  const unblock = block('history');
  const ran = await bench.up(1);
  expect(ran.out).toContain('+ 2 created');
  expect(ran.err).toMatch(/error: this operation is not in the history of the stack: .*: there is a file where/);
  unblock();
  expect(readdirSync(at('backups/proj/dev'))).toEqual([]);
  await bench.up(0, '--expect-no-changes');
});

test('what a command keeps for itself is told by path and reason when it cannot be written or read', async () => {
  bench.program('');
  const told = async (line: string) => (await bench.run(...line.split(' '))).err;
  const unblock = block('locks');
  for (const line of ['up --yes', 'stack init two', 'stack rm --yes'])
    expect(await told(line)).toMatch(new RegExp(`^palisade: ${at('locks')}/\\S+: ${IN_THE_WAY}\\n$`));
  unblock();
  bench.env = {...bench.env, PULUMI_CONFIG_PASSPHRASE: undefined, PULUMI_CONFIG_PASSPHRASE_FILE: '/none/pass'};
  expect(await told('stack init two')).toContain(
    'PULUMI_CONFIG_PASSPHRASE_FILE /none/pass: cannot be read: no such file; check the path',
  );
});

test('a stack whose configuration cannot be renamed keeps its name', async () => {
  await bench.run('config', 'set', 'a', 'b');
  mkdirSync(join(bench.folder, 'Pulumi.new.yaml'));
  const refused = await bench.run('stack', 'rename', 'new');
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('Pulumi.dev.yaml: cannot be written: is a folder');
  expect((await bench.run('stack', 'ls', '--json')).out).toMatch(/^\[\s*\{\s*"name": "dev",\s*"current": true/);
  expect((await bench.run('config', 'get', 'a')).out).toBe('b\n');
});
