// SPDX-License-Identifier: Apache-2.0
import {beforeEach, describe, expect, test} from 'vitest';
import {bench} from './support/bench-for-each.ts';

beforeEach(async () => {
  bench.program(
    "const a = new Thing('a', {name: 'a', value: 1}); new Thing('b', {name: 'b', value: 2}, {dependsOn: a});",
  );
  await bench.up();
  bench.cloud.take();
});

describe('refresh', () => {
  test('a change from outside goes into the state, and the next up puts the program back in force', async () => {
    bench.cloud.drift('a', {value: 9});
    const preview = await bench.run('refresh', '--preview-only', '--json');
    expect(JSON.parse(preview.out).changeSummary).toEqual({same: 2, update: 1});
    expect(JSON.parse(preview.out).steps.find((step: {op: string}) => step.op === 'update').detailedDiff).toEqual({
      value: {kind: 'update', inputDiff: true},
    });
    expect(bench.resource('a')).toMatchObject({inputs: {value: 1}});
    const strict = await bench.run('refresh', '--yes', '--skip-preview', '--expect-no-changes');
    expect(strict.code).toBe(1);
    expect(bench.resource('a')).toMatchObject({inputs: {value: 9}, outputs: {value: 9}});
    bench.cloud.take();
    await bench.up();
    expect(bench.cloud.take()).toContain('update a');
    expect((await bench.run('refresh', '--yes', '--skip-preview', '--expect-no-changes')).code).toBe(0);
  });

  test('an up that changes nothing says that it did not look at the server; one with --refresh did', async () => {
    const note = 'use --refresh to compare with the server';
    bench.cloud.drift('a', {value: 9});
    expect((await bench.run('up', '--yes')).err.split(note)).toHaveLength(2);
    expect((await bench.up(0, '--refresh')).err).not.toContain(note);
    expect((await bench.up(0, '--refresh')).err).not.toContain(note);
  });

  test('an object that is gone leaves the state, and nothing refers to it any more', async () => {
    bench.cloud.objects.delete('id-1');
    expect((await bench.run('refresh', '--yes', '--skip-preview')).code).toBe(0);
    expect(bench.resource('a')).toBeUndefined();
    expect(JSON.stringify(bench.state())).not.toContain('Thing::a');
    await bench.up();
    expect(bench.resource('a')).toMatchObject({id: 'id-3'});
  });

  test('preview --refresh and up --refresh see the drift at once', async () => {
    bench.cloud.drift('a', {value: 9});
    const preview = await bench.run('preview', '--refresh', '--json');
    expect(JSON.parse(preview.out).changeSummary).toEqual({same: 2, update: 1});
    expect(bench.resource('a')).toMatchObject({inputs: {value: 1}});
    await bench.up(0, '--refresh');
    expect(bench.cloud.objects.get('id-1')?.inputs['value']).toBe(1);
  });

  test('an object that cannot be read stays as it was, and the command fails', async () => {
    bench.cloud.before = call => {
      if (call === 'read a') throw new Error('no answer');
    };
    const ran = await bench.run('refresh', '--yes', '--skip-preview');
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('no answer');
    expect(bench.resource('a')).toMatchObject({id: 'id-1', inputs: {value: 1}});
  });
});
