// SPDX-License-Identifier: Apache-2.0
// What stands in the stored state after each edit is what the Pulumi CLI 3.260 leaves of the same one.
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, expect, test} from 'vitest';
import {bench} from './support/bench-for-each.ts';

const urn = (name: string, type = 'fake:index:Thing') => `urn:pulumi:dev::proj::${type}::${name}`;
const [A, B, C] = [urn('a'), urn('b'), urn('c')];
const EAST = urn('east', 'pulumi:providers:fake');

beforeEach(async () => {
  bench.program(`
    const east = new Fake('east', {});
    const a = new Thing('a', {value: 1}, {protect: true});
    const b = new Thing('b', {value: a.computed, key: pulumi.secret('hush')}, {provider: east});
    new Thing('c', {value: 3}, {deletedWith: b});
  `);
  await bench.up();
  bench.cloud.take();
});

const names = () => (bench.state().resources ?? []).map(resource => String(resource['urn']).split('::').at(-1));
const state = (...words: readonly string[]) => bench.run('state', ...words);

test('delete takes resources out of the state and leaves the objects', async () => {
  expect(await state('delete', C)).toMatchObject({code: 0, err: '1 resource deleted from the state\n'});
  expect(names()).toEqual(['proj-dev', 'east', 'default', 'a', 'b']);
  expect(bench.cloud.objects.size).toBe(3);
  expect(bench.cloud.take()).toEqual([]);
  await bench.up(); // makes it anew
  expect(bench.cloud.objects.size).toBe(4);
});

test('delete refuses what others depend on, what is protected and what is not there, and changes nothing then', async () => {
  const before = bench.state();
  const refused = async (words: readonly string[], message: string, code = 1) =>
    expect(await state('delete', ...words)).toMatchObject({code, err: expect.stringContaining(message), out: ''});
  await refused([B], `${B} cannot be deleted safely, as these resources depend on it:\npalisade:   c (${C})`);
  await refused([A], `${A} is protected; use --force`);
  await refused([C, urn('d')], `no resource '${urn('d')}' in the state of the stack; did you mean '${A}'?`);
  await refused(['--all'], `${A} is protected`);
  await refused(['nonsense'], "'nonsense' is not a URN", 2);
  await refused([], 'a URN is required', 2);
  await refused(['--all', A], 'give either URNs or --all', 2);
  expect(bench.state()).toEqual(before);
});

test('delete takes dependents along, protected resources with --force, and all of them with --all', async () => {
  const err = `warning: deleting protected resource ${A} due to presence of --force\n3 resources deleted from the state\n`;
  expect(await state('delete', A, '--target-dependents', '--force')).toMatchObject({code: 0, err});
  expect(names()).toEqual(['proj-dev', 'east', 'default']);
  expect((await state('rm', '--all', '--yes')).code).toBe(0);
  expect(bench.state().resources).toBeUndefined();
  expect((await bench.run('stack', 'rm', 'dev', '--yes')).code).toBe(0);
});

test('unprotect lets destroy go on; protect holds it up again', async () => {
  expect(await state('unprotect', A, '--yes')).toMatchObject({code: 0, err: '1 resource unprotected\n'});
  expect(bench.resource('a')?.['protect']).toBeUndefined();
  expect((await state('protect', A, B)).err).toBe('2 resources protected\n');
  expect([A, B, C].map(each => bench.resource(each.split('::').at(-1) ?? '')?.['protect'])).toEqual([
    true,
    true,
    undefined,
  ]);
  expect((await bench.run('destroy', '--yes')).code).toBe(1);
  expect((await state('unprotect', '--all')).code).toBe(0);
  expect((await bench.run('destroy', '--yes')).code).toBe(0);
  expect(bench.state().resources).toBeUndefined();
});

test('a renamed resource or provider is known under its new name everywhere: the program that names it so changes nothing', async () => {
  expect(await state('rename', B, 'bee')).toMatchObject({code: 0, err: 'Renamed b to bee\n'});
  expect((await state('rename', EAST, 'west')).code).toBe(0);
  expect(bench.resource('c')?.['deletedWith']).toBe(urn('bee'));
  expect(bench.resource('bee')?.['provider']).toMatch(/::west::/);
  expect(await state('rename', B, 'x')).toMatchObject({code: 1, err: expect.stringContaining('no resource')});
  expect(await state('rename', A, 'c')).toMatchObject({code: 1, err: expect.stringContaining('has a resource')});
  bench.program(`
    const east = new Fake('west', {});
    const a = new Thing('a', {value: 1}, {protect: true});
    const b = new Thing('bee', {value: a.computed, key: pulumi.secret('hush')}, {provider: east});
    new Thing('c', {value: 3}, {deletedWith: b});
  `);
  await bench.up(0, '--expect-no-changes');
});

test('secrets stay sealed, and the state before is kept beside', async () => {
  const sealed = JSON.stringify(bench.state()).split('ciphertext').length;
  expect((await state('unprotect', A)).code).toBe(0);
  const after = JSON.stringify(bench.state());
  expect(after.split('ciphertext')).toHaveLength(sealed);
  expect(sealed).toBeGreaterThan(1);
  expect(after).not.toContain('hush');
  expect(readFileSync(join(bench.root, 'state/.pulumi/stacks/proj/dev.json.bak'), 'utf8')).toContain('"protect":true');
  expect(JSON.parse((await bench.run('stack', 'history', '--json')).out)).toHaveLength(1);
});

test('a stack that another process works on is left alone', async () => {
  const folder = join(bench.root, 'state/.pulumi/locks/organization/proj/dev');
  mkdirSync(folder, {recursive: true});
  const content = {pid: 1, username: 'u', hostname: 'elsewhere', timestamp: '2026-01-01T00:00:00Z'};
  writeFileSync(join(folder, 'x.json'), JSON.stringify(content));
  expect(await state('unprotect', A)).toMatchObject({code: 1, err: expect.stringContaining('locked by 1 lock(s)')});
  expect(bench.resource('a')?.['protect']).toBe(true);
});

test('state alone shows what there is', async () => {
  const ran = await bench.run('state');
  expect(ran.code).toBe(0);
  for (const verb of ['delete', 'protect', 'unprotect', 'rename']) expect(ran.out).toContain(`state ${verb}`);
  expect(await bench.run('state', 'delte')).toMatchObject({
    code: 2,
    err: expect.stringContaining('did you mean "state delete"?'),
  });
});
