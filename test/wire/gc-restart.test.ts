// SPDX-License-Identifier: Apache-2.0
/** Garbage collection over a kill of the server. Ref: requirements E-199, E-239. */
import {expect, test} from 'vitest';
import {quiet, scratch, serve} from '../support/palisade.ts';
import {ENDPOINTS, endpoints, WireClient} from './support.ts';

test('E-199 E-239 a killed server finishes garbage collection and timed deletions after its start', async () => {
  using folder = scratch();
  const flags = [...quiet(folder.dir), '--apis', 'kubernetes'];
  const path = ENDPOINTS.replace('/one/', '/default/');
  const first = await serve(flags);
  const before = new WireClient(first.ready.http);
  const {uid} = (await before.send('POST', path, {body: endpoints('owner')})).body.metadata;
  const ownerReferences = [{apiVersion: 'v1', kind: 'Endpoints', name: 'owner', uid}];
  for (let i = 0; i < 50; i++)
    await before.send('POST', path, {body: endpoints(`d${i}`, undefined, {ownerReferences})});
  await before.send('POST', path, {body: endpoints('timed')});
  await before.send('DELETE', `${path}/timed`, {body: {gracePeriodSeconds: 1}});
  await before.send('DELETE', `${path}/owner`);
  await first.stop('SIGKILL');
  await using second = await serve(flags);
  const after = new WireClient(second.ready.http);
  expect((await after.send('GET', `${path}/owner`)).status).toBe(404);
  await expect
    .poll(async () => (await after.send('GET', '/api/v1/endpoints')).body.items.length, {timeout: 20_000})
    .toBe(0);
  expect((await after.send('GET', `${path}/timed`)).status).toBe(404);
});
