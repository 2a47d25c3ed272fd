// SPDX-License-Identifier: Apache-2.0
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {backendUrl, fileBackendFolder} from '../backend/backend-url.ts';
import {parseStackReference} from '../backend/stack-reference.ts';
import type {Json} from '../state/resource-json.ts';
import {fullConfigKey, getAt, parseConfigPath, removeAt, revealConfig, setAt, typedText} from './config-value.ts';
import {configFaults} from './declared-config.ts';
import {type Project, parseProject} from './project.ts';
import {selectedStack, selectionFile, selectStack} from './selection.ts';
import {StackConfig} from './stack-config.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palisade-workspace-'));
});
afterEach(() => rmSync(folder, {recursive: true, force: true}));

const projectOf = (text: string): Project => parseProject(join(folder, 'Pulumi.yaml'), text);

describe('Pulumi.yaml', () => {
  test('name, runtime with options, main, backend, config', () => {
    const project = projectOf(
      'name: p\nruntime: {name: python, options: {virtualenv: venv}}\nmain: src\nbackend: {url: "file://~"}\nconfig: {a: 1}\n',
    );
    expect(project).toMatchObject({
      name: 'p',
      runtime: {name: 'python', options: {virtualenv: 'venv'}},
      main: 'src',
      backendUrl: 'file://~',
      config: {a: 1},
    });
  });

  test('all faults are named at once', () => {
    expect(() => projectOf('name: "a b"\nruntime: [go]\nconfig: []\n')).toThrow(
      /name "a b": expected[\s\S]*runtime: missing[\s\S]*config: expected a map/,
    );
    expect(() => projectOf('- x')).toThrow('a project file is a map');
    expect(() => projectOf('a: [\nb: *x\nc: "')).toThrow(
      /^\S+Pulumi\.yaml:2:1: .*: indent it further .*\n\S+Pulumi\.yaml:3:\d+: .*: add it/,
    );
    expect(() => projectOf('name: p\n---\nname: q\n')).toThrow(
      /Pulumi\.yaml:2:1: a second document begins here, .*: keep one document/,
    );
    expect(() => projectOf('a: *x')).toThrow(/Pulumi\.yaml:1:4: Alias \*x without its anchor: define the anchor/);
  });
});

describe('backend URLs', () => {
  const env = {HOME: '/home/u'};
  test.each([
    ['file://~', '/home/u'],
    ['file://~/x', '/home/u/x'],
    ['file:///abs/x?no_tmp_dir=true', '/abs/x'],
    ['file://./rel', '/cwd/rel'],
    ['file:///with%20space', '/with space'],
  ])('%s is %s', (url, path) => expect(fileBackendFolder(url, env, '/cwd')).toBe(path));

  test.each(['s3://bucket', 'https://api.example.com', 'gs://b', 'postgres://h/d', '/just/a/path'])(
    '%s is refused',
    url => {
      expect(() => fileBackendFolder(url, env, '/cwd')).toThrow('state in files only');
    },
  );

  test('what named the URL is in the message', () => {
    const {url, from} = backendUrl({}, 's3://bucket');
    expect(() => fileBackendFolder(url, {}, '/', from)).toThrow(/^backend\.url of Pulumi\.yaml s3:/);
    expect(backendUrl({PULUMI_BACKEND_URL: 's3://other'}, 's3://bucket')).toEqual({
      url: 's3://other',
      from: 'PULUMI_BACKEND_URL',
    });
  });
});

test('a backend URL with a literal % is refused', () =>
  expect(() => fileBackendFolder('file:///x/100%', {}, '/')).toThrow('file:///x/100%: write a literal % as %25'));

describe('stack names', () => {
  test('with and without organization and project', () => {
    expect(parseStackReference('dev', 'p')).toEqual({project: 'p', name: 'dev'});
    expect(parseStackReference('organization/dev', 'p')).toEqual({project: 'p', name: 'dev'});
    expect(parseStackReference('organization/q/dev', 'p')).toEqual({project: 'q', name: 'dev'});
  });
  test.each([
    ['', 'is not a stack name'],
    ['acme/dev', 'must be "organization"'],
    ['a/b/c/d', 'is not a stack name'],
    ['with space', 'letters, digits'],
    ['..%2f', 'letters, digits'],
  ])('%j is refused', (name, reason) => expect(() => parseStackReference(name, 'p')).toThrow(reason));
  test('a bare name needs a project', () =>
    expect(() => parseStackReference('dev', undefined)).toThrow('no Pulumi.yaml'));
});

describe('configuration values', () => {
  test('keys', () => {
    expect(fullConfigKey('a', 'p')).toBe('p:a');
    expect(fullConfigKey('q:a', 'p')).toBe('q:a');
    expect(fullConfigKey('q:config:a', 'p')).toBe('q:a');
    expect(() => fullConfigKey('a:b:c:d', 'p')).toThrow('could not parse');
  });

  test('paths: set, get, remove', () => {
    const path = parseConfigPath('outer.list[0]["k.x"]');
    expect(path).toEqual(['outer', 'list', 0, 'k.x']);
    const value = setAt(undefined, path.slice(1), 5);
    expect(value).toEqual({list: [{'k.x': 5}]});
    expect(getAt(value, ['list', 0, 'k.x'])).toBe(5);
    expect(removeAt(value, ['list', 0])).toEqual({list: []});
    expect(() => setAt(value, ['list', 3], 1)).toThrow('the list there has 1 members');
    expect(() => setAt({a: 'x'}, ['a', 'b'], 1)).toThrow('not a map');
    expect(() => parseConfigPath('a[x]')).toThrow('position 1');
  });

  test('typed text, as --path stores it', () => {
    expect(['true', 'false', '17', '-3', '007', '1.5', 'x', ''].map(typedText)).toEqual([
      true,
      false,
      17,
      -3,
      '007',
      '1.5',
      'x',
      '',
    ]);
  });

  test('secure values at any depth', () => {
    expect(revealConfig({b: [{secure: 'S'}], a: 1}, sealed => sealed.toLowerCase())).toEqual({a: 1, b: ['s']});
  });
});

describe('Pulumi.<stack>.yaml', () => {
  const text = '# by hand\nencryptionsalt: v1:x:y\nconfig:\n  p:a: one # why\n  other:b: 2\nenvironment: [dev]\n';

  test('edits keep comments and what is not known', async () => {
    writeFileSync(join(folder, 'Pulumi.dev.yaml'), text);
    const config = await StackConfig.open(projectOf('name: p\nruntime: nodejs\n'), 'dev');
    expect(config.encryptionSalt).toBe('v1:x:y');
    config.set('p:c', {deep: [1]});
    expect(config.remove('other:b')).toBe(true);
    expect(config.remove('other:b')).toBe(false);
    await config.save();
    const saved = readFileSync(join(folder, 'Pulumi.dev.yaml'), 'utf8');
    expect(saved).toContain('# by hand');
    expect(saved).toContain('# why');
    expect(saved).toContain('environment:');
    expect(saved).not.toContain('other:b');
    const again = await StackConfig.open(projectOf('name: p\nruntime: nodejs\n'), 'dev');
    expect([...again.own()]).toEqual([['p:a', 'one'], ['p:c', {deep: [1]}]]); // biome-ignore format: pairs
  });

  test('the values of Pulumi.yaml stand below those of the stack; a declaration without a value is missing', async () => {
    const project = projectOf(
      'name: p\nruntime: nodejs\nconfig:\n  a: plain\n  b: {default: d, type: string}\n  c: {value: v}\n  d: {type: string}\n  fake:e: 5\n',
    );
    writeFileSync(join(folder, 'Pulumi.dev.yaml'), 'config: {"p:a": own}\n');
    const merged = (await StackConfig.open(project, 'dev')).merged();
    expect(Object.fromEntries(merged)).toEqual({'p:a': 'own', 'p:b': 'd', 'p:c': 'v', 'fake:e': 5});
    expect(configFaults(project, merged)).toEqual([
      'configuration p:d is declared in Pulumi.yaml and has no value: palisade config set p:d VALUE',
    ]);
  });

  test('values must be of the declared type, and secrets encrypted; text may stand for integers and booleans', async () => {
    const project = projectOf(
      `name: p\nruntime: nodejs\nconfig: ${JSON.stringify({
        good: {type: 'integer'},
        hidden: {type: 'string', secret: true},
        open: {type: 'string', secret: true},
        count: {type: 'integer'},
        flag: {type: 'boolean'},
        list: {type: 'array', items: {type: 'array', items: {type: 'integer'}}},
        map: {type: 'object'},
        'other:free': {description: 'not ours'},
      })}\n`,
    );
    const merged = new Map<string, Json>([
      ['p:good', '7'],
      ['p:hidden', {secure: 'v1:x'}],
      ['p:open', 'readable'],
      ['p:count', 'seven'],
      ['p:flag', 'TRUE'],
      ['p:list', [[1, '2'], ['x']]],
      ['p:map', 'text'],
    ]);
    expect(configFaults(project, merged)).toEqual([
      'configuration p:open must be encrypted, as Pulumi.yaml says: palisade config set --secret p:open VALUE',
      'configuration p:count must be of type integer, as Pulumi.yaml says; it is "seven"',
      'configuration p:flag must be of type boolean, as Pulumi.yaml says; it is "TRUE"',
      'configuration p:list must be of type array<array<integer>>, as Pulumi.yaml says; it is [[1,"2"],["x"]]',
      'configuration p:map must be of type object, as Pulumi.yaml says; it is "text"',
    ]);
    expect(configFaults(project, new Map([...merged, ['p:open', {secure: 'v1:x'}]]))).toHaveLength(4);
  });

  test('a rename can be taken back', async () => {
    writeFileSync(join(folder, 'Pulumi.dev.yaml'), 'config: {}\n');
    const config = await StackConfig.open(projectOf('name: p\nruntime: nodejs\n'), 'dev');
    const takeBack = await config.rename('new');
    expect([existsSync(config.file), existsSync(join(folder, 'Pulumi.new.yaml'))]).toEqual([false, true]);
    await takeBack();
    expect(readFileSync(config.file, 'utf8')).toBe('config: {}\n');
  });

  test('a file that is no map is refused by name', async () => {
    writeFileSync(join(folder, 'Pulumi.dev.yaml'), '- 1\n');
    await expect(StackConfig.open(projectOf('name: p\nruntime: nodejs\n'), 'dev')).rejects.toThrow(
      'Pulumi.dev.yaml: a stack file is a map',
    );
  });
});

describe('the selected stack', () => {
  test('is kept per backend, read from the old form too, and PULUMI_STACK wins', async () => {
    const project = projectOf('name: p\nruntime: nodejs\n');
    const env = {PULUMI_HOME: folder};
    expect(await selectedStack(project, env, 'file:///a')).toBeUndefined();
    await selectStack(project, env, 'file:///a', 'organization/p/dev');
    expect(JSON.parse(readFileSync(selectionFile(project, env), 'utf8'))).toEqual({
      stacks: {'file:///a': 'organization/p/dev'},
    });
    expect(await selectedStack(project, env, 'file:///b')).toBeUndefined();
    expect(await selectedStack(project, {...env, PULUMI_STACK: 'x'}, 'file:///a')).toBe('x');
    await selectStack(project, env, 'file:///a', undefined);
    expect(() => readFileSync(selectionFile(project, env))).toThrow('ENOENT');
    writeFileSync(selectionFile(project, env), '{"stack": "old"}');
    expect(await selectedStack(project, env, 'file:///b')).toBe('old');
  });
});
