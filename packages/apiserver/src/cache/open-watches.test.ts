// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {silentLog} from '../base/log.ts';
import {OpenWatches} from './open-watches.ts';
import {ManualTurns} from './testing/manual-fan-out.ts';

const told = () => {
  const time = new ManualTurns();
  const lines: object[] = [];
  const watches = new OpenWatches(time, time, {...silentLog, error: fields => void lines.push(fields)});
  return {time, lines, watches};
};

test('watches that fail of the same are one line with the fault; those of a second later are another', () => {
  const {time, lines, watches} = told();
  const err = new Error('it cannot be encoded');
  for (const path of ['/one', '/two', '/three']) watches.tellFault(err, path);
  time.pass(999);
  watches.tellFault(err, '/three');
  time.pass(1);
  watches.tellFault(err, '/four');
  expect(lines).toEqual([
    {err, path: '/one'},
    {err, path: '/four'},
  ]);
});

test('another fault is another line, up to twenty within a second', () => {
  const {lines, watches} = told();
  const faults = Array.from({length: 25}, (_, i) => new Error(`fault ${i}`));
  for (const err of faults) watches.tellFault(err, '/one');
  expect(lines).toEqual(faults.slice(0, 20).map(err => ({err, path: '/one'})));
});
