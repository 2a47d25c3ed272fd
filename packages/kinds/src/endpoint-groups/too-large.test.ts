// SPDX-License-Identifier: Apache-2.0
/** What registrations offer does not fit into one object: those that came first are served as always. */
import {afterEach, beforeEach, expect, test} from 'vitest';
import {GroupsApi, ips} from './testing/groups-api.ts';

let api: GroupsApi;
beforeEach(async () => {
  api = await GroupsApi.open({limits: {objectBytesMax: 40_000}});
});
afterEach(() => api[Symbol.asyncDispose]());

const PORTS = [{name: 'http', port: 80, check: {failureThreshold: 1}}];
const NODE = Array.from({length: 4}, () => 'n'.repeat(60)).join('.');

/** Each of 16 addresses with a long name of its node: 20 do not fit. */
const registerLarge = async (from: number, to: number): Promise<void> => {
  for (let i = from; i < to; i++) {
    const addresses = Array.from({length: 16}, (_, j) => `10.2.${i}.${j}`);
    await api.registrations.make({name: `large-${i}`}, {spec: {group: 'web', addresses, nodeName: NODE}});
  }
  await api.settle();
};

const counts = async (): Promise<readonly [ready: number, notReady: number]> => {
  const [ready, notReady] = await api.addresses();
  return [ready.length, notReady.length];
};

test('46-1 registrations beyond the size of an object are left out, and the others stay in and are checked on', async () => {
  await api.group({members: ips('10.1.0.1'), selector: {}, ports: PORTS});
  await api.register('old', {addresses: ['10.1.0.2']});
  api.time.advance(1_000); // by age: the large ones are newer
  await registerLarge(0, 20);
  api.prober.report('');
  await api.settle();
  const [ready] = await api.addresses();
  expect([ready.slice(0, 2), ready.length > 50, ready.length < 200]).toEqual([['10.1.0.1', '10.1.0.2'], true, true]);
  const {total, conditions} = await api.status();
  expect([total, conditions[0].status, conditions[0].reason]).toEqual([ready.length, 'True', 'TooManyPairs']);
  const leftOut = 322 - ready.length;
  expect(conditions[0].message).toMatch(new RegExp(`^${ready.length} pairs .* into one object; ${leftOut} more, `));
  api.prober.report('10.1.0.2', 'refused');
  await api.settle();
  expect((await api.addresses())[1]).toEqual(['10.1.0.2']);
  expect((await api.eventTexts()).filter(text => text.startsWith('TooManyPairs'))).toHaveLength(1);
});

test('46-1 a restart leaves out the same ones', async () => {
  await api.group({members: ips('10.1.0.1'), selector: {}, ports: PORTS});
  await registerLarge(0, 12);
  await registerLarge(12, 20);
  api.prober.report('');
  await api.settle();
  const before = [await api.stored(), await counts()];
  await api.restart({isKilled: true});
  expect([await api.stored(), await counts()]).toEqual(before);
});

test('46-1 who was left out is in when there is room, or the group is changed', async () => {
  await api.group({selector: {}, ports: PORTS});
  await registerLarge(0, 20);
  const [, some] = await counts();
  for (let i = 0; i < 15; i++) await api.registrations.remove(`large-${i}`);
  await api.settle();
  expect(await counts()).toEqual([0, 5 * 16]);
  expect((await api.conditions()).Composed).toEqual(['True', 'Composed']);
  await registerLarge(20, 40);
  expect((await counts())[1]).toBeLessThan(some + 16);
  await api.groups.put('web', {spec: {selector: {matchLabels: {'platform.io/group': 'other'}}, ports: PORTS}});
  await api.settle();
  expect((await api.conditions()).Composed).toEqual(['True', 'Composed']);
});
