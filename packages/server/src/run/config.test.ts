// SPDX-License-Identifier: Apache-2.0
/** Addresses of `palisade serve` that cannot be opened together are wrong words, told before anything is opened. */
import {DEFAULT_RULE_POLICY} from '@palisade/sensor';
import {expect, test} from 'vitest';
import {UsageError} from '../cli/io.ts';
import {readOptions} from '../cli/options.ts';
import {serveOptions} from '../commands/serve-options.ts';
import {toServeConfig} from './config.ts';

const configOf = (words: string): unknown => {
  const {options, faults} = readOptions(words.split(' '), serveOptions);
  return toServeConfig(options, {HOME: '/home/u'}, '/cwd', faults);
};
const ACCESS = '--token-auth-file t.csv';
const OWN = 'need the same port: give each its own (0 takes a free one)';
const NO_GRPC = 'need the same port: leave --grpc out, for --https serves gRPC too, or give it its own';

test.each([
  ['--http 127.0.0.1:9 --https 127.0.0.1:9', [`--https 127.0.0.1:9 and --http 127.0.0.1:9 ${OWN}`]],
  ['--https 0.0.0.0:8080', [`--https 0.0.0.0:8080 and --http 127.0.0.1:8080 ${OWN}`]],
  ['--http [::1]:9 --https [::]:9', [`--https [::]:9 and --http [::1]:9 ${OWN}`]],
  [
    '--http 127.0.0.1:9 --grpc 127.0.0.1:9 --https 127.0.0.1:9',
    [`--https 127.0.0.1:9 and --http 127.0.0.1:9 ${OWN}`, `--https 127.0.0.1:9 and --grpc 127.0.0.1:9 ${NO_GRPC}`],
  ],
  [
    '--http 127.0.0.1:8 --grpc 127.0.0.1:9 --https 127.0.0.1:9',
    [`--https 127.0.0.1:9 and --grpc 127.0.0.1:9 ${NO_GRPC}`],
  ],
])('%s is refused', (words, faults) => {
  expect(() => configOf(`${words} ${ACCESS}`)).toThrow(new UsageError(faults.join('\n')));
});

test.each([
  ['--rules-min-loaded 90%', '--rules-min-loaded 90%: must be a percentage from 0 to 100, such as 90'],
  ['--rules-min-loaded 101', '--rules-min-loaded 101: must be a percentage from 0 to 100, such as 90'],
  ['--rules-min-loaded -1', '--rules-min-loaded -1: must be a percentage from 0 to 100, such as 90'],
  ['--rules-strict --rules-min-loaded 5', '--rules-strict and --rules-min-loaded exclude each other'],
])('F-11 %s is refused', (words, fault) => {
  expect(() => configOf(`${words} ${ACCESS}`)).toThrow(new UsageError(fault));
});

test('F-11 the share of rules that must load, as given; left out it is the default that the help names', () => {
  expect(configOf(`--rules-min-loaded 99.5 ${ACCESS}`)).toMatchObject({rulesMinLoaded: 99.5, rulesStrict: false});
  expect(configOf(`--rules-strict ${ACCESS}`)).toMatchObject({rulesMinLoaded: undefined, rulesStrict: true});
  const {minLoadedPercent} = DEFAULT_RULE_POLICY;
  expect(serveOptions['rules-min-loaded'].doc).toContain(`(default ${minLoadedPercent})`);
});

test.each([
  '--http 127.0.0.1:0 --https 127.0.0.1:0',
  '--http 127.0.0.1:9 --grpc 127.0.0.1:9',
  '--http 127.0.0.1:9 --https 127.0.0.2:9',
  '--http [::1]:9 --https 0.0.0.0:9',
])('%s is taken', words => {
  expect(configOf(`${words} ${ACCESS}`)).toBeDefined();
});
