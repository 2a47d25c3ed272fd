// SPDX-License-Identifier: Apache-2.0
import {Worker} from 'node:worker_threads';
import {expect, test} from 'vitest';
import {PortOwner} from './port-owner.ts';

/** Answers all but `count`, which ends it. */
const THREAD = `const {parentPort} = require('node:worker_threads');
parentPort.on('message', ({id, what}) => (what === 'count' ? process.exit() : parentPort.postMessage({id, done: true})));`;

test('43-3 a thread that ends is said for each endpoint whose ports it had; a later endpoint gets a new one', async () => {
  const owner = new PortOwner(1_000, () => new Worker(THREAD, {eval: true}));
  const wish = {ip: '127.77.0.1', vni: 1, acceptAnyVni: false, mirrorFrom: []};
  const [first, second] = [await owner.open(wish), await owner.open({...wish, ip: '127.77.0.2'})];
  expect([first.ended(), second.ended()]).toEqual([undefined, undefined]);
  await first.count();
  expect([first.ended(), second.ended()]).toEqual(['its thread ended', 'its thread ended']);
  const third = await owner.open({...wish, ip: '127.77.0.3'});
  expect(third.ended()).toBeUndefined();
  for (const each of [first, second, third]) await each.close();
});
