// SPDX-License-Identifier: Apache-2.0
import {existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, expect, test} from 'vitest';
import {bench} from './support/bench-for-each.ts';

/** A path below the backend's folder. */
const kept = (...names: readonly string[]): string => join(bench.root, 'state/.pulumi', ...names);
const files = (): string[] => readdirSync(kept(), {recursive: true}).map(String).sort();
const historyOf = (project: string, stack: string): string => {
  mkdirSync(kept('history', project, stack), {recursive: true});
  const file = kept('history', project, stack, `${stack}-1.history.json`);
  writeFileSync(file, '{"kind":"update","startTime":1,"endTime":1}');
  return file;
};

beforeEach(async () => {
  historyOf('proj', 'dev');
  historyOf('other', 'prod');
});

const RULE = 'expected 1 to 100 letters, digits, hyphens, underscores and periods, and neither "." nor ".."';

test('F-01 a project whose name is no plain path segment is refused by every command, and nothing is deleted', async () => {
  const before = files();
  for (const name of ['..', '.', 'a/b', 'a\\b', '', 'x'.repeat(101)]) {
    bench.write('Pulumi.yaml', `name: ${JSON.stringify(name)}\nruntime: nodejs\n`);
    for (const words of ['stack init stacks', 'stack rm stacks --yes --remove-backups', 'cancel stacks', 'stack ls']) {
      const ran = await bench.run(...words.split(' '));
      expect(ran, `${name}: ${words}`).toMatchObject({code: 1, err: expect.stringContaining(RULE)});
    }
  }
  expect(files()).toEqual(before);
});

test.each([
  'stack init NAME',
  'stack select NAME --create',
  'stack rm NAME --yes --remove-backups',
  'stack rename NAME',
  'stack history --stack NAME',
  'stack export --stack NAME',
  'stack import --stack NAME',
  'cancel NAME',
  'preview --stack NAME',
])('F-01 %s refuses a name that leads to another folder, and nothing is deleted', async words => {
  bench.input = '{"version":3,"deployment":{}}';
  const before = files();
  for (const name of ['..', '.', 'organization/../dev', 'organization/proj/..', 'a\\b', 'dev\0', 'x'.repeat(300)]) {
    const ran = await bench.run(...words.split(' ').map(word => (word === 'NAME' ? name : word)));
    expect(ran, name).toMatchObject({code: 1, err: expect.stringContaining(RULE)});
  }
  bench.env = {...bench.env, PULUMI_STACK: '..'};
  expect((await bench.run('stack', 'history')).err).toContain(RULE);
  expect(files()).toEqual(before);
});

test('F-01 names that the CLI accepts stay valid', async () => {
  for (const name of ['...', '.pulumi', 'dev.', '-', 'Dev', 'x'.repeat(100)]) {
    expect(await bench.run('stack', 'init', name), name).toMatchObject({code: 0});
    expect(await bench.run('stack', 'rm', name, '--yes', '--remove-backups'), name).toMatchObject({code: 0});
  }
  expect(existsSync(kept('stacks/proj/dev.json'))).toBe(true);
});

test.each(['history', 'backups', 'stacks', 'locks/organization'])(
  'F-01 a link below %s leads no deletion out of the folder of the backend',
  async kind => {
    const outside = join(bench.root, 'outside');
    mkdirSync(kept(kind, 'proj', 'dev'), {recursive: true});
    writeFileSync(kept(kind, 'proj', 'dev', 'precious.json'), '{}');
    renameSync(kept(kind, 'proj'), outside);
    symlinkSync(outside, kept(kind, 'proj'));
    const before = readdirSync(outside, {recursive: true}).sort();
    for (const words of [
      'stack rm dev --yes --remove-backups',
      ...(kind === 'locks/organization' ? ['cancel dev'] : []),
    ])
      expect(await bench.run(...words.split(' '))).toMatchObject({
        code: 1,
        err: expect.stringContaining(`points to ${outside}`),
      });
    expect(readdirSync(outside, {recursive: true}).sort()).toEqual(before);
  },
);
