// SPDX-License-Identifier: Apache-2.0
import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {withTimerSlack} from './timer-slack.ts';

const SLACK = '/proc/self/timerslack_ns';
const ours = (): string => readFileSync(SLACK, 'latin1').trim();
const ofAChild = (): string => execFileSync('cat', [SLACK], {encoding: 'latin1'}).trim();

test.skipIf(!existsSync(SLACK))(
  'a child that is spawned in it has the slack; ours is as before, also when that fails',
  () => {
    const before = ours();
    expect(withTimerSlack(7_000_000, ofAChild)).toBe('7000000');
    expect(() =>
      withTimerSlack(7_000_000, () => {
        throw new Error('no such program');
      }),
    ).toThrow('no such program');
    expect([ours(), ofAChild()]).toEqual([before, before]);
  },
);
