// SPDX-License-Identifier: Apache-2.0
import {once} from 'node:events';
import {createServer} from 'node:net';
import {type FakeIdsServer, startFakeIdsServer} from '@palisade/client/testing';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import type {Provider} from '../provider.ts';
import {createCloudnativeProvider} from '../providers/cloudnative-provider.ts';
import {testHost, urnOf} from '../testing/test-host.ts';
import {type PropertyMap, Secret, UNKNOWN} from '../value.ts';

const urn = urnOf('cloudnative:intrusion/v1:Endpoint', 'guard');
const id = 'projects/p1/locations/zone-a/endpoints/guard';
const INPUTS = {endpointId: 'guard', project: 'p1', location: 'zone-a', network: 'n1', severity: 'LOW'};
const TYPO = {...INPUTS, location: 'mars'};
const MOVED = {deleteBeforeReplace: true, replaces: ['location']};

let server: FakeIdsServer;
let provider: Provider;
beforeEach(async () => {
  server = await startFakeIdsServer();
  server.behaviour.locations = ['zone-a', 'zone-b'];
  provider = await connected(server.url);
});
afterEach(() => server[Symbol.asyncDispose]());

async function connected(url: string, host = testHost({PALISADE_SERVER: url})): Promise<Provider> {
  const made = createCloudnativeProvider(host);
  await made.configure({inputs: {}});
  return made;
}

const diff = (news: PropertyMap, by = provider) => by.diff({urn, id, olds: {}, oldInputs: INPUTS, news});
const preview = (news: PropertyMap, by = provider) => by.create({urn, news, preview: true});
const asked = () => server.requests.map(({method, path}) => `${method} ${path}`);
const refusal = (locations: string) => ({
  code: 'invalid-argument',
  message: `location: invalid value "mars": the server ${server.url} has the locations ${locations}`,
});

describe('a location that the server does not have', () => {
  test('I-034 is told by the preview of a creation', async () => {
    await expect(preview(TYPO)).rejects.toMatchObject(refusal('zone-a, zone-b'));
  });

  test('I-034 I-112 is told before the original is deleted for its replacement', async () => {
    await expect(diff(TYPO)).rejects.toMatchObject(refusal('zone-a, zone-b'));
    await expect(diff({...TYPO, location: new Secret('mars')})).rejects.toMatchObject(refusal('zone-a, zone-b'));
  });

  test.each([1_000, 5, 12])('ten of many are named, in pages of %i', async locationsPerPage => {
    server.behaviour.locations = Array.from({length: 12}, (_, i) => `z${i}`);
    server.behaviour.locationsPerPage = locationsPerPage;
    await expect(diff(TYPO)).rejects.toMatchObject(refusal('z0, z1, z2, z3, z4, z5, z6, z7, z8, z9 and 2 more'));
  });
});

describe('no fault', () => {
  test('a location that is there: one question', async () => {
    expect(await diff({...INPUTS, location: 'zone-b'})).toMatchObject(MOVED);
    expect((await preview(INPUTS)).properties).toMatchObject(INPUTS);
    expect(asked()).toEqual(['GET /v1/projects/p1/locations/zone-b', 'GET /v1/projects/p1/locations/zone-a']);
  });

  test('nobody is asked for an endpoint that stays in its place, nor for a place that is not known yet', async () => {
    await diff({...INPUTS, severity: 'HIGH', network: 'n2', endpointId: 'other'});
    await diff({...INPUTS, location: UNKNOWN});
    await diff({...TYPO, project: UNKNOWN});
    await preview({...INPUTS, location: UNKNOWN});
    expect(asked()).toEqual([]);
  });

  test('a server that tells nothing of its locations', async () => {
    server.behaviour.locations = undefined;
    expect(await diff(TYPO)).toMatchObject(MOVED);
    server.behaviour.locations = [];
    expect(await diff(TYPO)).toMatchObject(MOVED);
  });

  test('a server that is busy or cannot be reached, or none at all', async () => {
    server.behaviour.unavailable = 1;
    expect(await diff(TYPO)).toMatchObject(MOVED);
    const away = await startFakeIdsServer();
    await away[Symbol.asyncDispose]();
    for (const url of [away.url, '']) {
      const other = await connected(url);
      expect(await diff(TYPO, other)).toMatchObject(MOVED);
      expect((await preview(TYPO, other)).properties).toMatchObject(TYPO);
    }
  });

  test('a server that never answers is given up after five seconds, at once when the provider is told to stop', async () => {
    const silent = createServer();
    await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve));
    try {
      const {port} = silent.address() as {port: number};
      const host = testHost({PALISADE_SERVER: `http://127.0.0.1:${port}`});
      const other = await connected('', host);
      const isAsked = once(silent, 'connection');
      const first = diff(TYPO, other);
      let isOver = false;
      void first.then(() => {
        isOver = true;
      });
      await isAsked;
      await host.sleep(4_900, new AbortController().signal);
      expect(isOver).toBe(false);
      await host.sleep(100, new AbortController().signal);
      expect(await first).toMatchObject(MOVED);
      const second = diff(TYPO, other);
      other.cancel();
      expect(await second).toMatchObject(MOVED);
    } finally {
      silent.close();
    }
  });
});
