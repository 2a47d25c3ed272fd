// SPDX-License-Identifier: Apache-2.0
/** A command that needs a server and names none takes the local one, and starts it when none runs. Ref: design section 3. */
import {cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {describe, expect, test} from 'vitest';
import {run, scratch, serve} from '../support/palisade.ts';

const readServer = (file: string): {http: string; pid: number} => JSON.parse(readFileSync(file, 'utf8'));

test('palisade preview starts a local server, says so, and the next command finds it', async () => {
  using folder = scratch();
  const shop = join(folder.dir, 'shop');
  cpSync(resolve('examples/shop'), shop, {
    recursive: true,
    filter: path => !/node_modules|Pulumi\..+\.yaml$/.test(path),
  });
  symlinkSync(resolve('build/sdk/node_modules'), join(shop, 'node_modules'));
  mkdirSync(join(folder.dir, 'backend'));
  const env = {
    XDG_STATE_HOME: join(folder.dir, 'state'),
    PULUMI_BACKEND_URL: `file://${join(folder.dir, 'backend')}`,
    PULUMI_HOME: join(folder.dir, 'home'),
    PULUMI_CONFIG_PASSPHRASE: 'x',
    PULUMI_NODEJS_TRANSPILE_ONLY: 'true',
    PALISADE_SERVER: '',
    KUBECONFIG: '',
  };
  expect((await run(['stack', 'init', 'dev', '--cwd', shop], {env})).code).toBe(0);
  const serverFile = join(folder.dir, 'state/palisade/server.json');
  try {
    const first = await run(['preview', '--cwd', shop], {env});
    expect(first.code, first.stderr).toBe(0);
    expect(first.stderr).toContain('starting one, data in');
    const second = await run(['preview', '--cwd', shop], {env});
    expect(second.code, second.stderr).toBe(0);
    expect(second.stderr).not.toContain('starting one');
    expect(second.stderr).toContain(`using the local server at ${readServer(serverFile).http}\n`);
  } finally {
    if (existsSync(serverFile)) {
      process.kill(readServer(serverFile).pid, 'SIGTERM');
      await expect.poll(() => existsSync(serverFile), {timeout: 20_000}).toBe(false);
    }
    rmSync(folder.dir, {recursive: true, force: true});
  }
});

describe('no local server is started', () => {
  /** A project with an empty program, and an empty stack `dev`; no server is named. */
  const project = async (dir: string) => {
    const cwd = join(dir, 'program');
    for (const folder of [cwd, join(dir, 'backend')]) mkdirSync(folder);
    writeFileSync(join(cwd, 'Pulumi.yaml'), 'name: p\nruntime: nodejs\n');
    writeFileSync(join(cwd, 'index.ts'), '');
    const state = join(dir, 'state');
    const env = {
      XDG_STATE_HOME: state,
      PULUMI_BACKEND_URL: `file://${join(dir, 'backend')}`,
      PULUMI_HOME: join(dir, 'home'),
      PULUMI_CONFIG_PASSPHRASE: 'x',
      PALISADE_SERVER: '',
      KUBECONFIG: '',
    };
    const palisade = (...words: string[]) => run(words, {env, cwd});
    expect((await palisade('stack', 'init', 'dev')).code).toBe(0);
    return {cwd, state, palisade};
  };
  const urn = (type: string, name: string): string => `urn:pulumi:dev::p::${type}::${name}`;
  /** One object of ours; its provider is the default one, configured with `inputs`. */
  const deployment = (inputs: Record<string, string>): string =>
    JSON.stringify({
      version: 3,
      deployment: {
        manifest: {time: '2024-01-01T00:00:00Z', magic: '', version: ''},
        resources: [
          {urn: urn('pulumi:pulumi:Stack', 'p-dev'), custom: false, type: 'pulumi:pulumi:Stack'},
          {
            urn: urn('pulumi:providers:platform', 'default'), custom: true, id: 'i', type: 'pulumi:providers:platform',
            inputs, outputs: inputs,
          },
          {
            urn: urn('platform:core/v1:Endpoints', 'web'), custom: true, id: 'default/web', type: 'platform:core/v1:Endpoints',
            inputs: {}, outputs: {}, provider: `${urn('pulumi:providers:platform', 'default')}::i`,
          },
        ],
      },
    }); // biome-ignore format: a table

  test('for a stack with resources: a new one has none of them', async () => {
    using folder = scratch();
    const {cwd, state, palisade} = await project(folder.dir);
    writeFileSync(join(cwd, 'state.json'), deployment({}));
    expect((await palisade('stack', 'import', '--file', 'state.json')).code).toBe(0);
    const before = (await palisade('stack', 'export')).stdout;
    symlinkSync(resolve('build/sdk/node_modules'), join(cwd, 'node_modules'));
    for (const command of ['destroy --yes', 'refresh --yes', 'up --yes', 'preview']) {
      const ran = await palisade(...command.split(' '));
      expect(ran.code, ran.stderr).toBe(1);
      expect(ran.stderr).toContain(
        `palisade: stack dev has 1 resource on a server\npalisade: no server is configured\npalisade: a new local server (data in ${state}/palisade) would be empty, and they would count as deleted\n`,
      );
      expect(ran.stderr).toContain('set PALISADE_SERVER or KUBECONFIG');
      expect(ran.stderr).toContain('palisade serve');
    }
    expect(existsSync(state)).toBe(false);
    expect((await palisade('stack', 'export')).stdout).toBe(before);
  });

  test('for a stack whose resources are on another server: the local one is not taken for it', async () => {
    using folder = scratch();
    const {cwd, state, palisade} = await project(folder.dir);
    writeFileSync(join(cwd, 'state.json'), deployment({}));
    expect((await palisade('stack', 'import', '--file', 'state.json')).code).toBe(0);
    symlinkSync(resolve('build/sdk/node_modules'), join(cwd, 'node_modules'));
    await using server = await serve(['--data', join(state, 'palisade'), '--http', '127.0.0.1:0', '--auth', 'none']);
    const {http} = server.ready;
    const imports = 'import platform:core/v1:Endpoints other default/other --yes';
    for (const command of ['destroy --yes', 'refresh --yes', 'up --yes', 'preview', imports]) {
      const ran = await palisade(...command.split(' '));
      expect(ran.code, ran.stderr).toBe(1);
      const harm = command === imports ? 'the stack would be spread over two servers' : 'they would count as deleted';
      expect(ran.stderr).toContain(
        `palisade: stack dev has 1 resource on a server\npalisade: no server is configured\npalisade: the local server at ${http} has none of them, and ${harm}\n`,
      );
      expect(ran.stderr).toContain(`set PALISADE_SERVER=${http}`);
    }
    await fetch(`${http}/api/v1/namespaces/default/endpoints`, {
      method: 'POST',
      headers: {'content-type': 'application/json'},
      body: JSON.stringify({metadata: {name: 'web'}}),
    });
    const ran = await palisade('destroy', '--yes');
    expect(ran.code, ran.stderr).toBe(0);
  });

  test('for a stack whose state says where its resources are', async () => {
    using folder = scratch();
    const {cwd, state, palisade} = await project(folder.dir);
    writeFileSync(join(cwd, 'state.json'), deployment({server: 'http://127.0.0.1:1'}));
    expect((await palisade('stack', 'import', '--file', 'state.json')).code).toBe(0);
    const ran = await palisade('refresh', '--yes');
    expect(ran.stderr).toContain('127.0.0.1:1');
    expect(ran.code).toBe(1);
    expect(existsSync(state)).toBe(false);
  });

  test.each<[string, string[], string]>([
    ['a folder that is not there', ['preview', '--cwd', '/nope'], '--cwd /nope: no such folder'],
    ['a folder without a project', ['preview', '--cwd', '/'], 'no Pulumi.yaml project file found in /'],
    ['a stack that is not there', ['refresh', '--yes', '--stack', 'prod'], "no stack named 'prod' found"],
    ['a program that has no packages', ['preview'], '@pulumi/pulumi was not found from'],
    ['an unknown flag', ['destroy', '--yess'], '--yess'],
    ['a missing --yes', ['destroy'], 'give --yes or --skip-preview'],
  ])('before what is wrong with the command is told: %s', async (_what, words, told) => {
    using folder = scratch();
    const {state, palisade} = await project(folder.dir);
    const ran = await palisade(...words);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain(told);
    expect(existsSync(state)).toBe(false);
  });

  test('before a stack is selected', async () => {
    using folder = scratch();
    const {state, palisade} = await project(folder.dir);
    expect((await palisade('stack', 'unselect')).code).toBe(0);
    const ran = await palisade('refresh', '--yes');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('no stack selected');
    expect(existsSync(state)).toBe(false);
  });
});
