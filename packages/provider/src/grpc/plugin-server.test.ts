// SPDX-License-Identifier: Apache-2.0
import {credentials, Server} from '@grpc/grpc-js';
import {expect, test, vi} from 'vitest';
import {createPlatformProvider} from '../platform-provider.ts';
import type {Provider} from '../provider.ts';
import {testHost} from '../testing/test-host.ts';
import {startPluginServer} from './plugin-server.ts';
import {Empty, providerMessages, ResourceProviderClient} from './protocol.ts';

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
