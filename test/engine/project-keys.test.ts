// SPDX-License-Identifier: Apache-2.0
// Keys of Pulumi.yaml and Pulumi.<stack>.yaml as a user sees them at work: each has its effect or is refused by name.
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {bench} from './support/bench-for-each.ts';

const project = (text: string) => bench.write('Pulumi.yaml', `name: proj\nmain: index.js\n${text}`);
const NODE = 'runtime: {name: nodejs, options: {typescript: false}}\n';
const stackFile = (text: string) => bench.write('Pulumi.dev.yaml', text);
const OPERATIONS = ['preview', 'up --yes --skip-preview', 'refresh --yes', 'destroy --yes'];
const run = (line: string) => bench.run(...line.split(' '));

describe('pulumi:disable-default-providers', () => {
  test.each([
    ['*', 'fake'],
    ['fake', 'fake'],
  ])('F-19 [%s]: a resource without an explicit provider is refused', async (name, refused) => {
    bench.program(`new Thing('a', {value: 1});`);
    stackFile(`config:\n  pulumi:disable-default-providers: ["${name}"]\n`);
    const ran = await bench.up(1);
    expect(ran.all).toContain(`Default provider for '${refused}' disabled by pulumi:disable-default-providers`);
    expect(bench.cloud.take().filter(call => call.startsWith('create'))).toEqual([]);
  });

  test('F-19 an explicit provider and other packages work; so does the value as text', async () => {
    bench.program(`new Thing('a', {value: 1}, {provider: new Fake('p', {})});`);
    await run('config set pulumi:disable-default-providers ["*"]');
    await bench.up();
    await run('config set pulumi:disable-default-providers ["other"]');
    bench.program(`new Thing('a', {value: 1});`);
    await bench.up();
  });

  test('F-19 what is no list of names is refused by name', async () => {
    bench.program('');
    await run('config set pulumi:disable-default-providers fake');
    expect((await bench.up(1)).err).toMatch(
      /pulumi:disable-default-providers: expected a list of package names, found/,
    );
  });
});

describe('Pulumi.<stack>.yaml', () => {
  test.each(OPERATIONS)('F-19 environment: %s is refused with file, key and way out', async line => {
    bench.program('');
    stackFile('environment:\n  - prod\n');
    expect(await run(line)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/Pulumi\.dev\.yaml: environment: .*palisade config set.*or use the Pulumi CLI/),
    });
  });

  test('F-19 environment: no value of the stack is shown without those of the environment, state commands work', async () => {
    stackFile('config: {proj:a: x}\nenvironment: {values: {pulumiConfig: {a: 1}}}\n');
    for (const line of ['config', 'config get a'])
      expect(await run(line)).toMatchObject({code: 1, err: expect.stringContaining('environment: ')});
    expect((await run('stack export')).code).toBe(0);
    stackFile('config: {proj:a: x}\nenvironment: []\n');
    expect((await run('config get a')).out).toBe('x\n');
  });

  test('F-19 a misspelt key is refused, a key of another program is named, default is the passphrase provider', async () => {
    bench.program('');
    stackFile('confg: {a: 1}\n');
    expect(await run('config')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/Pulumi\.dev\.yaml: confg: there is no such key: did you mean "config"/),
    });
    stackFile('secretsprovider: default\nmine: 1\n');
    expect((await bench.up()).err).toMatch(/note: \S+Pulumi\.dev\.yaml: unknown key mine has no effect/);
    stackFile('encryptedkey: abc\n');
    expect((await bench.up(1)).err).toMatch(/Pulumi\.dev\.yaml: encryptedkey: .*passphrase/);
  });
});

describe('Pulumi.yaml', () => {
  test('F-19 options.refresh: always refreshes before up, preview and destroy, --refresh=false does not', async () => {
    project(`${NODE}options: {refresh: always}\n`);
    bench.program(`new Thing('a', {value: 1});`);
    await bench.up();
    const reads = () => bench.cloud.take().filter(call => call.startsWith('read')).length;
    reads();
    await bench.up();
    expect(reads()).toBe(1);
    await run('preview');
    expect(reads()).toBe(1);
    await bench.up(0, '--refresh=false');
    expect(reads()).toBe(0);
    await run('destroy --yes --skip-preview');
    expect(reads()).toBe(1);
  });

  test.each(OPERATIONS)(
    'F-19 %s refuses what only the Pulumi CLI has, state and configuration can be edited',
    async line => {
      bench.program('');
      project(
        `${NODE}packages: {aws: aws@7}\nplugins: {analyzers: [{name: cis, path: x}]}\nrequiredPulumiVersion: ">=4.0.0"\n`,
      );
      const {code, err} = await run(line);
      expect(code).toBe(1);
      for (const key of ['packages.aws', 'plugins.analyzers', 'requiredPulumiVersion'])
        expect(err).toMatch(new RegExp(`Pulumi\\.yaml: ${key}: .*Pulumi CLI`));
      for (const other of ['stack ls', 'stack export', 'config set a b', 'config get a'])
        expect((await run(other)).code, other).toBe(0);
    },
  );

  test('F-19 requirePulumiVersion of a program is compared, too', async () => {
    bench.program(`module.exports = pulumi.runtime.requirePulumiVersion('>=3.100.0').then(() => ({}));`);
    await bench.up();
    bench.program(`module.exports = pulumi.runtime.requirePulumiVersion('>=4.0.0').then(() => ({}));`);
    expect((await bench.up(1)).all).toMatch(/requirePulumiVersion: >=4\.0\.0: the embedded engine follows v3\./);
  });

  test('F-19 backend as a text does not put the state somewhere else', async () => {
    project(`${NODE}backend: file:///nowhere\n`);
    expect(await run('stack init other')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/Pulumi\.yaml: backend: expected a map, found/),
    });
  });
});

describe('runtime.options of nodejs', () => {
  test('F-19 nodeargs are words as in a shell, tsconfig reaches the program', async () => {
    bench.write('cfg.json', '{}');
    bench.write('named by us.js', 'globalThis.preloaded = true;');
    bench.program(`pulumi.log.info([globalThis.preloaded, process.env.PULUMI_NODEJS_TSCONFIG_PATH].join());`);
    const nodeargs = JSON.stringify(`--require "./named by us.js"`);
    project(`runtime: {name: nodejs, options: {typescript: false, nodeargs: ${nodeargs}, tsconfig: cfg.json}}\n`);
    expect((await bench.up()).all).toContain('true,cfg.json');
  });

  test.each([
    ['typescript: "no"', /options\.typescript: expected true or false, found "no"/],
    ['packagemanager: cargo', /options\.packagemanager: expected auto, npm, yarn, pnpm or bun, found "cargo"/],
    ['virtualenv: venv', /options\.virtualenv: there is no such key: expected typescript/],
    ['typecript: false', /options\.typecript: there is no such key: did you mean "typescript"/],
    [`nodeargs: "it's"`, /options\.nodeargs: unclosed quote/],
  ])('F-19 %s is refused', async (option, refusal) => {
    bench.program('');
    project(`runtime: {name: nodejs, options: {${option}}}\n`);
    expect(await run('preview')).toMatchObject({code: 1, err: expect.stringMatching(refusal)});
  });

  test('F-19 packagemanager and production concern what palisade does not do', async () => {
    bench.program('');
    project('runtime: {name: nodejs, options: {typescript: false, packagemanager: pnpm, production: true}}\n');
    await bench.up();
  });
});

const VENV = fileURLToPath(new URL('../../build/sdk/venv', import.meta.url));
const present = existsSync(VENV);
if (!present) process.stderr.write('skipped: options of Python programs (no build/sdk/venv; run make sdk)\n');

describe('runtime.options of python', () => {
  const python = (options: string) =>
    bench.write('Pulumi.yaml', `name: proj\nruntime: {name: python, options: {${options}}}\n`);

  test.each([
    [
      'toolchain: poetry',
      /options\.toolchain: poetry: .*set toolchain: pip and virtualenv to the output of `poetry env info/,
    ],
    ['toolchain: conda', /options\.toolchain: expected pip, uv or poetry, found "conda"/],
    ['toolchain: uv', /options\.toolchain: \S+\/prog\/\.venv\/bin\/python does not exist; create it with uv sync/],
    ['typechecker: pylint', /options\.typechecker: expected mypy or pyright, found "pylint"/],
    ['virtualenv: 5', /options\.virtualenv: expected a string, found 5/],
    ['typescript: true', /options\.typescript: there is no such key/],
  ])('F-19 %s is refused', async (options, refusal) => {
    bench.write('__main__.py', '');
    python(options);
    expect(await run('preview')).toMatchObject({code: 1, err: expect.stringMatching(refusal)});
  });

  test.runIf(present)('F-19 toolchain: uv runs the environment beside uv.lock, also from a folder below', async () => {
    mkdirSync(join(bench.folder, '.venv/bin'), {recursive: true});
    writeFileSync(join(bench.folder, '.venv/bin/python'), `#!/bin/sh\nUV=used exec ${VENV}/bin/python "$@"\n`, {
      mode: 0o755,
    });
    bench.write('uv.lock', '');
    mkdirSync(join(bench.folder, 'src'));
    bench.write('src/__main__.py', `import os, pulumi\npulumi.export("uv", os.environ.get("UV"))\n`);
    bench.write('Pulumi.yaml', 'name: proj\nmain: src\nruntime: {name: python, options: {toolchain: uv}}\n');
    await bench.up();
    expect((await run('stack output uv')).out).toBe('used\n');
  });

  // A type checker that finds what it is asked to find: the module that `python -m mypy` runs in the program's folder.
  const CHECKER = `import sys\nprint("checked", *sys.argv[1:])\nsys.exit("bad" in open("__main__.py").read())\n`;

  test.runIf(present).each(['mypy', 'pyright'])(
    'F-19 typechecker: %s judges the program before it runs',
    async name => {
      bench.write(`${name}.py`, CHECKER);
      bench.write('__main__.py', 'open("ran", "w")\n');
      python(`toolchain: pip, virtualenv: "${VENV}", typechecker: ${name}`);
      expect((await bench.up()).all).toMatch(name === 'mypy' ? /checked --exclude \S+venv \S+prog/ : /checked \S+prog/);
      expect(existsSync(join(bench.folder, 'ran'))).toBe(true);
      bench.write('__main__.py', 'open("bad", "w")\n');
      const ran = await run('preview');
      expect(ran).toMatchObject({code: 1});
      expect(ran.all).toContain(`${name} found faults in the program`);
      expect(existsSync(join(bench.folder, 'bad'))).toBe(false);
    },
  );

  test.runIf(present)('F-19 a type checker that is not installed is an error', async () => {
    bench.write('__main__.py', 'open("ran", "w")\n');
    python(`virtualenv: "${VENV}", typechecker: mypy`);
    expect((await bench.up(1)).all).toMatch(/runtime\.options\.typechecker: mypy is not installed for \S+python/);
    expect(existsSync(join(bench.folder, 'ran'))).toBe(false);
  });
});

describe('the environment', () => {
  test('F-19 PULUMI_SKIP_CONFIRMATIONS answers for the user, as --yes does; --yes=false goes before it', async () => {
    bench.program(`new Thing('a', {value: 1});`);
    bench.env['PULUMI_SKIP_CONFIRMATIONS'] = 'true';
    expect((await run('up')).code).toBe(0);
    expect((await run('up --yes=false')).code).toBe(2);
    bench.env['PULUMI_SKIP_CONFIRMATIONS'] = 'no';
    expect((await run('destroy')).code).toBe(2);
  });

  test('F-19 PULUMI_PARALLEL is the default of --parallel', async () => {
    bench.program("for (const name of ['a', 'b', 'c']) new Thing(name, {fail: 'create'});");
    bench.env['PULUMI_PARALLEL'] = '1';
    const creating = (await bench.up(1)).out.match(/Thing . creating$/gm);
    expect(creating).toHaveLength(1); // nothing else begins after the first failure
    bench.env['PULUMI_PARALLEL'] = 'many';
    const refused = await run('up --yes');
    expect(refused).toMatchObject({
      code: 2,
      err: expect.stringContaining('--parallel (or PULUMI_PARALLEL) many: must be'),
    });
    expect((await run('preview --parallel 2')).code).toBe(0);
  });
});
