// SPDX-License-Identifier: Apache-2.0
import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {commands} from '@palisade/cli';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {EngineBench} from './support/engine-bench.ts';

// Every step starts a program: on a busy machine that takes its time.
vi.setConfig({testTimeout: 240_000, hookTimeout: 60_000});

let bench: EngineBench;
beforeEach(() => {
  bench = new EngineBench();
});
afterEach(() => bench.remove());

describe('usage', () => {
  test.each(commands.filter(({group}) => group === 'stacks').map(command => [command.name, command] as const))(
    '%s --help shows flags, examples and exit codes',
    async (name, command) => {
      const ran = await bench.run(...name.split(' '), '--help');
      expect(ran.code).toBe(0);
      expect(ran.out).toContain(`palisade ${name}: ${command.summary}`);
      expect(ran.out).toContain('Exit codes: 0 done, 1 failed, 2 usage');
      for (const example of command.examples) expect(ran.out).toContain(example);
    },
  );

  test.each([
    [['up', '--yess'], /unknown flag "--yess": did you mean "--yes"\?/],
    [['up', '--parallel'], /--parallel needs a value/],
    [['up', '--yes=maybe'], /must be true or false/],
    [['up', 'surplus'], /unexpected word "surplus"/],
    [['stack', 'inti', 'dev'], /unknown command "stack inti": did you mean "stack init"\?/],
    [['stack', 'init'], /a stack name is required/],
    [['config', 'set'], /a key is required/],
    [['deploy'], /unknown command "deploy"/],
    [['up', '-Q'], /unknown flag "-Q"/],
    [['preview', '--yes'], /unknown flag "--yes"/],
    [['preview', '--skip-preview'], /unknown flag "--skip-preview"/],
    [['up', '--color', 'blue'], /--color blue: must be one of always, never, raw, auto/],
  ] as const)('%j: exit 2 and a hint', async (argv, message) => {
    const ran = await bench.run(...argv);
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(message);
    expect(ran.err).toMatch(/see palisade .*--help/);
    expect(ran.out).toBe('');
  });
});

describe('expected failures', () => {
  test('no Pulumi.yaml, no stack, unknown stack, a scheme that is not supported, a question that nobody can answer', async () => {
    expect((await bench.run('up', '--yes', '--cwd', bench.root)).err).toContain('no Pulumi.yaml project file found');
    expect((await bench.run('up', '--yes')).err).toContain('no stack selected');
    expect((await bench.run('up', '--yes', '--stack', 'nope')).err).toContain("no stack named 'nope' found");
    await bench.init();
    expect((await bench.run('up')).err).toContain('no terminal to ask for confirmation; give --yes or --skip-preview');
    bench.env = {...bench.env, PULUMI_BACKEND_URL: 's3://bucket'};
    const ran = await bench.run('up', '--yes');
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('"s3://" is not supported');
  });

  test('configuration that Pulumi.yaml declares and nobody set is asked for', async () => {
    bench.write(
      'Pulumi.yaml',
      'name: proj\nruntime: {name: nodejs, options: {typescript: false}}\nmain: index.js\nconfig: {size: {type: integer}}\n',
    );
    bench.program('');
    await bench.init();
    expect((await bench.up(1)).err).toContain('palisade config set proj:size VALUE');
    await bench.up(0, '--config', 'size=3');
    expect(readFileSync(join(bench.folder, 'Pulumi.dev.yaml'), 'utf8')).toContain('proj:size: "3"');
  });
});

describe('files that the command line names', () => {
  test.each(['up --yes', 'preview', 'stack ls', 'config', 'cancel dev'])(
    '%s --cwd: what is no folder is told as such',
    async line => {
      const told = async (cwd: string) => bench.run(...line.split(' '), '--cwd', cwd);
      expect(await told('/none/x')).toMatchObject({
        code: 1,
        out: '',
        err: 'palisade: --cwd /none/x: no such folder; check the path\n',
      });
      expect(await told('Pulumi.yaml')).toMatchObject({
        code: 1,
        out: '',
        err: 'palisade: --cwd Pulumi.yaml: is not a folder; give the folder of the program\n',
      });
    },
  );

  test.each([
    ['import', 'none.json', 'cannot be read: no such file; check the path'],
    ['import', 'Pulumi.yaml/x', 'cannot be read: no such file; check the path'],
    ['import', '.', 'cannot be read: is a folder; give a file'],
    ['export', '.', 'cannot be written: is a folder; give a file'],
    ['export', 'Pulumi.yaml/x', 'cannot be written: there is a file where its folder should be; check the path'],
    ['export', 'none/x.json', 'cannot be written: no such folder; create it first, or check the path'],
    ['export', '/proc/none/x', 'cannot be written: no such folder; create it first, or check the path'],
  ])('stack %s --file %s: exit 1 and why', async (verb, file, why) => {
    await bench.init();
    const ran = await bench.run('stack', verb, '--file', file);
    expect(ran).toMatchObject({code: 1, out: '', err: `palisade: --file ${file}: ${why}\n`});
    expect(existsSync(join(bench.folder, 'none'))).toBe(false);
  });

  test('--file - is standard output of export and standard input of import', async () => {
    bench.program("exports.word = 'hello';");
    await bench.init();
    await bench.up();
    const {out} = await bench.run('stack', 'export', '--file', '-');
    expect(out).toBe((await bench.run('stack', 'export')).out);
    expect(existsSync(join(bench.folder, '-'))).toBe(false);
    bench.input = out.replace('hello', 'goodbye');
    expect((await bench.run('stack', 'import', '--file', '-')).code).toBe(0);
    expect((await bench.run('stack', 'output', 'word')).out).toBe('goodbye\n');
  });

  test('--config-file must be there, but config set makes it', async () => {
    bench.program('');
    await bench.init();
    const named = ['--config-file', 'other.yaml'];
    for (const command of ['up --yes', 'preview', 'refresh --yes', 'destroy --yes', 'config', 'config get a'])
      expect(await bench.run(...command.split(' '), ...named)).toMatchObject({
        code: 1,
        err: 'palisade: --config-file other.yaml: cannot be read: no such file; check the path\n',
      });
    expect((await bench.run('config', 'set', 'a', 'b', ...named)).code).toBe(0);
    expect((await bench.run('config', 'get', 'a', ...named)).out).toBe('b\n');
  });

  test('a configuration file and a state folder where none can be made are refused', async () => {
    await bench.init();
    expect((await bench.run('config', 'set', 'a', 'b', '--config-file', '/proc/none/x.yaml')).err).toBe(
      'palisade: /proc/none/x.yaml: cannot be written: no folder can be made in /proc\n',
    );
    for (const [url, why] of [
      ['file:///proc', 'no folder can be made in /proc'],
      [`file://${join(bench.folder, 'Pulumi.yaml')}`, 'there is a file where a folder is needed'],
    ] as const) {
      bench.env = {...bench.env, PULUMI_BACKEND_URL: url};
      expect(await bench.run('stack', 'init', 'z')).toMatchObject({
        code: 1,
        err: `palisade: ${url}: ${why}; choose a folder that this user may write\n`,
      });
    }
  });

  test.each(['stack ls', 'stack init z', 'up --yes'])(
    '%s: a state folder that is not there is no empty one',
    async words => {
      const folder = join(bench.folder, 'typo');
      bench.env = {...bench.env, PULUMI_BACKEND_URL: `file://${folder}`};
      expect(await bench.run(...words.split(' '))).toMatchObject({
        code: 1,
        err: expect.stringContaining(
          `palisade: file://${folder}: there is no folder ${folder}; create it, or correct the address (PULUMI_BACKEND_URL`,
        ),
      });
      expect(existsSync(folder)).toBe(false);
    },
  );
});

describe('stacks', () => {
  test('init, ls, select, output, rename, rm', async () => {
    bench.program("exports.word = 'hello'; exports.deep = {n: [1]};");
    await bench.init();
    expect((await bench.run('stack', 'init', 'dev')).err).toContain("stack 'dev' already exists");
    expect((await bench.run('stack', 'init', 'prod', '--no-select')).code).toBe(0);
    expect(JSON.parse((await bench.run('stack', 'ls', '--json')).out)).toMatchObject([
      {name: 'dev', current: true},
      {name: 'prod', current: false},
    ]);
    await bench.up();
    expect((await bench.run('stack', 'output', 'word')).out).toBe('hello\n');
    expect((await bench.run('stack', 'output', 'deep')).out).toBe('{"n":[1]}\n');
    expect((await bench.run('stack', 'output', 'none')).err).toContain("does not have output property 'none'");
    expect((await bench.run('stack', 'select', 'none')).err).toMatch(
      /no stack named 'none' found; .*stack ls.*--create/,
    );
    expect((await bench.run('stack', 'select', 'prod')).code).toBe(0);
    expect((await bench.run('stack', '--show-name')).out).toBe('prod\n');
    expect((await bench.run('stack', 'rename', 'live')).code).toBe(0);
    expect((await bench.run('stack', 'rm', 'live')).err).toContain('cannot ask for confirmation; give --yes');
    expect((await bench.run('stack', 'rm', 'live', '--yes')).code).toBe(0);
    await bench.run('stack', 'select', 'dev');
    expect((await bench.run('stack', 'rename', 'later')).code).toBe(0);
    await bench.up(0, '--expect-no-changes');
    expect((await bench.run('stack', 'rm', '--yes')).code).toBe(0);
    expect(existsSync(join(bench.folder, 'Pulumi.later.yaml'))).toBe(false);
  });

  test('a name that no stack has: the stacks there are, the near one, and how to create it where that makes sense', async () => {
    bench.program('');
    const told = async (line: string) => (await bench.run(...line.split(' '))).err;
    const missing = "palisade: no stack named 'nope' found; ";
    const none = `project proj has no stack in ${bench.env['PULUMI_BACKEND_URL']}`;
    expect(await told('stack rm nope --yes')).toBe(`${missing}${none}\n`);
    expect(await told('up --yes --stack nope')).toBe(`${missing}${none}; \`palisade stack init nope\` creates it\n`);
    await bench.init();
    await told('stack init none');
    const those = "did you mean 'none'?; there are: dev, none (`palisade stack ls`)";
    for (const line of ['stack rm nope --yes', 'cancel nope', 'destroy --yes --stack nope', 'config --stack nope'])
      expect(await told(line)).toBe(`${missing}${those}\n`);
    for (const line of ['preview --stack nope', 'config set a b --stack nope', 'stack import --stack nope'])
      expect(await told(line)).toBe(`${missing}${those}; \`palisade stack init nope\` creates it\n`);
    for (let i = 0; i < 9; i += 1) await told(`stack init many${i}`);
    expect(await told('stack rm far-away --yes')).toContain('many8, … (`palisade stack ls`)');
  });

  test('a stack with resources is not removed unless forced', async () => {
    bench.program("new Thing('a', {value: 1});");
    await bench.init();
    await bench.up();
    expect((await bench.run('stack', 'rm', '--yes')).err).toContain("'dev' still has resources");
    expect((await bench.run('stack', 'rm', '--yes', '--force')).code).toBe(0);
    expect(bench.cloud.objects.size).toBe(1);
  });

  test('export and import: to another stack of the same name, with its own salt, and never a foreign or broken one', async () => {
    bench.program("exports.s = pulumi.secret('hidden'); new Thing('a', {value: 1});");
    await bench.init();
    await bench.up();
    const file = join(bench.root, 'export.json');
    await bench.run('stack', 'export', '--file', file);
    await bench.run('stack', 'rm', '--yes', '--force');
    await bench.init();
    expect((await bench.run('stack', 'import', '--file', file)).code).toBe(0);
    expect((await bench.run('stack', 'output', 's', '--show-secrets')).out).toBe('hidden\n');
    await bench.up(0, '--expect-no-changes');
    const exported = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({...exported, version: 4}));
    expect((await bench.run('stack', 'import', '--file', file)).err).toContain('has version 4');
    exported.deployment.resources.reverse();
    writeFileSync(file, JSON.stringify(exported));
    expect((await bench.run('stack', 'import', '--file', file)).err).toMatch(/--force[\s\S]*comes after it/);
    await bench.run('stack', 'init', 'other');
    writeFileSync(
      file,
      JSON.stringify({
        ...exported,
        deployment: {...exported.deployment, resources: exported.deployment.resources.reverse()},
      }),
    );
    expect((await bench.run('stack', 'import', '--file', file)).err).toContain('is from a different stack');
  });

  test('history, checkpoint and backup are written after every operation', async () => {
    bench.program('');
    await bench.init();
    await bench.up(0, '--message', 'a note');
    const history = join(bench.root, 'state/.pulumi/history/proj/dev');
    const [checkpoint, record] = readdirSync(history).sort();
    expect(checkpoint).toMatch(/^dev-\d{19}\.checkpoint\.json$/);
    expect(JSON.parse(readFileSync(join(history, record ?? ''), 'utf8'))).toMatchObject({
      kind: 'update',
      message: 'a note',
      result: 'succeeded',
      resourceChanges: {create: 1},
    });
    expect(readdirSync(join(bench.root, 'state/.pulumi/backups/proj/dev'))[0]).toMatch(/^dev\.\d{19}\.json$/);
    expect(readFileSync(join(bench.root, 'state/.pulumi/meta.yaml'), 'utf8')).toBe('version: 1\n');
  });
});

describe('targets and stack references', () => {
  test('--target touches nothing else; a new dependency that is left out is an error', async () => {
    bench.program(`
      const a = new Thing('a', {value: cfg.get('v') ?? 1}); new Thing('b', {value: cfg.get('v') ?? 1});
      if (cfg.get('more')) { const c = new Thing('c', {value: 1}); new Thing('d', {value: c.computed}); }
    `);
    await bench.init();
    await bench.up();
    await bench.run('config', 'set', 'v', '2');
    bench.cloud.take();
    await bench.up(0, '--target', '**::a');
    expect(bench.cloud.take()).toEqual(['check a', 'diff a', 'update a']);
    await bench.run('config', 'set', 'more', '1');
    const ran = await bench.up(1, '--target', '**::d');
    expect(ran.err).toContain('was not specified in --target list');
    await bench.up(0, '--target', '**::a', '--replace', '**::a');
    expect(bench.cloud.take()).toContain('create a');
    expect((await bench.run('destroy', '--yes', '--skip-preview', '--target', '**::a')).code).toBe(0);
    expect(bench.resource('a')).toBeUndefined();
    expect(bench.resource('b')).toBeDefined();
  });

  test('every resource of the program that --target leaves alone counts as unchanged: the stack, old ones and new ones', async () => {
    bench.program("new Thing('a', {value: cfg.get('v') ?? 1}); new Thing('b', {value: 1});");
    await bench.init();
    await bench.up();
    await bench.run('config', 'set', 'v', '2');
    bench.program("for (const name of ['a', 'b', 'c']) new Thing(name, {value: cfg.get('v')});");
    const preview = await bench.run('preview', '--json', '--target', '**::a');
    expect(JSON.parse(preview.out).changeSummary).toEqual({same: 3, update: 1});
    expect((await bench.up(0, '--target', '**::a')).out).toContain('~ 1 updated\n    3 unchanged\n');
    expect(bench.resource('c')).toBeUndefined();
    expect((await bench.up(0, '--target', '**::b', '--target', '**::c')).out).toContain('2 changes. 2 unchanged\n');
  });

  test('a URN that is not in the stack is refused before anything is done, and the near one is named', async () => {
    bench.program("new Thing('a', {value: 1}); new Thing('b', {value: 1});");
    await bench.init();
    await bench.up();
    bench.program("new Thing('a', {value: 2});");
    bench.cloud.take();
    const urn = 'urn:pulumi:dev::proj::fake:index:Thing::a';
    for (const [words, why] of [
      [
        'up --yes --skip-preview --target urn:nope',
        /--target: 'urn:nope' could not be found .*: `palisade stack export`/,
      ],
      ['preview --target urn:nope', /--target: 'urn:nope' could not be found/],
      ['refresh --yes --skip-preview --target urn:nope', /--target: 'urn:nope' could not be found/],
      ['destroy --yes --skip-preview --target urn:nope', /--target: 'urn:nope' could not be found/],
      [`destroy --yes --target ${urn}a`, new RegExp(`'${urn}a' could not be found .*: did you mean '${urn}'`)],
      ['up --yes --target a', new RegExp(`--target: 'a' could not be found .*: did you mean '${urn}'`)],
      [`up --yes --replace ${urn}a`, new RegExp(`--replace: '${urn}a' could not be found .*: did you mean '${urn}'`)],
      [
        'refresh --yes --target **::nope',
        /--target: no resource of the stack matches '\*\*::nope': `palisade stack export`/,
      ],
      ['refresh --yes --target *::a', /--target: no resource of the stack matches '\*::a': did you mean '\*\*::a'\?/],
    ] as const) {
      const ran = await bench.run(...words.split(' '));
      expect(ran).toMatchObject({code: 1, out: ''});
      expect(ran.err).toMatch(why);
    }
    expect(bench.cloud.take()).toEqual([]);
  });

  test('a pattern of up may match what the program declares first; one that matches nothing is refused before anything is done', async () => {
    bench.program("new Thing('a', {value: 1});");
    await bench.init();
    for (const line of ['up --yes --replace **::b', 'up --yes --skip-preview --target-replace **::b']) {
      const refused = await bench.run(...line.split(' '));
      expect(refused.code).toBe(1);
      expect(refused.err).toContain("--replace: no resource of the stack matches '**::b'");
      expect(bench.cloud.objects.size).toBe(0);
    }
    const fresh = await bench.run('up', '--yes', '--replace', '**::a');
    expect(fresh.code, fresh.all).toBe(0);
    expect(bench.resource('a')).toMatchObject({id: 'id-1'});
    bench.program("new Thing('a', {value: 1}); new Thing('b', {value: 1});");
    expect((await bench.up(0, '--replace', '**::b')).out).toContain('+ 1 created');
    expect(bench.resource('a')).toMatchObject({id: 'id-1'});
  });

  test('destroy with a pattern can be repeated: what matches nothing any more is a note', async () => {
    bench.program("new Thing('a', {value: 1}); new Thing('b', {value: 1});");
    await bench.init();
    await bench.up();
    const destroy = async (target: string) => bench.run('destroy', '--yes', '--target', target);
    expect(await destroy('**::a')).toMatchObject({code: 0, err: expect.not.stringContaining('note:')});
    expect(bench.resource('a')).toBeUndefined();
    expect(await destroy('**::a')).toMatchObject({
      code: 0,
      err: expect.stringContaining("note: --target: no resource of the stack matches '**::a'\n"),
    });
    expect(await destroy('*::b')).toMatchObject({
      code: 0,
      err: expect.stringContaining("note: --target: no resource of the stack matches '*::b': did you mean '**::b'?\n"),
    });
    expect((await destroy('urn:pulumi:dev::proj::fake:index:Thing::a')).code).toBe(1);
    expect(bench.resource('b')).toBeDefined();
  });

  test('a target of up may be new or gone from the program; one that is neither is refused before anything is done', async () => {
    bench.program("new Thing('old', {value: 1});");
    await bench.init();
    await bench.up();
    bench.cloud.take();
    bench.program("new Thing('new', {value: 1});");
    const urn = (name: string): string => `urn:pulumi:dev::proj::fake:index:Thing::${name}`;
    const targets = ['--target', urn('new'), '--target', urn('old')];
    const refused = await bench.up(1, ...targets, '--target', urn('newer'), '--target', '**::none');
    expect(refused.err).toContain(`'${urn('newer')}' could not be found in the stack: did you mean '${urn('new')}'?`);
    expect(refused.err).toContain("no resource of the stack matches '**::none'");
    expect(refused.out).toBe('');
    expect(bench.cloud.take()).toEqual(['check new']);
    await bench.up(0, ...targets);
    expect(bench.resource('new')).toBeDefined();
    expect(bench.resource('old')).toBeUndefined();
  });

  test('what stays because it is not targeted keeps what it needs, in front of it', async () => {
    bench.program(`
      const a = new Thing('a', {value: 1}); const b = new Thing('b', {value: a.computed});
      new Thing('c', {value: b.computed}); new Thing('z', {value: 1});
    `);
    await bench.init();
    await bench.up();
    bench.program("new Thing('b', {value: 1}); new Thing('z', {value: 2});");
    bench.cloud.take();
    const names = () => bench.state().resources?.map(({urn}) => String(urn).split('::').at(-1));
    const order = ['proj-dev', 'default', 'a', 'b', 'z', 'c'];
    await bench.up(0, '--target', '**::z');
    expect(names()?.toSorted()).toEqual(order.toSorted());
    expect(names()?.indexOf('a')).toBeLessThan(names()?.indexOf('b') ?? -1);
    const refused = await bench.up(1, '--target', '**::a');
    expect(refused.err).toContain('c depends on a resource in --target and would be deleted');
    bench.cloud.take();
    expect(
      JSON.parse((await bench.run('preview', '--json', '--target', '**::a', '--target-dependents')).out),
    ).toMatchObject({changeSummary: {same: 4, delete: 1}});
    await bench.up(0, '--target', '**::a', '--target-dependents');
    expect(bench.cloud.take()).toEqual(['delete c']);
    expect(names()?.indexOf('a')).toBeLessThan(names()?.indexOf('b') ?? -1);
  });

  test('a target that depends on a new resource which is none: a preview names every one and goes on', async () => {
    bench.program(
      "const n = new Thing('n', {value: 1}); for (const m of ['m1', 'm2']) new Thing(m, {value: n.computed});",
    );
    await bench.init();
    const ran = await bench.run('preview', '--target', '**::m1', '--target', '**::m2');
    expect(ran.code).toBe(1);
    expect(ran.err.match(/which was not specified in --target list/g)).toHaveLength(2);
    expect((await bench.up(1, '--exclude', '**::n')).err).toContain('which was excluded by --exclude');
    expect(bench.cloud.objects.size).toBe(0);
  });

  test('--exclude leaves a resource alone in up, with --exclude-dependents also what needs it', async () => {
    bench.program(`
      const v = cfg.get('v') ?? 1; const a = new Thing('a', {value: v}); const b = new Thing('b', {value: a.computed, w: v});
      const g = new Group('g'); new Thing('child', {value: v}, {parent: g}); new Thing('x', {value: v});
      if (cfg.get('more')) new Thing('n', {value: 1});
    `);
    await bench.init();
    await bench.up();
    await bench.run('config', 'set', 'v', '2');
    const updated = async (...flags: string[]) => {
      bench.cloud.take();
      await bench.up(0, ...flags);
      return bench.cloud
        .take()
        .filter(call => /^(update|create|delete)/.test(call))
        .sort();
    };
    expect(await updated('--exclude', 'urn:pulumi:dev::proj::fake:index:Thing::a', '--exclude-dependents')).toEqual([
      'update child',
      'update x',
    ]);
    expect(await updated('-x', '**::a')).toEqual(['update b']);
    await bench.run('config', 'set', 'v', '3');
    expect(await updated('--exclude', '**::g', '--exclude-dependents')).toEqual(['update a', 'update b', 'update x']);
    expect(await updated('--exclude', '**::g')).toEqual(['update child']);
    await bench.run('config', 'set', 'more', '1');
    expect(await updated('--exclude', '**::n')).toEqual([]);
    const nothing = await bench.up(0, '--exclude', '**::n', '--exclude', '**::nope');
    expect(nothing.err).toContain("note: --exclude: no resource of the stack matches '**::nope'");
    expect(nothing.err).not.toContain("'**::n'");
    bench.program("new Thing('x', {value: cfg.get('v')});");
    expect(await updated('--exclude', '**::b', '--exclude-dependents')).toEqual([]);
    expect(await updated('--exclude', '**::b')).toEqual(['delete child']); // b needs a
    expect(await updated()).toEqual(['delete a', 'delete b']);
  });

  test.each(['--exclude **::b', '--target **::a'])(
    'what %s leaves alone is not deleted before a replacement',
    async flags => {
      bench.program(`
      const a = new Thing('a', {key: cfg.get('key') ?? 'k1', early: true}); new Thing('b', {key: a.computed});
    `);
      await bench.init();
      await bench.up();
      await bench.run('config', 'set', 'key', 'k2');
      bench.cloud.take();
      const refused = await bench.up(1, ...flags.split(' '));
      expect(refused.err).toMatch(/Cannot replace '.*::a' as that deletes '.*::b' which was (not specified|excluded)/);
      expect(bench.cloud.take().filter(call => /^(create|delete)/.test(call))).toEqual([]);
      expect(bench.resource('b')).not.toHaveProperty('pendingReplacement');
      expect((await bench.run('preview', ...flags.split(' '))).code).toBe(1);
      await bench.up(0, '--target', '**::a', '--target-dependents');
      expect(bench.cloud.objects.size).toBe(2);
    },
  );

  test('a replaced provider stands before what is left alone with it', async () => {
    bench.program("const p = new Fake('p', {}); new Thing('u', {value: 1}, {provider: p});");
    await bench.init();
    await bench.up();
    await bench.up(0, '--exclude', '**::u', '--replace', 'urn:pulumi:dev::proj::pulumi:providers:fake::p');
    const states = bench.state().resources ?? [];
    const user = states.findIndex(({urn}) => String(urn).endsWith('::u'));
    const provider = states.findIndex(({urn, id}) => `${urn}::${id}` === states[user]?.['provider']);
    expect(states[provider]).toMatchObject({delete: true});
    expect(provider).toBeLessThan(user);
    await bench.up();
    const {urn, id} = bench.resource('p') ?? {};
    expect(bench.state().resources?.map(state => state['id'])).not.toContain(states[provider]?.['id']);
    expect(bench.resource('u')).toMatchObject({provider: `${urn}::${id}`});
  });

  test('--exclude and --target-dependents of refresh and destroy', async () => {
    bench.program(`
      const a = new Thing('a', {value: 1}); const b = new Thing('b', {value: a.computed});
      new Thing('c', {value: b.computed}); new Thing('x', {value: 1});
    `);
    await bench.init();
    await bench.up();
    const calls = async (words: string) => {
      bench.cloud.take();
      const ran = await bench.run(...words.split(' '), '--yes', '--skip-preview');
      expect(ran.code, ran.all).toBe(0);
      return bench.cloud
        .take()
        .filter(call => !call.startsWith('diff'))
        .sort();
    };
    expect(await calls('refresh --target **::a')).toEqual(['read a']);
    expect(await calls('refresh --target **::b --target-dependents')).toEqual(['read b', 'read c']);
    expect(await calls('refresh --exclude **::b')).toEqual(['read a', 'read c', 'read x']);
    expect(await calls('refresh --exclude **::b --exclude-dependents')).toEqual(['read a', 'read x']);
    const preview = await bench.run('destroy', '--preview-only', '--json', '--exclude', '**::b');
    expect(
      JSON.parse(preview.out)
        .steps.map(({op}: {op: string}) => op)
        .sort(),
    ).toEqual(['delete', 'delete', 'same']);
    expect(await calls('destroy --exclude **::b')).toEqual(['delete c', 'delete x']);
    expect(bench.state().resources?.length).toBe(4);
    expect((await bench.run('destroy', '--exclude-dependents')).code).toBe(2);
    const both = await bench.run('up', '--target', '**::a', '--exclude', '**::b', '--yes');
    expect(both).toMatchObject({code: 2, err: expect.stringContaining('--target and --exclude exclude each other')});
    for (const command of ['refresh', 'destroy']) {
      const unknown = await bench.run(command, '--yes', '--exclude', 'urn:pulumi:dev::proj::fake:index:Thing::bb');
      expect(unknown.code).toBe(1);
      expect(unknown.err).toMatch(/--exclude: '.*::bb' could not be found in the stack: did you mean '.*::b'\?/);
    }
  });

  test('StackReference reads the outputs of another stack, secrets stay secret', async () => {
    bench.program("exports.word = 'hello'; exports.hush = pulumi.secret('hidden');");
    await bench.init();
    await bench.up();
    await bench.run('stack', 'init', 'reader');
    bench.program(`
      const other = new pulumi.StackReference('organization/proj/dev');
      exports.seen = other.getOutput('word'); exports.hushed = other.getOutput('hush');
    `);
    const ran = await bench.up();
    expect(ran.out).toContain('"hello"');
    expect(ran.out).toMatch(/hushed\s*: \[secret\]/);
    await bench.up(0, '--expect-no-changes');
    bench.program("new pulumi.StackReference('organization/proj/none');");
    expect((await bench.up(1)).err).toContain('unknown stack "organization/proj/none"');
  });
});
