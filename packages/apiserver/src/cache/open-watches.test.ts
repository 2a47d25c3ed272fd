// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {silentLog} from '../log.ts';
import {OpenWatches} from './open-watches.ts';
import {ManualTurns} from './testing/manual-fan-out.ts';

test('watches that fail together are one line with the fault; those of a second later are another', () => {
  const time = new ManualTurns();
  const lines: object[] = [];
  const watches = new OpenWatches(time, time, {...silentLog, error: fields => void lines.push(fields)});
  const err = new Error('it cannot be encoded');
  for (const path of ['/one', '/two', '/three']) watches.tellFault(err, path);
  time.pass(1_000);
  watches.tellFault(err, '/four');
  expect(lines).toEqual([
    {err, path: '/one'},
    {err, path: '/four'},
  ]);
});
