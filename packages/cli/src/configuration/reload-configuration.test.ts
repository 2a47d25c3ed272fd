// SPDX-License-Identifier: Apache-2.0
/** What a reload says became of the keys that changed. */
import {expect, test} from 'vitest';
import {UsageError} from '../command-line/io.ts';
import {readOptions} from '../command-line/options.ts';
import {serveOptions} from '../serve/serve-options.ts';
import {parseConfiguration} from './read-file.ts';
import {reloadSource} from './reload-configuration.ts';
import {settle} from './settle.ts';

const read = (text: string) =>
  settle(readOptions(['--auth', 'none'], serveOptions), parseConfiguration(text, 'p.yaml', '/'), {env: {}, cwd: '/'});

test('43-5 changed keys were applied, failed or need a restart, which is said until the server has them', async () => {
  const lines: unknown[] = [];
  const log = {
    info: (fields: object, message: string) => void lines.push([message, fields]),
    error: (fields: object, message: string) => void lines.push([message, fields]),
  };
  const texts = [
    'driver: relay\nlogLevel: debug\nrules: [a]\n',
    'drivr: relay\n',
    'driver: relay\nlogLevel: debug\nrules: [a]\nthreatsAge: 3d\nlimits: {diskFloor: 1MiB}\n',
    'logLevel: debug\nrules: [a]\nthreatsAge: 3d\n',
  ];
  const source = reloadSource(
    read('logLevel: info\n'),
    async () => {
      const text = texts.shift();
      if (text === undefined) throw new Error('a bug');
      return read(text);
    },
    log,
  );
  const outcomes = [
    {applied: ['logLevel'], failed: ['rules'], reasons: {}},
    {applied: ['logLevel', 'rules', 'threatsAge'], failed: [], reasons: {}},
    {applied: ['logLevel', 'rules', 'threatsAge'], failed: [], reasons: {}},
  ];
  for (let turn = 0; turn < 5; turn += 1) {
    if ((await source.read()) !== undefined) source.done(outcomes.shift() ?? {applied: [], failed: [], reasons: {}});
  }
  expect(lines).toEqual([
    ['configuration reloaded in part', {applied: ['logLevel'], needsRestart: ['driver'], failed: ['rules']}],
    [
      'configuration reload failed, nothing was changed',
      {faults: ['p.yaml:1:1: drivr: unknown key; did you mean "driver"?']},
    ],
    ['configuration reloaded', {applied: ['rules', 'threatsAge'], needsRestart: ['driver', 'limits.diskFloor']}],
    ['configuration reloaded', {applied: [], needsRestart: []}],
    ['configuration reload failed, nothing was changed', {err: new Error('a bug')}],
  ]);
  expect(() => read('drivr: relay\n')).toThrow(UsageError);
});

test('43-5 a broken rule file is "rules" with its reasons, and no key that nobody touched is named', async () => {
  const lines: object[] = [];
  const log = {info: () => {}, error: (fields: object) => void lines.push(fields)};
  const texts = ['rules: [a]\ndisableSid: ["1"]\n', 'rules: [a]\ndisableSid: ["2"]\n'];
  const source = reloadSource(read('rules: [a]\ndisableSid: ["1"]\n'), async () => read(texts.shift() ?? ''), log);
  const reasons = {rules: {default: '1 of 2 rules is refused'}};
  for (let turn = 0; turn < 2; turn += 1) {
    await source.read();
    source.done({applied: [], failed: ['rules', 'disableSid', 'ruleSets'], reasons});
  }
  expect(lines).toEqual([
    {applied: [], needsRestart: [], failed: ['rules'], reasons},
    {applied: [], needsRestart: [], failed: ['disableSid'], reasons},
  ]);
});

test('48-3 backup keys of a file without backupDir: each is named with its place and value, at the start and at a reload', async () => {
  const text = 'logLevel: debug\nbackupKeep: 5\nbackupEvery: 2h\n';
  const faults = [
    'p.yaml:3:14: backupEvery 2h: has no effect without backupDir; set that, or remove this',
    'p.yaml:2:13: backupKeep 5: has no effect without backupDir; set that, or remove this',
  ];
  expect(() => read(text)).toThrow(new UsageError(faults.join('\n')));
  const lines: unknown[] = [];
  const log = {info: () => {}, error: (fields: object, message: string) => void lines.push([message, fields])};
  const source = reloadSource(read('logLevel: info\n'), async () => read(text), log);
  expect(await source.read()).toBeUndefined(); // the other keys are not applied either: the log says so
  expect(lines).toEqual([['configuration reload failed, nothing was changed', {faults}]]);
});
