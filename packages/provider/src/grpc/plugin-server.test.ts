// SPDX-License-Identifier: Apache-2.0
import {credentials, Server} from '@grpc/grpc-js';
import {expect, test, vi} from 'vitest';
import type {Provider} from '../provider.ts';
import {createCloudnativeProvider} from '../providers/cloudnative-provider.ts';
import {createPlatformProvider} from '../providers/platform-provider.ts';
import {testHost, urnOf} from '../testing/test-host.ts';
import {startPluginServer} from './plugin-server.ts';
import {Empty, encodeStruct, providerMessages, ResourceProviderClient} from './protocol.ts';

const GRACE_MS = 60_000;

/** The library forgets a connection that the client is closing just then, and never calls back. */
const neverShutsDown = () => vi.spyOn(Server.prototype, 'tryShutdown').mockImplementation(() => undefined);

test('a connection that is being closed does not hold up the end', async () => {
  using _forgetful = neverShutsDown();
  const server = await startPluginServer(createPlatformProvider(testHost()));
  expect(await server.stop(GRACE_MS)).toBeUndefined();
});

test('a call that runs answers before the end', async () => {
  using _forgetful = neverShutsDown();
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const provider: Provider = createPlatformProvider(testHost());
  provider.delete = async () => {
    begun.resolve();
    await held.promise;
  };
  const server = await startPluginServer(provider);
  const client = new ResourceProviderClient(`127.0.0.1:${server.port}`, credentials.createInsecure());
  const answer = Promise.withResolvers<unknown>();
  client.delete(new providerMessages.DeleteRequest(), (error, empty) =>
    error ? answer.reject(error) : answer.resolve(empty),
  );
  await begun.promise;
  const stopped = server.stop(GRACE_MS);
  held.resolve();
  expect(await answer.promise).toBeInstanceOf(Empty);
  await stopped;
  client.close();
});

test('F-28 a warning of a check is shown to the user, as the protocol has no place for it', async () => {
  const lines: string[] = [];
  const provider = createCloudnativeProvider(testHost());
  await provider.configure({inputs: {}});
  const server = await startPluginServer(provider, line => lines.push(line));
  const client = new ResourceProviderClient(`127.0.0.1:${server.port}`, credentials.createInsecure());
  const request = new providerMessages.CheckRequest();
  const urn = urnOf('cloudnative:intrusion/v1:Endpoint', 'guard');
  const news = {
    endpointId: 'guard',
    project: 'p',
    location: 'l',
    network: 'n',
    severity: 'LOW',
    threatExceptions: ['T-1'],
  };
  request
    .setUrn(urn)
    .setOlds(encodeStruct({}, {keepSecrets: true}))
    .setNews(encodeStruct(news, {keepSecrets: true}));
  const answer = Promise.withResolvers<number>();
  client.check(request, (error, response) =>
    error ? answer.reject(error) : answer.resolve(response.getFailuresList().length),
  );
  expect(await answer.promise).toBe(0);
  expect(lines).toEqual([expect.stringContaining(`warning: ${urn}: threatExceptions[0]: "T-1" is not a threat id`)]);
  client.close();
  await server.stop(GRACE_MS);
});
