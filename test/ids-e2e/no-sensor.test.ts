// SPDX-License-Identifier: Apache-2.0
/** `palisade serve --sensors-at`: what a location without a sensor does. Through a socket of the real server. */
import {expect, test} from 'vitest';
import {RestClient} from '../ids/rest-client.ts';
import {quiet, scratch, serve} from '../support/palisade.ts';

const PARENT = 'projects/p/locations/europe-west1-b';

test('I-074 in a location without a sensor an endpoint stays CREATING, the operation says why, and nothing is READY', async () => {
  using folder = scratch();
  const flags = [...quiet(folder.dir), '--apis', 'ids', '--locations', 'europe-west1-b', '--sensors-at', 'local'];
  let operation = '';
  {
    await using server = await serve(flags);
    const client = new RestClient(server.ready.http);
    const created = await client.create(PARENT, 'e1');
    expect(created.status, created.text).toBe(200);
    operation = created.body.name;
    await client.create(PARENT, 'e2');
    // Each answer stands behind a write of its own, so the reconciler had its turns.
    for (const label of ['a', 'b', 'c'])
      expect((await client.patch(`${PARENT}/endpoints/e1`, {updateMask: 'labels'}, {labels: {label}})).status).toBe(
        409,
      );
    const held = (await client.get(operation)).body;
    expect(held.done ?? false).toBe(false);
    expect(held.metadata.statusMessage).toBe(
      'waiting for a sensor: no sensor is attached to the location "europe-west1-b"',
    );
    const {endpoints} = (await client.get(`${PARENT}/endpoints`)).body;
    expect(endpoints.map((e: {state: string}) => e.state)).toEqual(['CREATING', 'CREATING']);
    expect(endpoints.map((e: {endpointIp?: string}) => e.endpointIp)).toEqual([undefined, undefined]);
  }
  // The same after a restart; and an endpoint that waits can be given up.
  await using server = await serve(flags);
  const client = new RestClient(server.ready.http);
  expect((await client.get(operation)).body.metadata.statusMessage).toContain('no sensor is attached');
  expect((await client.get(`${PARENT}/endpoints`, {filter: 'state=READY'})).body).toEqual({});
  expect((await client.post(`${operation}:cancel`, {})).status).toBe(200);
  await expect.poll(async () => (await client.get(operation)).body.done, {timeout: 10_000}).toBe(true);
  expect((await client.get(operation)).body.error.code).toBe(1);
  expect((await client.get(`${PARENT}/endpoints/e1`)).status).toBe(404);
  expect((await client.get(`${PARENT}/endpoints/e2`)).body.state).toBe('CREATING');
});
