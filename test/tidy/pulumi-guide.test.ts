// SPDX-License-Identifier: Apache-2.0
/** The guide for the Pulumi CLI names what there is: every setting with its environment variable, the types of import, the executables. */
import {accessSync, constants, readdirSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {PROJECT_KEYS, RUNTIME_OPTIONS, STACK_KEYS} from '../../packages/engine/src/workspace/known-keys.ts';

type Variable = {readonly description: string; readonly secret?: boolean};
type Schema = {
  readonly name: string;
  readonly config: {readonly variables: Readonly<Record<string, Variable>>};
  readonly resources: Readonly<Record<string, unknown>>;
};

const guide = readFileSync('docs/guides/pulumi-cli.md', 'utf8');
const schemas = ['platform', 'cloudnative'].map(
  name => JSON.parse(readFileSync(`schemas/pulumi/${name}.json`, 'utf8')) as Schema,
);

test('every setting of both providers has its row, with its environment variable; no row has no setting', () => {
  const rows = [...guide.matchAll(/^\| `(\w+:\w+)` \| (?:`(\w+)`)? ?\| (.*)$/gm)].map(
    ([, key, variable = '', note = '']) => `${key} ${variable} ${note.startsWith('secret') ? 'secret' : ''}`,
  );
  const settings = schemas.flatMap(({name, config}) =>
    Object.entries(config.variables).map(([key, {description, secret}]) => {
      const variable = /Environment: `(\w+)`/.exec(description)?.[1] ?? '';
      return `${name}:${key} ${variable} ${secret ? 'secret' : ''}`;
    }),
  );
  expect(rows.sort()).toEqual(settings.sort());
});

test('the types that it imports, and the executables, are there', () => {
  const imported = [...guide.matchAll(/pulumi import (\S+) /g)].map(match => match[1]);
  expect(imported).toEqual(schemas.flatMap(({resources}) => Object.keys(resources)));
  for (const {name} of schemas) {
    expect(guide).toContain(`{name: ${name}, path: `);
    expect(() => accessSync(`node_modules/.bin/pulumi-resource-${name}`, constants.X_OK)).not.toThrow();
  }
  expect(readFileSync('README.md', 'utf8')).toContain('(docs/guides/pulumi-cli.md)');
});

test('F-19 every key of the stack file or of plugins that is refused is in the guide', () => {
  const refused = [
    ...Object.entries(STACK_KEYS).filter(([, rule]) => rule.fate === 'refused').map(([key]) => key),
    ...Object.entries(PROJECT_KEYS['plugins']?.keys ?? {}).filter(([, rule]) => rule.fate === 'refused').map(([key]) => `plugins.${key}`),
    ...Object.keys(RUNTIME_OPTIONS.python['toolchain']?.refusedValues ?? {}).map(value => `toolchain: ${value}`),
  ]; // biome-ignore format: a list
  expect(refused.length).toBeGreaterThan(4);
  for (const key of refused) expect(guide).toContain(`\`${key}\``);
});

test('F-19 the guide names every PULUMI_ variable that the engine reads', () => {
  const sources = ['packages/engine/src', 'packages/cli/src'].flatMap(folder =>
    readdirSync(folder, {recursive: true, encoding: 'utf8'}).map(path => `${folder}/${path}`),
  );
  const texts = sources.map(path => (/(?<!test)\.ts$/.test(path) ? readFileSync(path, 'utf8') : '')).join('\n');
  const read = [...texts.matchAll(/env\['(PULUMI_\w+)'\]|env: '(PULUMI_\w+)'/g)];
  const names = new Set(read.flatMap(([, a, b]) => a ?? b ?? []));
  for (const both of ['PULUMI_CONFIG_PASSPHRASE', 'PULUMI_CONFIG_PASSPHRASE_FILE']) names.add(both); // taken apart in one go
  const said = /Of the environment `palisade` reads (.*) as the CLI does/.exec(guide)?.[1] ?? '';
  expect([...said.matchAll(/`(PULUMI_\w+)`/g)].map(([, name = '']) => name).sort()).toEqual([...names].sort());
});
