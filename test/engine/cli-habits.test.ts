// SPDX-License-Identifier: Apache-2.0
// What scripts and fingers that know the Pulumi CLI rely on: names, flags, exit codes, the form of what is printed.
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {bench} from './support/bench-for-each.ts';

const run = (line: string) => bench.run(...line.split(' '));

describe('exit codes', () => {
  test.each([
    'stack --stack none',
    'stack select none',
    'stack rm none --yes',
    'stack rename new --stack none',
    'config --stack none',
    'preview --stack none',
    'cancel none',
  ])('%s: 1, there is no such stack', async line => {
    expect(await run(line)).toMatchObject({code: 1, err: expect.stringContaining("no stack named 'none' found")});
  });

  test('1 for changes that are ruled out, 2 when nobody can be asked, 1 when the selected stack is gone', async () => {
    bench.program('');
    expect((await run('preview --expect-no-changes')).code).toBe(1);
    expect((await run('up --yes --expect-no-changes')).code).toBe(1); // after it was done
    await bench.up(0, '--expect-no-changes');
    for (const verb of ['up', 'refresh', 'destroy'])
      expect(await run(verb)).toMatchObject({code: 2, err: expect.stringContaining('--yes or --skip-preview')});
    await run('stack rm --yes --force --stack dev');
    expect((await run('stack')).code).toBe(1);
  });

  test.each(['up', 'refresh', 'destroy'])('%s keeps no --config when nobody can be asked', async verb => {
    bench.program('');
    expect((await run(`${verb} --config a=b`)).code).toBe(2);
    expect((await run('config --json')).out).toBe('{}\n');
    expect((await run(`${verb} --config a=b --yes`)).code).toBe(0);
    expect((await run('config get a')).out).toBe('b\n');
  });

  test.each(['stack init a', 'stack select dev', 'stack rm dev --yes', 'cancel dev'])(
    '%s --stack other: 2, only one of them may name the stack',
    async line => {
      expect(await run(`${line} --stack other`)).toMatchObject({code: 2, err: expect.stringContaining('not both')});
      expect(existsSync(join(bench.folder, 'Pulumi.a.yaml'))).toBe(false);
    },
  );
});

describe('stack', () => {
  test('new, list, remove, and --all with the own stacks by their short names', async () => {
    expect((await run('stack new two --secrets-provider passphrase')).code).toBe(0);
    expect((await run('stack new three --secrets-provider awskms')).code).toBe(2);
    expect((await run('stack select dev')).code).toBe(0);
    expect(JSON.parse((await run('stack list --all --json')).out)).toMatchObject([
      {name: 'dev', current: true},
      {name: 'two', current: false},
    ]);
    expect((await run('stack remove two -y')).code).toBe(0);
  });

  test('rm takes a configuration file that cannot be read with it', async () => {
    writeFileSync(join(bench.folder, 'Pulumi.dev.yaml'), 'config: [');
    expect((await run('stack rm --yes')).code).toBe(0);
    expect(existsSync(join(bench.folder, 'Pulumi.dev.yaml'))).toBe(false);
  });

  test('outputs: one line each, --shell for a shell; stack shows them, and URNs and ids when asked', async () => {
    bench.program(
      `new Thing('a', {value: 1}); exports.list = [1, "it's"]; exports.word = 'x/y'; exports.hid = pulumi.secret('s');`,
    );
    await bench.up();
    expect((await run('stack output list')).out).toBe('[1,"it\'s"]\n');
    expect((await run('stack output --shell')).out).toBe(`hid='[secret]'\nlist='[1,"it'\\''s"]'\nword=x/y\n`);
    expect((await run('stack output word --shell')).out).toBe('word=x/y\n');
    expect((await run('stack output --shell --json')).code).toBe(2);
    const {out} = await run('stack --show-urns --show-ids --show-secrets');
    expect(out).toContain('        URN: urn:pulumi:dev::proj::fake:index:Thing::a\n        ID: id-1\n');
    expect(out).toContain('Current stack outputs (3):\n    OUTPUT  VALUE\n    hid     s\n');
  });

  test('history: newest first, in pages; secrets hidden unless asked for', async () => {
    bench.program('');
    expect((await run('stack history')).out).toBe('Stack has never been updated\n');
    await run('config set --secret key hush');
    await bench.up(0, '--message', 'first');
    await run('destroy --yes --skip-preview');
    const [newest, first] = JSON.parse((await run('stack history --json')).out);
    expect(newest).toMatchObject({kind: 'destroy', result: 'succeeded', resourceChanges: {delete: 1}});
    expect(first).toMatchObject({version: 0, kind: 'update', message: 'first', config: {'proj:key': {secret: true}}});
    expect(JSON.parse((await run('stack history --json --page 2 --page-size 1 --show-secrets')).out)).toEqual([
      {...first, config: {'proj:key': {value: 'hush', secret: true}}},
    ]);
    const {out} = await run('stack history --page 2 --page-size 1');
    expect(out).toMatch(/^Version: 0\nUpdateKind: update\nStatus: succeeded\nMessage: first\n\+1-0~0 0 Updated /);
    expect((await run('stack history --page 9')).out).toBe("No stack updates found on page '9'\n");
    expect((await run('stack history --page-size 0')).code).toBe(2);
  });
});

test('config set-all and remove-all: several values, none of them when one is wrong', async () => {
  expect((await run('config set-all --plaintext a=1 --secret b=hush --path --plaintext c.d=true')).code).toBe(0);
  expect((await run('config get b')).out).toBe('hush\n');
  expect(JSON.parse((await run('config --json')).out)).toEqual({
    'proj:a': {value: '1', secret: false},
    'proj:b': {secret: true},
    'proj:c': {value: '{"d":true}', objectValue: {d: true}, secret: false},
  });
  expect(await run('config set-all --plaintext e=1 --secret f')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--secret f: must be KEY=VALUE'),
  });
  expect((await run('config set-all')).code).toBe(2);
  expect((await run('config rm-all a b none')).code).toBe(0);
  expect((await run('config remove-all --path c.d')).code).toBe(0);
  expect((await run('config remove-all')).code).toBe(2);
  expect(JSON.parse((await run('config --json')).out)).toEqual({
    'proj:c': {value: '{}', objectValue: {}, secret: false},
  });
});

describe('operations', () => {
  const declare = (value: number): void =>
    bench.program(`new Thing('a', {value: ${value}}); new Thing('b', {value: ${value}});`);

  test('--target-replace replaces that resource and touches nothing else', async () => {
    declare(1);
    await bench.up();
    declare(2);
    bench.cloud.take();
    await bench.up(0, '--target-replace', 'urn:pulumi:dev::proj::fake:index:Thing::b', '--suppress-progress');
    expect(bench.resource('a')).toMatchObject({id: 'id-1', inputs: {value: 1}});
    expect(bench.resource('b')).toMatchObject({id: 'id-3', inputs: {value: 2}});
  });

  test('--config with --config-path; a declared type is insisted on unless --skip-config-validation', async () => {
    const project = 'name: proj\nruntime: {name: nodejs, options: {typescript: false}}\nmain: index.js\n';
    bench.write('Pulumi.yaml', `${project}config: {size: {type: integer}}\n`);
    bench.program(`exports.deep = cfg.requireObject('deep');`);
    const refused = await bench.up(1, '--config', 'size=big');
    expect(refused.err).toContain('configuration proj:size must be of type integer');
    await bench.up(0, '--skip-config-validation', '--config-path', '-c', 'deep.n[0]=5');
    expect((await run('stack output deep')).out).toBe('{"n":[5]}\n');
  });

  test('an error that the program logs is shown, and ends nothing; one that it exits with does', async () => {
    declare(1);
    await bench.up();
    bench.program(`pulumi.log.error('look here'); new Thing('c', {value: 1});`);
    expect((await run('preview')).code).toBe(0);
    expect((await bench.up()).err).toContain('error: look here');
    expect([bench.resource('a'), bench.resource('c')]).toMatchObject([undefined, {id: 'id-3'}]);
    bench.program(`pulumi.log.error('and here'); process.exit(3);`);
    expect((await bench.up(1)).err).toContain('the program exited with code 3');
    bench.program(`throw new Error('boom');`);
    const thrown = await bench.up(1);
    expect(thrown.err).toContain('boom');
    expect(thrown.err).not.toContain('exited with code');
    expect(bench.resource('c')).toMatchObject({id: 'id-3'});
  });

  test('destroy --remove removes the emptied stack, and keeps one that has resources left', async () => {
    declare(1);
    await bench.up();
    const target = 'urn:pulumi:dev::proj::fake:index:Thing::a';
    const some = await bench.run('destroy', '--yes', '--skip-preview', '--remove', '--target', target);
    expect(some).toMatchObject({code: 0, err: expect.stringContaining("'dev' was not removed")});
    const all = await run('down --yes --skip-preview --remove');
    expect(all).toMatchObject({code: 0, err: expect.stringContaining("Stack 'dev' has been removed!")});
    expect((await run('stack ls --json')).out).toBe('[]\n');
  });

  test.each(['', '--skip-preview --target urn:pulumi:dev::proj::fake:index:Thing::b'])(
    'up --json %s: a preview that fails is one document, with the errors',
    async flags => {
      bench.program(`new Thing('a', {bad: 'x'}); new Thing('b', {bad: 'x'});`);
      const ran = await run(`up --yes --json ${flags}`.trim());
      expect(ran.code).toBe(1);
      expect(JSON.parse(ran.out)).toMatchObject({
        steps: [{op: 'create', urn: expect.stringContaining('proj-dev')}],
        diagnostics: expect.arrayContaining([
          expect.objectContaining({severity: 'error', message: expect.stringContaining('this is refused')}),
        ]),
      });
      expect(bench.cloud.objects.size).toBe(0);
    },
  );

  test('a preview as JSON has no config when there is none', async () => {
    bench.program('');
    expect(JSON.parse((await run('preview --json')).out)).not.toHaveProperty('config');
    await run('config set a b');
    expect(JSON.parse((await run('preview --json')).out)).toHaveProperty('config', {'proj:a': 'b'});
  });
});

test('stack import tells what it replaces, and keeps the state before where no later write reaches it', async () => {
  bench.program("new Thing('a', {}); new Thing('b', {});");
  await bench.up();
  const before = bench.state().resources ?? [];
  const deployment = {manifest: {time: '2026-01-01T00:00:00Z', magic: '', version: ''}};
  bench.input = JSON.stringify({version: 3, deployment: {...deployment, resources: before.slice(0, -1)}});
  const {err} = await bench.run('stack', 'import');
  expect(err).toContain(`had ${before.length} resources and has ${before.length - 1} resources now`);
  const [, kept = 'no file is named'] = /The previous state is kept in (.*)/.exec(err) ?? [];
  await bench.run('stack', 'import');
  expect(JSON.parse(readFileSync(kept, 'utf8')).checkpoint.latest.resources).toEqual(before);
});
