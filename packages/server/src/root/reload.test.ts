// SPDX-License-Identifier: Apache-2.0
/** What is read again while the server runs: in turn, each part told, and nothing after the end. */
import {plainRuleSet, SensorError, type SetOutcome} from '@palisade/sensor';
import {expect, test} from 'vitest';
import type {ServeConfig} from '../parts/config.ts';
import {Reload} from './reload.ts';
import {reloadRules} from './reload-rules.ts';

test('of the times it is asked for while it runs, one more run comes', async () => {
  const reload = new Reload();
  const waiting: (() => void)[] = [];
  let runs = 0;
  reload.add('log', () => {
    runs += 1;
    return new Promise(resolve => waiting.push(() => resolve('applied')));
  });
  const source = {read: async () => ({}) as ServeConfig, done: () => {}};
  const all = reload.run(source);
  for (let i = 0; i < 3; i++) await reload.run(source);
  await expect.poll(() => runs).toBe(1);
  waiting.shift()?.();
  await expect.poll(() => runs).toBe(2);
  waiting.shift()?.();
  await all;
  expect(runs).toBe(2);
  reload.end();
  await reload.run(source);
  expect(runs).toBe(2);
});

test('rules that were taken, and why others were not, are told; nothing of a host that is being closed', async () => {
  const said: unknown[] = [];
  const log = {
    info: (fields: object) => void said.push(fields),
    error: (fields: object, message?: string) => void said.push([fields, message]),
  };
  const none = {count: 0, listed: []};
  const taken = {
    version: 'v2',
    rules: 7,
    refused: undefined,
    report: {given: 7, loaded: 7, refused: none, skipped: none, disabled: 0},
  };
  const plan = {ruleSets: [plainRuleSet(['a.rules'])], bindings: [], endpointVars: []};
  const outcome = {id: 'default', previousVersion: 'v1'};
  const refused = new SensorError('no-rules', 'rule set "b": No rule in b.rules');
  expect(await reloadRules({setRulePlan: async () => [{...outcome, status: taken}]}, plan, log)).toBeUndefined();
  const both: SetOutcome[] = [
    {...outcome, id: 'b', error: refused},
    {...outcome, id: 'c', status: taken},
  ];
  expect(await reloadRules({setRulePlan: async () => both}, plan, log)).toEqual({
    reasons: {b: 'rule set "b": No rule in b.rules'},
  });
  const listed = [1, 2, 3, 4].map(line => ({file: 'a.rules', number: line, line, rule: 'alert', reason: 'no'}));
  const report = {given: 4, loaded: 0, refused: {count: 4, listed}, skipped: none, disabled: 0};
  const broken = new Error('a bug');
  for (const error of [
    new SensorError('rule-error', '4 of 4 rules are refused; …', {
      refusal: {words: '4 of 4 rules are refused', report},
    }),
    new SensorError('no-rules', 'No rule in a.rules'),
    new SensorError('aborted', 'given up'),
    new SensorError('closed', 'it is closed'),
    broken,
  ])
    expect(await reloadRules({setRulePlan: () => Promise.reject(error)}, plan, log)).toEqual({
      reasons: {rules: expect.stringContaining(error === broken ? 'a bug' : (error.message.split(';')[0] ?? ''))},
    });
  const notTaken = 'rule set reload failed, the previous rule set stays active';
  expect(said).toEqual([
    {version: 'v2', rules: 7},
    [{code: 'no-rules'}, `${notTaken}: rule set "b": No rule in b.rules`],
    {version: 'v2', rules: 7, set: 'c'},
    [
      {
        code: 'rule-error',
        refused: [1, 2, 3, 4].map(
          line => `rule ${line} of a.rules (line ${line}): no; fix it or comment it out: alert`,
        ),
      },
      `${notTaken}: 4 of 4 rules are refused`,
    ],
    [{code: 'no-rules'}, `${notTaken}: No rule in a.rules`],
    [{err: broken}, notTaken],
  ]);
});

test('43-5 what failed for the files of its keys is said with its reasons', async () => {
  const reload = new Reload();
  const reasons = {default: '1 of 2 rules is refused'};
  reload.add('rules', async () => ({reasons}));
  reload.add('log', async () => 'applied');
  const done: unknown[] = [];
  await reload.run({read: async () => ({}) as ServeConfig, done: reloaded => void done.push(reloaded)});
  expect(done).toEqual([
    {applied: ['logLevel'], failed: expect.arrayContaining(['rules']), needsRestart: [], reasons: {rules: reasons}},
  ]);
});
