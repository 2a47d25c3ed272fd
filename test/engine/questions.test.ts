// SPDX-License-Identifier: Apache-2.0
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {EngineBench} from './support/engine-bench.ts';

vi.setConfig({testTimeout: 120_000, hookTimeout: 60_000});

const THING = 'urn:pulumi:dev::proj::fake:index:Thing::a';

let bench: EngineBench;
beforeEach(async () => {
  bench = new EngineBench();
  await bench.init();
  bench.cloud.objects.set('x-1', {id: 'x-1', inputs: {name: 'found'}, version: 1});
  bench.program("new Thing('a', {value: 1});");
  await bench.up();
});
afterEach(() => bench.remove());

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
