// SPDX-License-Identifier: Apache-2.0
/** What is read again while the server runs: in turn, each part told, and nothing after the end. */
import {SensorError} from '@palisade/sensor';
import {expect, test} from 'vitest';
import {Reload, reloadRules} from './reload.ts';

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
    error: (fields: object, message?: string) => void said.push([(fields as {err: Error}).err.message, message]),
  };
  const taken = {version: 'v2', rules: 7, refused: undefined};
  await reloadRules({setRules: async () => taken}, ['a.rules'], log);
  for (const code of ['rule-error', 'aborted', 'closed'] as const)
    await reloadRules({setRules: () => Promise.reject(new SensorError(code, `it is ${code}`))}, ['a.rules'], log);
  expect(said).toEqual([
    {version: 'v2', rules: 7},
    ['it is rule-error', 'the rules of --rules were not taken: those of before stay in force'],
  ]);
});
