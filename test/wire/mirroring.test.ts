// SPDX-License-Identifier: Apache-2.0
/** EndpointSlices of Endpoints, as clients of a whole server see them. Ref: requirements E-254, E-259. */
import {expect, test} from 'vitest';
import {quiet, scratch, serve} from '../support/palisade.ts';
import {ENDPOINTS, WireClient} from './support.ts';

const PATH = ENDPOINTS.replace('/one/', '/default/');
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const SETS = 60;
const LARGE = 2_500;

const set = (name: string, count: number): object => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: {name},
  subsets: [
    {
      addresses: Array.from({length: count}, (_, i) => ({ip: `10.1.${i >> 8}.${i & 255}`})),
      ports: [{name: 'http', port: 80, appProtocol: 'platform.io/h2c'}],
    },
  ],
});

test('E-254 E-259 45-2 a server that is killed while it mirrors finishes after its start', async () => {
  using folder = scratch();
  const flags = [...quiet(folder.dir), '--apis', 'kubernetes'];
  const first = await serve(flags);
  const before = new WireClient(first.ready.http);
  await before.send('POST', PATH, {body: set('gone', 1)});
  await Promise.all([
    before.send('POST', PATH, {body: set('large', LARGE)}),
    before.send('DELETE', `${PATH}/gone`),
    ...Array.from({length: SETS}, (_, i) => before.send('POST', PATH, {body: set(`s${i}`, 1)})),
  ]);
  await first.stop('SIGKILL');
  await using second = await serve(flags);
  const after = new WireClient(second.ready.http);
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into by path
  const list = async (name: string): Promise<any[]> =>
    (await after.send('GET', `${SLICES}?labelSelector=kubernetes.io/service-name%3D${name}`)).body.items;
  await expect.poll(async () => (await after.send('GET', SLICES)).body.items.length, {timeout: 20_000}).toBe(SETS + 3);
  const large = await list('large');
  const found = large.flatMap(({endpoints}) => endpoints.map(({addresses}: {addresses: string[]}) => addresses[0]));
  expect([new Set(found).size, found.length]).toEqual([LARGE, LARGE]);
  expect(await list('gone')).toEqual([]);
  expect((await list('s7'))[0]).toMatchObject({
    metadata: {ownerReferences: [{kind: 'Endpoints', name: 's7', controller: true}]},
    ports: [{name: 'http', port: 80, appProtocol: 'kubernetes.io/h2c'}],
  });
});

test('45-2 the slices of 300 sets equal their addresses after a kill in the middle of mirroring', async () => {
  using folder = scratch();
  const flags = [...quiet(folder.dir), '--apis', 'kubernetes'];
  const first = await serve(flags);
  const before = new WireClient(first.ready.http);
  const names = Array.from({length: 300}, (_, i) => `s${i}`);
  const answered = new Set<string>();
  // a third of them changes at once, a third goes again
  const register = async (name: string, i: number): Promise<void> => {
    await before.send('POST', PATH, {body: set(name, 1 + (i % 7))});
    if (i % 3 === 1) await before.send('PUT', `${PATH}/${name}`, {body: set(name, 9)});
    if (i % 3 === 2) await before.send('DELETE', `${PATH}/${name}`);
    answered.add(name);
  };
  const registering = Promise.allSettled(names.map(register));
  await expect.poll(() => answered.size, {interval: 1}).toBeGreaterThan(100);
  await first.stop('SIGKILL');
  await registering;
  expect(answered.size).toBeLessThan(names.length); // else it was killed too late

  await using second = await serve(flags);
  const after = new WireClient(second.ready.http);
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into by path
  const items = async (path: string): Promise<any[]> => (await after.send('GET', path)).body.items;
  const addressesOf = (list: readonly {ip: string}[]): string =>
    list
      .map(({ip}) => ip)
      .toSorted()
      .join();
  const stored = (await items(PATH)).filter(({metadata}) => metadata.name !== 'kubernetes');
  const model = stored.map(
    ({metadata, subsets}) => `${metadata.name} ${metadata.uid} ${addressesOf(subsets[0].addresses)}`,
  );
  const mirrored = async (): Promise<string[]> =>
    (await items(SLICES))
      .filter(({metadata}) =>
        metadata.labels['endpointslice.kubernetes.io/managed-by']?.startsWith('endpointslicemirroring'),
      )
      .map(({metadata: {labels, ownerReferences}, endpoints}) => {
        const ips = endpoints.map(({addresses}: {addresses: string[]}) => ({ip: addresses[0]}));
        return `${labels['kubernetes.io/service-name']} ${ownerReferences[0].uid} ${addressesOf(ips)}`;
      })
      .toSorted();
  await expect.poll(mirrored, {timeout: 30_000}).toEqual(model.toSorted());
  const acknowledged = names.filter((name, i) => i % 3 !== 2 && answered.has(name));
  expect(stored.map(({metadata}) => metadata.name)).toEqual(expect.arrayContaining(acknowledged));
}, 90_000);
