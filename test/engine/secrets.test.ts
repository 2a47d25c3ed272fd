// SPDX-License-Identifier: Apache-2.0
import {existsSync, readdirSync, readFileSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, describe, expect, test, vi} from 'vitest';
import {EngineBench} from './support/engine-bench.ts';

// Every step starts a program: on a busy machine that takes its time.
vi.setConfig({testTimeout: 240_000, hookTimeout: 60_000});

let bench: EngineBench;
afterEach(() => bench.remove());

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, {recursive: true, encoding: 'utf8'})
    .map(name => join(folder, name))
    .filter(path => statSync(path).isFile());

const PROGRAM = `
  const t = new Thing('t', {value: pulumi.secret('hidden-one'), deep: {list: [pulumi.secret('hidden-two')]}, open: 'seen'},
    {additionalSecretOutputs: ['computed']});
  exports.value = t.value; exports.computed = t.computed; exports.fromConfig = cfg.getSecret('token');
  exports.isSecret = pulumi.isSecret(t.computed);
`;

describe('secrets', () => {
  test('are nowhere readable, in no file and no output, and come back in the clear when asked for', async () => {
    bench = new EngineBench();
    await bench.init();
    await bench.run('config', 'set', '--secret', 'token', 'hidden-three');
    bench.program(PROGRAM);
    const shown = [await bench.run('preview', '--json'), await bench.up(), await bench.up(0, '--expect-no-changes')];
    shown.push(
      await bench.run('refresh', '--yes', '--skip-preview', '--expect-no-changes'),
      await bench.run('stack', 'output', '--json'),
    );
    shown.push(await bench.run('stack', 'export'), await bench.run('config'));
    for (const ran of shown) {
      expect(ran.code, ran.all).toBe(0);
      expect(ran.all).not.toContain('hidden-');
    }
    const files = filesBelow(bench.root).filter(path => !path.endsWith('index.js') && !path.includes('node_modules'));
    expect(files.filter(path => readFileSync(path, 'utf8').includes('hidden-'))).toEqual([]);
    expect(files.length).toBeGreaterThan(6);
    const plain = JSON.parse((await bench.run('stack', 'output', '--json', '--show-secrets')).out);
    expect(plain).toEqual({value: 'hidden-one', computed: 'c-id-1', fromConfig: 'hidden-three', isSecret: true});
    expect(JSON.parse((await bench.run('stack', 'output', '--json')).out)).toMatchObject({
      value: '[secret]',
      computed: '[secret]',
    });
    expect((await bench.run('stack', 'export', '--show-secrets')).out).toContain('hidden-two');
  });

  test('of another stack, deep in an output that a StackReference reads, are sealed and masked too', async () => {
    bench = new EngineBench();
    await bench.init();
    bench.program("exports.deep = {list: [1, {word: pulumi.secret('hidden-four')}]}; exports.open = {word: 'seen'};");
    await bench.up();
    await bench.run('stack', 'init', 'reader');
    bench.program(`
      const other = new pulumi.StackReference('organization/proj/dev');
      exports.deep = other.getOutput('deep'); exports.open = other.getOutput('open');
    `);
    expect((await bench.up()).all).not.toContain('hidden-');
    await bench.up(0, '--expect-no-changes');
    const state = readFileSync(join(bench.root, 'state/.pulumi/stacks/proj/reader.json'), 'utf8');
    expect(state).not.toContain('hidden-');
    expect(state).toContain('"secretOutputNames":["deep"]');
    const plain = JSON.parse((await bench.run('stack', 'output', '--json', '--show-secrets')).out);
    expect(plain).toEqual({deep: {list: [1, {word: 'hidden-four'}]}, open: {word: 'seen'}});
  });

  test('without a passphrase nothing secret is created, and the variable is named', async () => {
    bench = new EngineBench({passphrase: undefined});
    await bench.init();
    bench.program(PROGRAM.replace("cfg.getSecret('token')", '1'));
    const ran = await bench.up(1);
    expect(ran.err).toContain('PULUMI_CONFIG_PASSPHRASE');
    expect(bench.cloud.objects.size).toBe(0);
    bench.program("new Thing('open', {value: 1});");
    await bench.up();
  });

  test('a wrong passphrase is refused before anything is done', async () => {
    bench = new EngineBench();
    await bench.init();
    bench.program(PROGRAM.replace("cfg.getSecret('token')", '1'));
    await bench.up();
    bench.cloud.take();
    bench.env = {...bench.env, PULUMI_CONFIG_PASSPHRASE: 'other'};
    expect((await bench.up(1)).err).toContain('incorrect passphrase');
    expect(bench.cloud.take()).toEqual([]);
  });

  test('a wrong passphrase is refused before anything is done, also where no secret is there yet', async () => {
    bench = new EngineBench();
    await bench.init();
    bench.program("new Thing('open', {value: 1});");
    bench.env = {...bench.env, PULUMI_CONFIG_PASSPHRASE: 'other'};
    for (const command of [['preview'], ['up', '--yes'], ['refresh', '--yes'], ['destroy', '--yes']]) {
      const {code, err} = await bench.run(...command);
      expect([code, err]).toEqual([
        1,
        'palisade: incorrect passphrase: PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE does not hold the passphrase of this stack\n',
      ]);
    }
    expect(bench.cloud.take()).toEqual([]);
  });

  test.each([
    ['a resource', 'Thing (t)', 'this resource', "new Thing('t', {}, {additionalSecretOutputs: ['computed']})"],
    [
      'a resource that is read',
      'Thing (t)',
      'this resource',
      "new Thing('t', {value: pulumi.secret('hidden')}, {id: 'found'})",
    ],
    ['a component', 'Group (g)', 'an output', "new Group('g').registerOutputs({word: pulumi.secret('hidden')})"],
    ['the stack', 'Stack (proj-dev)', 'an output', "pulumi.secret('hidden')"],
  ])('without a passphrase a secret of %s is refused, and what was done is kept', async (_, who, what, secret) => {
    bench = new EngineBench({passphrase: undefined});
    await bench.init();
    bench.program(`exports.x = new Thing('open', {value: 1}).id.apply(() => { return ${secret}; });`);
    const {err} = await bench.up(1);
    expect(err).toContain(
      `${who}:\n    error: ${what} has a secret: passphrase must be set with PULUMI_CONFIG_PASSPHRASE`,
    );
    expect(bench.cloud.objects.size).toBe(1);
    bench.program("new Thing('open', {value: 1});");
    expect((await bench.up()).all).toContain('2 unchanged');
    expect(bench.cloud.objects.size).toBe(1);
  });

  test('without a passphrase a secret of a resource that is left out does no harm', async () => {
    bench = new EngineBench({passphrase: undefined});
    await bench.init();
    bench.program("new Thing('open', {value: 1}); new Thing('t', {value: pulumi.secret('hidden')});");
    await bench.up(0, '--target', '**::open');
    expect(bench.cloud.objects.size).toBe(1);
  });

  test('with the salt in the state alone, the configuration is not written', async () => {
    bench = new EngineBench();
    await bench.init();
    bench.program("new Thing('t', {value: pulumi.secret('hidden')});");
    await bench.up();
    const config = join(bench.folder, 'Pulumi.dev.yaml');
    rmSync(config);
    bench.program("new Thing('t', {value: pulumi.secret('changed')});");
    await bench.up();
    expect(existsSync(config)).toBe(false);
  });
});
