// SPDX-License-Identifier: Apache-2.0
/** The configuration file has a key for each flag of serve, its schema and its guide are those of the code. */
import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {parse} from 'yaml';
import type {OptionTable} from '../../packages/cli/src/command-line/options.ts';
import {readOptions} from '../../packages/cli/src/command-line/options.ts';
import {FILE_KEYS, fileKeysOf} from '../../packages/cli/src/configuration/file-keys.ts';
import {configurationSchema} from '../../packages/cli/src/configuration/json-schema.ts';
import {parseConfiguration} from '../../packages/cli/src/configuration/read-file.ts';
import {settle} from '../../packages/cli/src/configuration/settle.ts';
import {serveOptions} from '../../packages/cli/src/serve/serve-options.ts';
import {LIVE_KEYS} from '../../packages/server/src/parts/live-keys.ts';

const guide = readFileSync('docs/guides/configuration-file.md', 'utf8');
const [, example = ''] = /^```yaml\n(.*?)^```$/ms.exec(guide) ?? [];

type Schema = {
  readonly type: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | Schema;
};

const typesOf = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number'];
  return [value === null ? 'null' : typeof value];
};

const objectFaults = (value: object, schema: Schema, path: string): string[] => [
  ...(schema.required ?? []).filter(name => !Object.hasOwn(value, name)).map(name => `${path}: no ${name}`),
  ...Object.entries(value).flatMap(([name, each]) => {
    const own = schema.properties?.[name] ?? schema.additionalProperties;
    return own === undefined || own === false ? [`${path}.${name}: unknown`] : faultsOf(each, own, `${path}.${name}`);
  }),
];

/** Draft 7, as far as the schema uses it. */
const faultsOf = (value: unknown, schema: Schema, path = ''): string[] => {
  const {pattern, minLength = 0, minimum, exclusiveMinimum, minItems = 0, items} = schema;
  const faults: string[] = [];
  if (!typesOf(value).some(type => [schema.type].flat().includes(type))) faults.push(`${path}: not ${schema.type}`);
  if (schema.enum !== undefined && !schema.enum.includes(value)) faults.push(`${path}: none of ${schema.enum}`);
  if (typeof value === 'string' && (value.length < minLength || (pattern && !new RegExp(pattern).test(value))))
    faults.push(`${path}: does not match`);
  if (typeof value === 'number' && (value < (minimum ?? value) || (exclusiveMinimum ?? value - 1) >= value))
    faults.push(`${path}: too small`);
  if (Array.isArray(value)) {
    if (value.length < minItems) faults.push(`${path}: too few`);
    faults.push(...value.flatMap((item, at) => (items === undefined ? [] : faultsOf(item, items, `${path}[${at}]`))));
  } else if (typeof value === 'object' && value !== null) faults.push(...objectFaults(value, schema, path));
  return faults;
};
const schemaFaults = (text: string): string[] =>
  faultsOf(parse(text), configurationSchema() as unknown as Schema, 'file');

const NOT_OF_SERVING = ['config', 'print-config', 'json'];

test('43-5 every flag of serve has a key, its name in camel case, and there is no other key but those without a flag', () => {
  const flags = Object.keys(serveOptions).filter(name => !NOT_OF_SERVING.includes(name));
  const camelCase = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const keys = flags.map(name => (name === 'var' ? 'vars' : camelCase(name)));
  expect(Object.keys(FILE_KEYS).sort()).toEqual(
    [...keys, 'ruleSets', 'ruleBindings', 'endpoints', 'exporters', 'limits'].sort(),
  );
});

test('43-5 a new flag has its key, its type and its place in the schema without further work', () => {
  const more: OptionTable = {
    ...serveOptions,
    'new-list': {type: 'list', value: 'X', completes: 'file', doc: 'a new list of files'},
    'new-switch': {type: 'boolean', doc: 'a new switch'},
    'new-count': {type: 'string', value: 'N', inFile: 'number', doc: 'a new number'},
  };
  const keys = fileKeysOf(more);
  const text = 'newList: [a]\nnewSwitch: true\nnewCount: 3\n';
  expect(parseConfiguration(text, 'f.yaml', '/etc', keys)).toMatchObject({
    values: {newList: ['/etc/a'], newSwitch: true, newCount: 3},
    faults: [],
  });
  expect(faultsOf(parse(text), configurationSchema(keys) as unknown as Schema)).toEqual([]);
});

test('43-5 keys that SIGHUP applies are keys, or fields of limits', () => {
  const {shape} = FILE_KEYS['limits'] ?? {};
  const limits = shape?.kind === 'object' ? Object.keys(shape.fields).map(name => `limits.${name}`) : [];
  const known = [...Object.keys(FILE_KEYS), ...limits];
  expect(
    Object.values(LIVE_KEYS)
      .flat()
      .filter(key => !known.includes(key)),
  ).toEqual([]);
  const table = guide.split('## Change it while the server runs')[1] ?? '';
  for (const key of Object.values(LIVE_KEYS).flat()) expect(table).toContain(`\`${key}\``);
});

test('43-5 the example of the guide is valid by the program and by the schema, and with the keys it leaves out it has all', () => {
  const file = parseConfiguration(example, 'palisade.yaml', '/etc/palisade');
  expect(file.faults).toEqual([]);
  const {config} = settle(readOptions([], serveOptions), file, {env: {}, cwd: '/'});
  expect(config.sensors.defaultSet?.sources[1]).toMatchObject({
    at: 'https://rules.example.com/open.tar.gz',
    modify: [{match: '2001219', from: 'seconds \\d+', to: 'seconds 3600'}],
  });
  expect(schemaFaults(example)).toEqual([]);
  const [, left = ''] = /Keys that the example leaves out: ([^.]*)\./.exec(guide) ?? [];
  const named = [...left.matchAll(/`(\w+)`/g)].map(([, key = '']) => key);
  const shown = Object.entries(FILE_KEYS).flatMap(([key, {refused}]) => (refused === undefined ? [key] : []));
  expect([...Object.keys(file.values), ...named].sort()).toEqual(shown.sort());
});

test('43-5 the lines that the guide shows as output have the places of the example', () => {
  const file = parseConfiguration(example, 'palisade.yaml', '/etc/palisade');
  const shown = [...guide.matchAll(/^ {4}(\w+): .*# palisade\.yaml:(\d+)$/gm)];
  expect(shown).toHaveLength(2);
  for (const [, key = '', line] of shown) expect([key, file.places.get(key)?.keyLine]).toEqual([key, Number(line)]);
});

test.each([
  'drivr: relay',
  'driver: realy',
  'locations: europe',
  'quotaEndpoints: "3"',
  'rulesStrict: 1',
  'limits: {lossPercent: -1}',
  'ruleSets: [{name: a, sources: []}]',
  'ruleSets: [{sources: [{at: a}]}]',
  'ruleSets: [{name: a, sources: [{at: a, sha256: "12"}]}]',
  'vars: {A: [1]}',
  'exporters: [{name: a}]',
  'exporters: [{url: "eve:/a", kinds: [alerts]}]',
])('43-5 %s is a fault for the program and for the schema', text => {
  expect(parseConfiguration(text, 'f', '/').faults).toHaveLength(1);
  expect(schemaFaults(text)).toHaveLength(1);
});
