// SPDX-License-Identifier: Apache-2.0
// F-19: every key that the Pulumi CLI knows is honoured, without effect there too, or refused by name. None is ignored in silence.
import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {stringify} from 'yaml';
import type {Json, JsonObject} from '../state/resource-json.ts';
import type {KeyRules} from './key-rules.ts';
import {
  DECLARATION_KEYS,
  PROJECT_KEYS,
  PULUMI_CONFIG_KEYS,
  RUNTIME_KEYS,
  RUNTIME_OPTIONS,
  STACK_KEYS,
} from './known-keys.ts';
import {type Project, parseProject} from './project.ts';
import {projectRefusals} from './project-refusals.ts';
import {pulumiSettings} from './pulumi-settings.ts';

const FILE = '/p/Pulumi.yaml';
const BUILT_IN = ['cloudnative', 'platform'];

const projectOf = (content: JsonObject): Project =>
  parseProject(FILE, stringify({name: 'p', runtime: 'nodejs', ...content}));

/** What an operation says about this content. */
function refusalOf(content: JsonObject): string {
  try {
    return projectRefusals(projectOf(content), BUILT_IN).join('\n');
  } catch (error) {
    return (error as Error).message;
  }
}

/** `options.refresh` with value v as {options: {refresh: v}}. */
const nested = (path: string, value: Json): JsonObject =>
  path.split('.').reduceRight<Json>((inner, key) => ({[key]: inner}), value) as JsonObject;

const pathsOf = (rules: KeyRules, at = ''): [path: string, fate: string][] =>
  Object.entries(rules).flatMap(([key, rule]): [string, string][] => [
    [`${at}${key}`, rule.fate],
    ...(rule.keys === undefined ? [] : pathsOf(rule.keys, `${at}${key}.`)),
  ]);

const withFate = (rules: KeyRules, fate: string): string[] =>
  pathsOf(rules).filter(([, f]) => f === fate).map(([path]) => path); // biome-ignore format: one step

describe('the keys that the CLI knows', () => {
  type Schema = {
    properties?: Record<string, Schema>;
    additionalProperties?: unknown;
    oneOf?: Schema[];
    $defs?: Record<string, Schema>;
  };
  const schema: Schema = JSON.parse(readFileSync(new URL('../../../../schemas/pulumi-cli/project.json', import.meta.url), 'utf8')); // biome-ignore format: one step
  /** Below a map of anything only its own members count: `config` takes any name. */
  const schemaPaths = (of: Schema, at = ''): string[] =>
    Object.entries(of.properties ?? {}).flatMap(([key, below]) => [
      `${at}${key}`,
      ...(key === 'config' || key === 'runtime' ? [] : schemaPaths(below, `${at}${key}.`)),
    ]);

  test('F-19 Pulumi.yaml: every key of the schema has a rule', () => {
    const ruled = pathsOf(PROJECT_KEYS).map(([path]) => path);
    expect(ruled.filter(path => path !== 'requiredPulumiVersion').sort()).toEqual(schemaPaths(schema).sort());
    expect(ruled).toContain('requiredPulumiVersion'); // a field of the CLI's Project that its schema leaves out
    const asMap = schema.properties?.['runtime']?.oneOf?.find(one => one.properties !== undefined);
    expect(Object.keys(RUNTIME_KEYS).sort()).toEqual(Object.keys(asMap?.properties ?? {}).sort());
    const declaration = schema.$defs?.['configTypeDeclaration']?.properties;
    expect(Object.keys(DECLARATION_KEYS).sort()).toEqual(Object.keys(declaration ?? {}).sort());
  });

  test.each([
    // Ref: Pulumi sdk/go/common/workspace/project.go ProjectStack
    ['Pulumi.<stack>.yaml', STACK_KEYS, 'config encryptedkey encryptionsalt environment secretsprovider'],
    // Ref: Pulumi sdk/nodejs/cmd/pulumi-language-nodejs/main.go parseOptions
    ['options of nodejs', RUNTIME_OPTIONS.nodejs, 'nodeargs packagemanager production tsconfig typescript'],
    // Ref: Pulumi sdk/python/cmd/pulumi-language-python/main.go parseOptions
    ['options of python', RUNTIME_OPTIONS.python, 'toolchain typechecker virtualenv'],
    // Ref: the keys that pkg and sdk/go make with the namespace pulumi
    ['configuration of the engine', PULUMI_CONFIG_KEYS, 'autonaming disable-default-providers tags template'],
  ])('F-19 %s: every key has a rule', (_, rules, keys) => {
    expect(Object.keys(rules).sort()).toEqual(keys.split(' '));
  });
});

/** A value of each key that is used, and where it shows in what was read. */
const USED: Readonly<Record<string, {value: Json; shows: (project: Project) => unknown; as: unknown}>> = {
  name: {value: 'other', shows: p => p.name, as: 'other'},
  runtime: {value: {name: 'python', options: {a: 1}}, shows: p => p.runtime, as: {name: 'python', options: {a: 1}}},
  main: {value: 'src', shows: p => p.main, as: 'src'},
  config: {value: {a: 1}, shows: p => p.config, as: {a: 1}},
  stackConfigDir: {value: 'stacks', shows: p => p.stackConfigFolder, as: '/p/stacks'},
  backend: {value: {url: 'file:///s'}, shows: p => p.backendUrl, as: 'file:///s'},
  'backend.url': {value: 'file:///s', shows: p => p.backendUrl, as: 'file:///s'},
  options: {value: {refresh: 'always'}, shows: p => p.refreshAlways, as: true},
  'options.refresh': {value: 'always', shows: p => p.refreshAlways, as: true},
  packages: {value: {aws: 'aws@7'}, shows: p => p.packages, as: [{path: 'packages.aws', name: 'aws'}]},
  plugins: {value: {providers: []}, shows: p => p.packages, as: []},
  'plugins.providers': {
    value: [{name: 'aws', path: '../bin'}],
    shows: p => p.packages,
    as: [{path: 'plugins.providers[0]', name: 'aws'}],
  },
  requiredPulumiVersion: {value: '>=3.0.0', shows: p => p.requiredVersion, as: '>=3.0.0'},
};

describe('Pulumi.yaml', () => {
  test('F-19 every key that is used has a row below', () => {
    expect(Object.keys(USED).sort()).toEqual(withFate(PROJECT_KEYS, 'used').sort());
  });

  test.each(Object.entries(USED))('F-19 %s is used', (path, {value, shows, as}) => {
    expect(shows(projectOf(nested(path, value)))).toEqual(as);
  });

  test.each(withFate(PROJECT_KEYS, 'inert'))('F-19 %s is accepted: it has no effect with the CLI either', path => {
    const value = path === 'template' || path.endsWith('.metadata') || path.endsWith('.config') ? {} : 'text';
    expect(refusalOf(nested(path, value))).toBe('');
    expect(projectOf(nested(path, value)).unknown).toEqual([]);
  });

  test.each(withFate(PROJECT_KEYS, 'refused'))('F-19 %s is refused with file, key and way out, unless empty', path => {
    expect(refusalOf(nested(path, [{name: 'x', path: 'y'}]))).toMatch(
      new RegExp(`^${FILE}: ${path}: .*: remove them, or use the Pulumi CLI`),
    );
    expect(refusalOf(nested(path, []))).toBe('');
  });

  test.each([
    ['packages', {packages: {aws: 'aws@7'}}, /^\S+: packages\.aws: package "aws" is not built into .*: remove it, or/],
    ['a plugin', {plugins: {providers: [{name: 'aws', path: 'x'}]}}, /plugins\.providers\[0\]: package "aws" is not/],
    ['requiredPulumiVersion', {requiredPulumiVersion: '>=4.0.0'}, /requiredPulumiVersion: >=4\.0\.0: .* follows v3\./],
    ['no range', {requiredPulumiVersion: 'new'}, /requiredPulumiVersion: "new" is not a range of versions: write it/],
    ['a misspelt key', {backed: {url: 'file:///s'}}, /backed: there is no such key: did you mean "backend"\?/],
    ['a misspelt key below', {options: {refesh: 'always'}}, /options\.refesh: there is no such key: did you mean/],
    ['another key below', {backend: {region: 'x'}}, /backend\.region: there is no such key: expected url/],
    ['a backend that is a text', {backend: 'file:///s'}, /backend: expected a map, found "file:\/\/\/s"/],
    ['a main of another type', {main: ['x']}, /main: expected a string, found \["x"\]/],
    ['another refresh', {options: {refresh: 'never'}}, /options\.refresh: expected always, found "never"/],
    ['options of a runtime in its place', {runtime: {name: 'nodejs', typescript: false}}, /runtime\.typescript: there is/],
    ['two folders', {config: 'a', stackConfigDir: 'b'}, /config: a folder is given by stackConfigDir already: remove/],
    ['a declaration with a slip', {config: {a: {typ: 'string'}}}, /config\.a\.typ: .* did you mean "type"/],
    ['default and value', {config: {a: {default: 1, value: 2}}}, /config\.a: both default and value are given/],
    ['an array without items', {config: {a: {type: 'array'}}}, /config\.a: an array needs items/],
    ['a default of another type', {config: {a: {type: 'integer', default: 'x'}}}, /config\.a\.default: expected .* integer, found "x"/],
  ])('F-19 refused: %s', (_, content, refusal) => expect(refusalOf(content as JsonObject)).toMatch(refusal)); // biome-ignore format: a table

  test('F-19 built-in packages may be named, as the CLI needs them; null is as left out; an unknown key is listed', () => {
    expect(refusalOf({packages: {platform: 'x'}, plugins: {providers: [{name: 'cloudnative', path: 'x'}]}})).toBe('');
    expect(refusalOf({main: null, config: null, options: null, description: null})).toBe('');
    expect(projectOf({resources: {}}).unknown).toEqual(['resources']);
    expect(projectOf({config: 'stacks'}).stackConfigFolder).toBe('/p/stacks');
  });
});

test.each([
  ['>=3.0.0', true],
  ['>= 3.0.0 <4.0.0', true],
  ['3.x', true],
  ['>=3.300.0', false],
  ['!3.260.0', false],
  ['<3.4.0 || >3.8.0', true],
  ['=3.260', true],
  ['>=3.100.0-alpha.1', true],
  ['>3.260.0-rc.1 <=3.260.0+build.5', true],
  ['=3.260.0-rc.1', false],
])('F-19 requiredPulumiVersion %s includes the version that the engine follows: %s', (range, isIn) => {
  expect(refusalOf({requiredPulumiVersion: range}) === '').toBe(isIn);
});

describe('configuration of the engine', () => {
  const settingsOf = (values: JsonObject) => pulumiSettings(new Map(Object.entries(values) as [string, Json][]));

  test.each([
    [['*'], ['*']],
    ['["aws", " x "]', ['aws', 'x']],
    ['', []],
  ])('F-19 pulumi:disable-default-providers %j', (value, names) => {
    expect(settingsOf({'pulumi:disable-default-providers': value}).disabledDefaults).toEqual(names);
  });

  test.each([
    [{'pulumi:disable-default-providers': 'aws'}, /disable-default-providers: expected a list of package names, found "aws"/],
    [{'pulumi:disable-default-providers': [1]}, /expected a list of package names, found \[1\]/],
    [{'pulumi:disable-default-provider': ['*']}, /pulumi:disable-default-provider: .* did you mean "disable-default-providers"/],
    [{'pulumi:autonaming': 'verbatim'}, /pulumi:autonaming: expected a map, found "verbatim"/],
  ])('F-19 refused: %j', (values, refusal) => expect(() => settingsOf(values)).toThrow(refusal)); // biome-ignore format: a table

  test('F-19 other keys are for the program', () =>
    expect(settingsOf({'pulumi:mine': 1}).disabledDefaults).toEqual([]));
});
