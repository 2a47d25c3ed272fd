// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {effectiveCapabilities, readMachine} from './read-machine.ts';

test('43-3 the effective capabilities are those of the process, and none where they cannot be read', () => {
  const status = 'CapPrm:\t000001ffffffffff\nCapEff:\t0000000000003000\nCapBnd:\t000001ffffffffff\n';
  expect([effectiveCapabilities(status), effectiveCapabilities('')]).toEqual([0x3000n, 0n]);
});

test('43-3 this host has cores', async () => {
  expect((await readMachine(true)).cores).toBeGreaterThan(0);
});
