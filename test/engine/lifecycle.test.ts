// SPDX-License-Identifier: Apache-2.0
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {EngineBench} from './support/engine-bench.ts';

let bench: EngineBench;
beforeEach(async () => {
  bench = new EngineBench();
  await bench.init();
});
afterEach(() => bench.remove());

const outputs = async (): Promise<Record<string, unknown>> =>
  JSON.parse((await bench.run('stack', 'output', '--json')).out);

describe('a resource from create to destroy', () => {
  test('E-022 E-023 E-029 create, no-op, update, replace, destroy', async () => {
    bench.program(`
      const a = new Thing('a', {value: cfg.get('value') ?? 'one', key: cfg.get('key') ?? 'k1'});
      const b = new Thing('b', {value: a.computed});
      exports.id = a.id; exports.seen = b.value; exports.name = a.name;
    `);
    const preview = await bench.run('preview', '--json');
    expect(preview.code, preview.all).toBe(0);
    expect(JSON.parse(preview.out).changeSummary).toEqual({create: 3});
    expect(bench.cloud.take()).toEqual(['check a', 'check b']);

    await bench.up();
    expect(bench.cloud.take()).toEqual(['check a', 'create a', 'check b', 'create b']);
    expect(await outputs()).toMatchObject({id: 'id-1', seen: 'c-id-1'});

    await bench.up(0, '--expect-no-changes');
    expect(bench.cloud.take()).toEqual(['check a', 'diff a', 'check b', 'diff b']);

    await bench.run('config', 'set', 'value', 'two');
    const second = await bench.run('preview', '--json');
    expect(JSON.parse(second.out).changeSummary).toEqual({same: 2, update: 1});
    bench.cloud.take();
    await bench.up();
    expect(bench.cloud.take()).toEqual(['check a', 'diff a', 'update a', 'check b', 'diff b']);

    await bench.run('config', 'set', 'key', 'k2');
    const third = await bench.run('preview', '--json');
    expect(JSON.parse(third.out).changeSummary).toEqual({replace: 1, same: 1, update: 1});
    bench.cloud.take();
    await bench.up();
    expect(bench.cloud.take()).toEqual([
      'check a', 'diff a', 'check a', 'create a', 'check b', 'diff b', 'update b', 'delete a',
    ]); // biome-ignore format: a sequence
    expect(await outputs()).toMatchObject({id: 'id-3', seen: 'c-id-3'});

    const refreshed = await bench.run('refresh', '--yes', '--skip-preview', '--expect-no-changes');
    expect(refreshed.code, refreshed.all).toBe(0);
    bench.cloud.take();
    const destroyed = await bench.run('destroy', '--yes', '--skip-preview');
    expect(destroyed.code, destroyed.all).toBe(0);
    expect(bench.cloud.take()).toEqual(['delete b', 'delete a']);
    expect(bench.state().resources).toBeUndefined();
    expect((await bench.run('stack', 'rm', '--yes')).code).toBe(0);
  });
});
