// SPDX-License-Identifier: Apache-2.0
/** A state that does not fit together: never written, refused where it is read, and the ways out. */
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {bench} from './support/bench-for-each.ts';

type Resource = Record<string, unknown> & {readonly urn: string};
const urn = (name: string): string => `urn:pulumi:dev::proj::fake:index:Thing::${name}`;

const file = (): string => join(bench.root, 'state/.pulumi/stacks/proj/dev.json');
/** Somebody changes the stored resources. */
const tamper = (change: (resources: Resource[]) => void): void => {
  const stored = JSON.parse(readFileSync(file(), 'utf8'));
  change(stored.checkpoint.latest.resources);
  writeFileSync(file(), JSON.stringify(stored));
};
const lose = (...names: readonly string[]): void => {
  for (const {id, inputs} of [...bench.cloud.objects.values()])
    if (names.some(name => `${inputs['name']}-`.startsWith(`${name}-`))) bench.cloud.objects.delete(id);
};

test('F-05 a refresh that finds a parent gone leaves a state that can be imported, and the next up makes the parent again', async () => {
  bench.program(`
    const p = new Thing('p', {value: 1});
    const c = new Thing('c', {value: 1}, {parent: p});
    new Thing('g', {value: 1}, {parent: c, dependsOn: p, deletedWith: p});
  `);
  await bench.up();
  lose('p', 'c');
  expect((await bench.run('refresh', '--yes')).code).toBe(0);
  expect(bench.resource('g')).toMatchObject({parent: 'urn:pulumi:dev::proj::pulumi:pulumi:Stack::proj-dev'});
  for (const key of ['dependencies', 'deletedWith']) expect(bench.resource('g')).not.toHaveProperty(key);
  const exported = await bench.run('stack', 'export');
  expect(exported.code).toBe(0);
  bench.input = exported.out;
  expect(await bench.run('stack', 'import')).toMatchObject({code: 0});
  await bench.up();
  expect(bench.cloud.objects.size).toBe(3);
  expect(bench.resource('g')).toMatchObject({parent: bench.resource('c')?.['urn'], deletedWith: urn('p')});
  await bench.up(0, '--expect-no-changes');
});

test('F-05 a refresh that finds a replaced object gone leaves the references to its successor', async () => {
  const program = (key: number, fail: string) =>
    bench.program(
      `const a = new Thing('a', {name: 'a-${key}', key: ${key}${fail}}); new Thing('d', {value: a.computed});`,
    );
  program(1, ", fail: 'delete'");
  await bench.up();
  program(2, '');
  await bench.up(1); // the original stays, to be deleted
  lose('a-1');
  expect(bench.cloud.objects.size).toBe(2);
  expect((await bench.run('refresh', '--yes')).code).toBe(0);
  expect(bench.state().resources).toHaveLength(4);
  expect(bench.resource('d')).toMatchObject({dependencies: [urn('a')], propertyDependencies: {value: [urn('a')]}});
});

const BREAK: Record<string, (resources: Resource[]) => void> = {
  'a duplicate URN': resources => void resources.push({...resources.at(-1)!, id: 'other'}),
  'a missing parent': resources => void Object.assign(resources.at(-1)!, {parent: urn('gone')}),
  'a dependent before what it needs': resources => void resources.reverse(),
  'an unknown provider': resources => {
    Object.assign(resources.at(-1)!, {provider: 'urn:pulumi:dev::proj::pulumi:providers:fake::gone::1'});
  },
};

const READERS = [
  'preview',
  'up --yes --skip-preview',
  'refresh --yes --skip-preview',
  'destroy --yes --skip-preview',
  'import fake:index:Thing x id-1 --yes',
  'stack',
  'stack output',
  'stack rename other',
  'state protect --all --yes',
];

test.each(Object.keys(BREAK))(
  'F-05 a state with %s is refused by every command that reads it, with the file and the way out',
  async kind => {
    bench.program("const a = new Thing('a', {value: 1}); new Thing('b', {value: a.computed});");
    await bench.up();
    bench.cloud.take();
    tamper(BREAK[kind]!);
    const stored = readFileSync(file(), 'utf8');
    for (const words of READERS) {
      const {code, err} = await bench.run(...words.split(' '));
      expect([words, code]).toEqual([words, 1]);
      expect(err, words).toContain('the state is inconsistent, so nothing was done:\npalisade:   ');
      expect(err, words).toMatch(
        /run `palisade state repair` to repair it|run `palisade stack export --file FILE`, correct the file/,
      );
      if (!words.startsWith('state')) expect(err, words).toContain(`palisade: ${file()}: `);
    }
    expect(readFileSync(file(), 'utf8')).toBe(stored);
    expect(bench.cloud.take()).toEqual([]);
  },
);

test('F-05 state repair mends order and references, and says what it mended', async () => {
  bench.program("const a = new Thing('a', {value: 1}); new Thing('b', {value: a.computed}, {parent: a});");
  await bench.up();
  tamper(resources => {
    Object.assign(resources.at(-1)!, {dependencies: [urn('gone'), urn('a')]});
    resources.reverse();
  });
  const {code, err} = await bench.run('state', 'repair', '--yes');
  expect(code, err).toBe(0);
  expect(err).toContain(`'s dependency ${urn('gone')} is missing\n`);
  expect(err).toMatch(/^repaired: /);
  await bench.up(0, '--expect-no-changes');
  expect((await bench.run('state', 'repair')).err).toBe('The state is consistent, nothing was changed\n');
});

test('F-05 what is exported of such a state can be corrected and imported; --force mends what it can and refuses the rest', async () => {
  bench.program("const a = new Thing('a', {value: 1}); new Thing('b', {value: a.computed});");
  await bench.up();
  const sound = readFileSync(file(), 'utf8');
  tamper(BREAK['a duplicate URN']!);
  const told = await bench.run('stack', 'export');
  expect(told.code, told.err).toBe(0);
  expect(told.err).toMatch(
    /^warning: \S+dev\.json: the state is inconsistent:\n {2}duplicate resource .*\nrun `palisade stack export/,
  );
  const exported = JSON.parse(told.out) as {deployment: {resources: Resource[]}};
  bench.input = JSON.stringify(exported);
  const refused = await bench.run('stack', 'import', '--force');
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringContaining('inconsistent and was not imported:\npalisade:   duplicate resource'),
  });
  exported.deployment.resources.pop();
  bench.input = JSON.stringify(exported);
  expect(await bench.run('stack', 'import')).toMatchObject({code: 0});
  expect(JSON.parse(readFileSync(file(), 'utf8')).checkpoint.latest.resources).toEqual(
    JSON.parse(sound).checkpoint.latest.resources,
  );
  exported.deployment.resources.reverse();
  bench.input = JSON.stringify(exported);
  expect(await bench.run('stack', 'import', '--force')).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^Stack .*\n.*\nrepaired: resource .* comes after it\n[\s\S]*Import complete/),
  });
  const root = exported.deployment.resources.at(-1)!;
  const lost = Array.from({length: 12}, (_, i) => ({...root, urn: `${root.urn}-${i}`, parent: urn('gone')}));
  bench.input = JSON.stringify({version: 3, deployment: {resources: [root, ...lost]}});
  const forced = await bench.run('stack', 'import', '--force');
  expect(forced.code, forced.err).toBe(0);
  expect(forced.err.match(/^repaired: /gm)).toHaveLength(11);
  expect(forced.err).toContain('\nrepaired: 2 more\n');
  exported.deployment.resources.reverse();
  bench.input = JSON.stringify(exported);
  expect((await bench.run('stack', 'import')).code).toBe(0);
  bench.input = undefined;
  await bench.up(0, '--expect-no-changes');
});
