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
