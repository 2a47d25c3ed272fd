// SPDX-License-Identifier: Apache-2.0
import {startJsonServer} from '@palisade/client/testing';
import {describe, expect, test} from 'vitest';
import {testHost, urnOf} from '../testing/test-host.ts';
import {type PropertyMap, UNKNOWN} from '../value.ts';
import {createCloudnativeProvider} from './cloudnative-provider.ts';

describe('the address of the server', () => {
  const faults = async (news: PropertyMap, env: Record<string, string> = {}) => {
    const {failures} = await createCloudnativeProvider(testHost(env)).checkConfig({urn: 'u', olds: {}, news});
    return failures.map(({property, reason}) => `${property}: ${reason}`);
  };
  const wrong = 'invalid value "foo": expected http(s)://HOST:PORT';

  test('checkConfig refuses the one of the configuration, else that of the environment', async () => {
    expect(await faults({endpoint: 'foo'}, {PALISADE_SERVER: 'http://h'})).toEqual([`endpoint: ${wrong}`]);
    expect(await faults({}, {PALISADE_SERVER: 'foo'})).toEqual([`: PALISADE_SERVER in the environment: ${wrong}`]);
    for (const endpoint of ['http://h', UNKNOWN])
      expect(await faults({endpoint}, {PALISADE_SERVER: 'foo'})).toEqual([]);
    expect(await faults({}, {PALISADE_SERVER: ''})).toEqual([]);
  });

  test('a call that nothing was checked before names the variable too', async () => {
    const provider = createCloudnativeProvider(testHost({PALISADE_SERVER: 'foo'}));
    await provider.configure({inputs: {}});
    const urn = urnOf('cloudnative:intrusion/v1:Endpoint', 'guard');
    const id = 'projects/p/locations/l/endpoints/guard';
    await expect(provider.read({urn, id, inputs: {}, properties: {}})).rejects.toMatchObject({
      code: 'failed-precondition',
      message: `PALISADE_SERVER in the environment: ${wrong}`,
    });
  });
});

test('F-28 checkConfig refuses a network and a severity that are none', async () => {
  const provider = createCloudnativeProvider(testHost({}));
  const news = {network: 'foo/bar', severity: 'SEVERE'};
  const {failures} = await provider.checkConfig({urn: 'u', olds: {}, news});
  expect(failures.map(({property}) => property)).toEqual(['severity', 'network']);
  expect((await provider.checkConfig({urn: 'u', olds: {}, news: {network: UNKNOWN}})).failures).toEqual([]);
});

test('a refusal for want of a credential names the ways to give one', async () => {
  await using refusing = await startJsonServer(() => ({
    status: 401,
    body: {error: {code: 401, status: 'UNAUTHENTICATED', message: 'No credential.'}},
  }));
  const provider = createCloudnativeProvider(testHost({PALISADE_SERVER: refusing.url}));
  await provider.configure({inputs: {}});
  const urn = urnOf('cloudnative:intrusion/v1:Endpoint', 'guard');
  const id = 'projects/p/locations/l/endpoints/guard';
  await expect(provider.read({urn, id, inputs: {}, properties: {}})).rejects.toMatchObject({
    code: 'unauthenticated',
    message: expect.stringMatching(
      /UNAUTHENTICATED: No credential\. Give a valid one with cloudnative:token, or with PALISADE_TOKEN\.$/,
    ),
  });
});
