// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {networkOf, unansweredOf} from './pool-answers.ts';

test('every Linux host answers the default pool', async () => {
  expect(await unansweredOf('127.77.0.0/16')).toEqual([]);
});

test('no host answers the addresses of documentation (RFC 5737)', async () => {
  expect(await unansweredOf('192.0.2.0/28')).toEqual(['192.0.2.1', '192.0.2.14']);
});

test.each([
  ['10.77.0.5/16', '10.77.0.0/16'],
  ['127.77.0.0/16', '127.77.0.0/16'],
])('the network of the pool %s is %s', (pool, network) => {
  expect(networkOf(pool)).toBe(network);
});
