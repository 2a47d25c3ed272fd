// SPDX-License-Identifier: Apache-2.0
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {secretOf} from '@palisade/provider';
import {beforeEach, expect, test} from 'vitest';
import {bench} from './support/bench-for-each.ts';

beforeEach(async () => {
  bench.cloud.objects.set('x-1', {id: 'x-1', inputs: {name: 'found', value: 7}, version: 3});
  bench.cloud.objects.set('x-2', {id: 'x-2', inputs: {name: 'other', key: secretOf('hush')}, version: 1});
});

const TYPE = 'fake:index:Thing';
const importing = (...words: readonly string[]) => bench.run('import', ...words);
const CODE = `import * as pulumi from "@pulumi/pulumi";
import * as fake from "@pulumi/fake";

const web = new fake.Thing("web", {
    name: "found",
    value: 7,
}, {
    protect: true,
});
`;

test('takes the object into the state as it is, protected, and prints only the code', async () => {
  const ran = await importing(TYPE, 'web', 'x-1', '--yes');
  expect(ran).toMatchObject({code: 0, out: CODE});
  expect(ran.err).toContain('= 1 imported');
  expect(bench.resource('web')).toMatchObject({
    id: 'x-1',
    inputs: {name: 'found', value: 7},
    outputs: {name: 'found', value: 7, computed: 'c-x-1', version: 3},
    parent: 'urn:pulumi:dev::proj::pulumi:pulumi:Stack::proj-dev',
    protect: true,
    provider: expect.stringContaining('::default_0_1_0::'),
  });
  expect(bench.resource('web')?.['importID']).toBeUndefined();
  const [record] = JSON.parse((await bench.run('stack', 'history', '--json')).out) as [object];
  expect(record).toMatchObject({kind: 'resource-import', result: 'succeeded', resourceChanges: {import: 1, create: 1}});
  bench.program(`
    new Thing('web', {name: 'found', value: 7}, {protect: true, version: '0.1.0'});
  `);
  bench.cloud.take();
  await bench.up(0, '--expect-no-changes');
  expect(bench.cloud.take()).not.toContain('update web');
});

test('what the stack has stays as it is; the same import again changes nothing, another id is refused', async () => {
  bench.program(`
    const group = new Group('group', {});
    const given = new Fake('given', {});
    new Thing('mine', {value: 1}, {parent: group, provider: given});
  `);
  await bench.up();
  const before = bench.state().resources ?? [];
  const [group, given] = [
    'urn:pulumi:dev::proj::fake:index:Group::group',
    'urn:pulumi:dev::proj::pulumi:providers:fake::given',
  ];
  const words = ['--yes', '--skip-preview', '--protect=false', '--parent', `theGroup=${group}`, '--provider', given];
  const ran = await importing(TYPE, 'web', 'x-1', ...words);
  expect(ran.out).toMatch(/\}, \{\n {4}parent: theGroup,\n {4}provider: provider,\n\}\);\n$/);
  const after = bench.state().resources ?? [];
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.slice(before.length)).toMatchObject([
    {urn: expect.stringContaining('Group$fake:index:Thing::web'), parent: group},
  ]);
  expect(await importing(TYPE, 'web', 'x-1', ...words)).toMatchObject({code: 0, out: ran.out});
  const again = words.filter(word => word !== '--protect=false'); // what is there stays unprotected, in the code too
  expect(await importing(TYPE, 'web', 'x-1', ...again)).toMatchObject({code: 0, out: ran.out});
  expect(bench.state().resources).toEqual(after);
  expect(await importing(TYPE, 'web', 'x-2', ...words)).toMatchObject({
    code: 1,
    out: '', // no code for what was not imported
    err: expect.stringContaining('is already in the state, with id x-1'),
  });
  expect(bench.state().resources).toEqual(after);
});

test('a state with a provider that is left to be deleted and still used stays sound', async () => {
  bench.program("new Thing('mine', {value: 1}, {provider: new Fake('given', {})});");
  await bench.up();
  type Exported = {deployment: {resources: {urn: string; id: string; provider?: string; delete?: boolean}[]}};
  const exported = JSON.parse((await bench.run('stack', 'export')).out) as Exported;
  const {resources} = exported.deployment;
  const given = resources.findIndex(({urn}) => urn.endsWith('::given'));
  const old = {...resources[given], urn: resources[given]?.urn ?? '', id: 'old', delete: true};
  resources.splice(given, 0, old);
  for (const each of resources) if (each.urn.endsWith('::mine')) each.provider = `${old.urn}::old`;
  bench.input = JSON.stringify(exported);
  expect((await bench.run('stack', 'import')).code).toBe(0);
  expect((await importing(TYPE, 'web', 'x-1', '--yes')).code).toBe(0);
  expect(bench.state().resources).toHaveLength(resources.length + 2); // its default provider, too
  bench.input = (await bench.run('stack', 'export')).out;
  expect(await bench.run('stack', 'import')).toMatchObject({code: 0}); // refuses what does not fit together
});

test('several, from a file: code for what could be imported is given although another one does not exist', async () => {
  bench.write(
    'import.json',
    JSON.stringify({
      resources: [
        {type: TYPE, name: 'kid', id: 'x-2', parent: 'comp'},
        {type: 'my:index:Comp', name: 'comp', component: true},
      ],
    }),
  );
  const preview = await importing('-f', 'import.json', '--preview-only');
  expect(preview).toMatchObject({code: 0, out: expect.stringContaining('= 2 to import'), err: ''});
  expect(bench.state().resources).toBeUndefined();
  expect(await importing('--file', 'import.json', '--yes', '--out', 'code.ts')).toMatchObject({
    code: 0,
    out: expect.stringContaining('= 2 imported'),
    err: expect.stringMatching(/^The code was written to code\.ts\nnote: add this code to the program/),
  });
  const code = readFileSync(join(bench.folder, 'code.ts'), 'utf8');
  expect(code).toContain('key: pulumi.secret("hush")');
  expect(code).toMatch(/const comp = .*const kid = .*parent: comp/s);
  expect(JSON.stringify(bench.state())).not.toContain('hush');

  bench.write(
    'more.json',
    JSON.stringify({
      resources: [
        {type: TYPE, name: 'web', id: 'x-1'},
        {type: TYPE, name: 'gone', id: 'none'},
      ],
    }),
  );
  const ran = await importing('-f', 'more.json', '--skip-preview', '--parallel', '1');
  expect(ran).toMatchObject({code: 1, out: CODE, err: expect.stringContaining("resource 'none' does not exist")});
  expect(bench.resource('web')).toBeDefined();
});

test('after one that failed no import begins that waited for its turn; one that is done is shown so first', async () => {
  const resources = ['x-1', 'none', 'x-2'].map((id, n) => ({type: TYPE, name: `n${n}`, id}));
  bench.write('some.json', JSON.stringify({resources}));
  const ran = await importing('-f', 'some.json', '--yes', '--skip-preview', '--parallel', '1');
  expect(ran.code).toBe(1);
  expect(ran.err.match(/Thing n\d import.*$/gm)).toEqual([
    'Thing n0 importing',
    'Thing n0 imported',
    'Thing n1 importing',
  ]);
  expect(bench.state().resources?.map(({urn}) => String(urn).split('::').at(-1))).not.toContain('n2');
});

test('inputs that a program may not declare are imported with a warning', async () => {
  bench.cloud.objects.set('x-3', {id: 'x-3', inputs: {name: 'odd', bad: true}, version: 1});
  const ran = await importing(TYPE, 'odd', 'x-3', '--skip-preview', '--generate-code=false');
  expect(ran).toMatchObject({code: 0, err: expect.stringContaining('this is refused')});
  expect(bench.resource('odd')).toBeDefined();
});

test.each<[readonly string[], number, string]>([
  [[TYPE, 'web', 'x-1'], 2, '--yes or --skip-preview'],
  [[TYPE, 'web', '--yes'], 2, 'a type, a name and an ID are required'],
  [['Thing', 'web', 'x-1', '--yes'], 2, 'has a malformed type'],
  [[TYPE, 'web', 'x-1', '--parent', 'nothing', '--yes'], 2, '--parent nothing: must be NAME=URN'],
  [[TYPE, 'web', 'x-1', '--file', 'f.json', '--yes'], 2, 'not both'],
  [['--file', 'f.json', '--yes'], 1, '--file f.json'],
  [[TYPE, 'web', 'x-1', '--yes', '--out', 'none/code.ts'], 1, '--out none/code.ts: cannot be written: no such folder'],
  [[TYPE, 'web', 'x-1', '--yes', '--out', '.'], 1, '--out .: cannot be written: is a folder'],
  [[TYPE, 'web', 'none', '--yes'], 1, "resource 'none' does not exist"],
  [['aws:s3:Bucket', 'b', 'b', '--yes'], 1, 'package "aws" is not built into'],
  [[TYPE, 'web', 'x-1', '--parent', 'urn:pulumi:dev::proj::a:b:C::c', '--yes'], 1, 'is not in the state of the stack'],
  [[TYPE, 'web', 'x-1', '--provider', 'urn:pulumi:dev::proj::pulumi:providers:fake::p', '--yes'], 1, 'its provider'],
])('import %j is refused: %i, and nothing is changed', async (words, code, message) => {
  expect(await importing(...words)).toMatchObject({code, out: '', err: expect.stringContaining(message)});
  expect(bench.state().resources).toBeUndefined();
});
