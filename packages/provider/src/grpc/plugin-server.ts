// SPDX-License-Identifier: Apache-2.0
/** A provider on a loopback port, as the Pulumi CLI and other engines start it. */
import {Server, ServerCredentials} from '@grpc/grpc-js';
import type {Provider} from '../provider.ts';
import {ResourceProviderService} from './protocol.ts';
import {providerService} from './provider-service.ts';

export interface PluginServer {
  /** On 127.0.0.1. */
  readonly port: number;
  /** Tells the provider to stop, lets running calls answer for at most `graceMs`, then closes. */
  stop(graceMs: number): Promise<void>;
}

/** States can be large: messages have no limit. */
const UNLIMITED = -1;

export async function startPluginServer(provider: Provider): Promise<PluginServer> {
  const server = new Server({
    'grpc.max_receive_message_length': UNLIMITED,
    'grpc.max_send_message_length': UNLIMITED,
  });
  server.addService(ResourceProviderService, providerService(provider));
  const bound = Promise.withResolvers<number>();
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
    if (error === null) bound.resolve(port);
    else bound.reject(error);
  });
  const port = await bound.promise;
  return {port, stop: graceMs => stop(server, provider, graceMs)};
}

async function stop(server: Server, provider: Provider, graceMs: number): Promise<void> {
  provider.cancel();
  const closed = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    server.forceShutdown();
    closed.resolve();
  }, graceMs);
  server.tryShutdown(() => closed.resolve());
  await closed.promise;
  clearTimeout(timer);
}
