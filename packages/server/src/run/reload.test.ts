// SPDX-License-Identifier: Apache-2.0
/** What is read again while the server runs: in turn, each part told, and nothing after the end. */
import {SensorError} from '@palisade/sensor';
import {expect, test} from 'vitest';
import {Reload} from './reload.ts';
import {reloadRules} from './reload-rules.ts';

test('of the times it is asked for while it runs, one more run comes', async () => {
  const reload = new Reload();
  const waiting: (() => void)[] = [];
  let runs = 0;
  reload.add(() => {
    runs += 1;
    return new Promise(resolve => waiting.push(resolve));
  });
  const all = reload.run();
  for (let i = 0; i < 3; i++) await reload.run();
  expect(runs).toBe(1);
  waiting.shift()?.();
  await expect.poll(() => runs).toBe(2);
  waiting.shift()?.();
  await all;
  expect(runs).toBe(2);
  reload.end();
  await reload.run();
  expect(runs).toBe(2);
});

test('rules that were taken, and why others were not, are told; nothing of a host that is being closed', async () => {
  const said: unknown[] = [];
  const log = {
    info: (fields: object) => void said.push(fields),
    error: (fields: object, message?: string) => void said.push([fields, message]),
  };
  const taken = {version: 'v2', rules: 7, refused: undefined};
  await reloadRules({setRules: async () => taken}, ['a.rules'], log);
  const faults = [1, 2, 3, 4].map(line => ({file: 'a.rules', line, rule: 'alert', reason: 'no'}));
  const broken = new Error('a bug');
  for (const error of [
    new SensorError('rule-error', '4 rules are refused: …', {faults}),
    new SensorError('no-rules', 'No rule in a.rules'),
    new SensorError('aborted', 'given up'),
    new SensorError('closed', 'it is closed'),
    broken,
  ])
    await reloadRules({setRules: () => Promise.reject(error)}, ['a.rules'], log);
  const notTaken = 'the rules of --rules were not taken: those of before stay in force';
  expect(said).toEqual([
    {version: 'v2', rules: 7},
    [
      {code: 'rule-error', refused: [1, 2, 3, 4].map(line => `a.rules, line ${line}: no (rule: alert)`)},
      `${notTaken}: 4 rules are refused`,
    ],
    [{code: 'no-rules'}, `${notTaken}: No rule in a.rules`],
    [{err: broken}, notTaken],
  ]);
});
