// SPDX-License-Identifier: Apache-2.0
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {bench} from './support/bench-for-each.ts';

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

describe('programs in TypeScript', () => {
  test("E-029 run through the SDK's own loader; a type error is shown and nothing is changed", async () => {
    bench.write('Pulumi.yaml', 'name: proj\nruntime: nodejs\nmain: index.ts\n');
    const source = (value: string): string => `
      import * as pulumi from '@pulumi/pulumi';
      class Thing extends pulumi.CustomResource {
        declare readonly computed: pulumi.Output<string>;
        constructor(name: string, args: {value: pulumi.Input<number>}, opts?: pulumi.CustomResourceOptions) {
          super('fake:index:Thing', name, {computed: undefined, ...args}, opts);
        }
      }
      export const seen = new Thing('a', {value: ${value}}).computed;
    `;
    bench.write('index.ts', source('1'));
    expect((await bench.up()).out).toContain('"c-id-1"');
    bench.write('index.ts', source('"one"'));
    const ran = await bench.up(1);
    expect(ran.err).toMatch(/index\.ts\(9,43\): error TS2322/);
    expect(bench.cloud.objects.size).toBe(1);
  });

  test.each([
    ['src/index.ts', {main: 'src/index'}],
    ['src/app.tsx', {main: './src/app'}],
    ['src/part/index.ts', {exports: './dist/part.js', main: 'src/part'}],
    ['index.ts', {main: 'dist/index.js'}],
  ])('%s is found from package.json as ts-node finds it', async (file, entry) => {
    bench.write('Pulumi.yaml', 'name: proj\nruntime: nodejs\n');
    bench.write('package.json', JSON.stringify(entry, undefined, '\t'));
    expect((await bench.up(1)).err).toContain(`, which ${bench.folder}/package.json names, does not exist`);
    mkdirSync(join(bench.folder, 'src/part'), {recursive: true});
    bench.write(file, 'export const where: number = 1;');
    expect((await bench.up()).out).toContain('where: 1');
  });

  test('a folder without a program is told before anything is done, with what package.json names', async () => {
    bench.write('Pulumi.yaml', 'name: proj\nruntime: nodejs\n');
    const refused = (why: string) =>
      `palisade: no index.ts or index.js in ${bench.folder}${why}: write or build the program there, or name its file with main in ${bench.folder}/Pulumi.yaml\n`;
    expect((await bench.up(1)).err).toBe(refused(''));
    bench.write('package.json', '{"main": "dist/index.js"}');
    expect((await bench.up(1)).err).toBe(
      refused(`, and dist/index.js, which ${bench.folder}/package.json names, does not exist`),
    );
    bench.write('package.json', '{"exports": {".": {"default": "./start.js"}}}');
    bench.write('start.js', 'exports.where = 1;');
    expect((await bench.up()).out).toContain('where: 1');
    bench.write('Pulumi.yaml', 'name: proj\nruntime: nodejs\nmain: dist/index.js\n');
    expect((await bench.up(1)).err).toBe(
      `palisade: ${bench.folder}/Pulumi.yaml: main: ${bench.folder}/dist/index.js does not exist: write or build it, or name another file\n`,
    );
  });
});

test('of a stack whose language only the Pulumi CLI runs, what needs no program goes on', async () => {
  bench.program("new Thing('a', {value: 1});");
  await bench.up();
  bench.write('Pulumi.yaml', 'name: proj\nruntime: {name: go, options: {binary: app}}\n');
  const refused = {
    code: 1,
    err: `palisade: ${bench.folder}/Pulumi.yaml: runtime: "go" is not supported by the embedded engine (nodejs and python are); use the Pulumi CLI for it\n`,
  };
  for (const command of [['up', '--yes'], ['preview']]) expect(await bench.run(...command)).toMatchObject(refused);
  bench.cloud.objects.set('x-1', {id: 'x-1', inputs: {name: 'found'}, version: 1});
  const importing = ['import', 'fake:index:Thing', 'b', 'x-1', '--yes'];
  expect(await bench.run(...importing)).toMatchObject(refused);
  expect(bench.resource('b')).toBeUndefined();
  expect(await bench.run(...importing, '--protect=false', '--generate-code=false')).toMatchObject({code: 0, err: ''});
  expect(bench.resource('b')).toMatchObject({id: 'x-1'});
  for (const command of [
    ['stack', 'ls'],
    ['stack', 'export'],
    ['refresh', '--yes'],
    ['destroy', '--yes'],
  ])
    expect(await bench.run(...command)).toMatchObject({code: 0});
  expect(bench.cloud.objects.size).toBe(0);
});

describe('default providers', () => {
  test('that of a resource that was refused stays, as with the Pulumi CLI, and goes with the next up that needs none', async () => {
    bench.program("new Thing('a', {bad: 'x'});");
    await bench.up(1);
    expect(bench.resource('default')).toBeDefined();
    bench.program('');
    await bench.up();
    expect(bench.resource('default')).toBeUndefined();
  });

  test('a newer SDK version moves resources to a new default provider without touching them', async () => {
    bench.program("new Thing('a', {name: 'a', value: 1}, {version: '0.1.0'});");
    await bench.up();
    bench.program("new Thing('a', {name: 'a', value: 1}, {version: '0.2.0'});");
    bench.cloud.take();
    await bench.up(0, '--expect-no-changes');
    expect(bench.cloud.take()).toEqual(['check a', 'diff a']);
    expect(bench.resource('default_0_1_0')).toBeUndefined();
    expect(bench.resource('default_0_2_0')).toBeDefined();
    expect((await bench.run('destroy', '--yes', '--skip-preview')).code).toBe(0);
  });
});
