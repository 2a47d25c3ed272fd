// SPDX-License-Identifier: Apache-2.0
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, expect, test} from 'vitest';
import {bench} from './support/bench-for-each.ts';

const THING = 'urn:pulumi:dev::proj::fake:index:Thing::a';

beforeEach(async () => {
  bench.cloud.objects.set('x-1', {id: 'x-1', inputs: {name: 'found'}, version: 1});
  bench.program("new Thing('a', {value: 1});");
  await bench.up();
});

const asking = ['state delete --all', 'stack rm dev --force', 'destroy', 'import fake:index:Thing found x-1'];
const typed = {no: 'n\r', nothing: '\r', 'Ctrl-C': '\u0003', 'Ctrl-D': '\u0004', 'no more terminal': ''};

test.each(Object.entries(typed))('%s declines every question, in words, and nothing is changed', async (_, keys) => {
  const before = bench.state();
  bench.keys = keys;
  for (const line of asking) {
    const ran = await bench.run(...line.split(' '));
    expect(ran, line).toMatchObject({
      code: 1,
      err: expect.stringMatching(/confirmation declined, nothing was changed\n$/),
    });
    expect(ran.err, line).not.toContain('error');
  }
  expect(bench.state()).toEqual(before);
});

test('who is asked and agrees gets it done', async () => {
  bench.keys = 'Yes\r';
  expect((await bench.run('state', 'delete', THING)).code).toBe(0);
  expect(bench.resource('a')).toBeUndefined();
  expect((await bench.run('import', 'fake:index:Thing', 'found', 'x-1')).code).toBe(0);
  expect(bench.resource('found')).toBeDefined();
  bench.keys = 'dev\r';
  expect((await bench.run('stack', 'rm', '--force')).code).toBe(0);
});

test('config set asks for a value that is not given; a secret is not shown; who leaves has set nothing', async () => {
  bench.keys = 'blue\r';
  const asked = await bench.run('config', 'set', 'colour');
  expect(asked).toMatchObject({code: 0, err: expect.stringContaining('value: ')});
  bench.keys = 'hush-hush\r';
  const secret = await bench.run('config', 'set', '--secret', 'word');
  expect(secret).toMatchObject({code: 0, all: 'value: \n'});
  expect(readFileSync(join(bench.folder, 'Pulumi.dev.yaml'), 'utf8')).not.toContain('hush-hush');
  bench.keys = '\u0003';
  for (const key of ['colour', 'none'])
    expect(await bench.run('config', 'set', key)).toMatchObject({
      code: 1,
      err: expect.stringContaining('no value was given, nothing was changed\n'),
    });
  const get = async (key: string) => (await bench.run('config', 'get', key)).out;
  expect([await get('colour'), await get('word'), await get('none')]).toEqual(['blue\n', 'hush-hush\n', '']);
  expect((await bench.run('config', 'set', 'colour', '--non-interactive')).code).toBe(2);
});

test('config set --secret without a value on standard input sets nothing', async () => {
  bench.input = '';
  const ran = await bench.run('config', 'set', '--secret', 'word');
  const wayOut = 'give an empty secret as palisade config set --secret word ""';
  expect(ran).toMatchObject({code: 1, err: `palisade: no value on standard input; ${wayOut}\n`});
  expect((await bench.run('config', 'get', 'word')).code).toBe(1);
  expect(await bench.run('config', 'set', '--secret', 'word', '')).toMatchObject({code: 0, all: ''});
  expect(await bench.run('config', 'get', 'word')).toMatchObject({code: 0, out: '\n'});
});

test('config set checks the key before it asks for the value', async () => {
  bench.keys = 'hush-hush\r';
  const ran = await bench.run('config', 'set', '--secret', 'a:b:c');
  expect(ran.err).toMatch(/^palisade: could not parse "a:b:c" as a configuration key/);
});
