// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {RULE_SWITCHES_MAX} from '../limits.ts';
import {plainSource} from '../rules/sources.ts';
import {changedSwitches, type RuleSwitches, withSwitches} from './rule-switches.ts';
import {Switchboard} from './switchboard.ts';

const WHO = {user: 'ann', time: '2026-01-31T08:00:00Z'};
const NONE = {enable: [], disable: [], reset: [], ...WHO};
const plan = (...names: readonly string[]) => ({
  ruleSets: names.map(name => ({name, sources: [plainSource('/a'), plainSource('/b')], thresholds: []})),
  ...{bindings: [], endpointVars: []},
});
const switchedOf = (of: ReturnType<typeof withSwitches>) =>
  of.ruleSets.map(({sources}) => sources.map(({switched}) => switched));

test('49-3 switches of a set are in each of its sources and in no other set, once, however often they are put in', () => {
  const switches = changedSwitches({}, 'dmz', {...NONE, enable: ['1:2'], disable: ['1:9', '1:1']});
  const switched = {enable: ['1:2'], disable: ['1:1', '1:9']};
  const once = withSwitches(plan('default', 'dmz'), switches);
  expect(switchedOf(once)).toEqual([
    [undefined, undefined],
    [switched, switched],
  ]);
  expect(withSwitches(once, switches)).toEqual(once);
  expect(withSwitches(once, changedSwitches(switches, 'dmz', {...NONE, reset: ['1:1', '1:2', '1:9']}))).toEqual(
    plan('default', 'dmz'), // the plan of a host that never had switches, so that its verified sets are used again
  );
});

test('49-3 a later switch replaces an earlier one, with who and when; too many are refused with the way out', () => {
  const first = changedSwitches({}, 'default', {...NONE, disable: ['1:1']});
  expect(changedSwitches(first, 'default', {...NONE, enable: ['1:1'], user: 'bob'})).toEqual({
    default: {'1:1': {state: 'ENABLED', user: 'bob', time: WHO.time}},
  });
  const disable = Array.from({length: RULE_SWITCHES_MAX + 1}, (_, sid) => `1:${sid}`);
  expect(() => changedSwitches({}, 'default', {...NONE, disable})).toThrow('reset some, or use the lists');
});

test('49-3 a host begins with the switches that are kept', async () => {
  const kept: RuleSwitches = {default: {'1:1': {state: 'DISABLED', ...WHO}}};
  const board = await Switchboard.open({read: async () => kept, save: async () => {}});
  expect(switchedOf(board.planWith(plan('default')))[0]?.[0]).toEqual({enable: [], disable: ['1:1']});
});
