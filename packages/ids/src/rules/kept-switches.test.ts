// SPDX-License-Identifier: Apache-2.0
import {openMemoryStore} from '@palisade/store/memory';
import {expect, test} from 'vitest';
import {keptSwitches} from './kept-switches.ts';

test('49-3 rules that are turned on and off are kept by set, and read by the next server', async () => {
  await using store = await openMemoryStore();
  const off = {'1:1': {state: 'DISABLED', user: 'ann', time: '2026-01-31T08:00:00Z'}} as const;
  expect(await keptSwitches(store).read()).toEqual({});
  await keptSwitches(store).save('default', off);
  await keptSwitches(store).save('dmz', off);
  await keptSwitches(store).save('dmz', {});
  expect(await keptSwitches(store).read()).toEqual({default: off, dmz: {}});
});
