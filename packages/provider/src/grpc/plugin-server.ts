// SPDX-License-Identifier: Apache-2.0
/** A provider on a loopback port, as the Pulumi CLI and other engines start it. */
import {Server, ServerCredentials, type UntypedServiceImplementation} from '@grpc/grpc-js';
import type {Provider} from '../provider.ts';
import {ResourceProviderService} from './protocol.ts';
import {providerService} from './provider-service.ts';

export interface PluginServer {
  /** On 127.0.0.1. */
  readonly port: number;
  /** Cancels the provider, lets running calls answer for at most `graceMs`, then closes all connections. */
  stop(graceMs: number): Promise<void>;
}

/** States can be large: messages have no limit. */
const UNLIMITED = -1;

/** What is answered gets so long to reach its reader. */
const FLUSH_MS = 100;

/** `warn`: shows a line to the user. */
export async function startPluginServer(
  provider: Provider,
  warn: (line: string) => void = () => undefined,
): Promise<PluginServer> {
  const server = new Server({
    'grpc.max_receive_message_length': UNLIMITED,
    'grpc.max_send_message_length': UNLIMITED,
  });
  const calls = new RunningCalls();
  server.addService(ResourceProviderService, calls.counted(providerService(provider, warn)));
  const bound = Promise.withResolvers<number>();
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
    if (error === null) bound.resolve(port);
    else bound.reject(error);
  });
  const port = await bound.promise;
  return {port, stop: graceMs => stop(server, provider, calls, graceMs)};
}

/**
 * Connections are not waited for, only calls. A connection that the engine is closing just then is forgotten by the library, which
 * then never says that it has shut down; and an engine stops one plugin after the other, with 5 s for all of them together: to the
 * Pulumi CLI those that come later have crashed.
 */
async function stop(server: Server, provider: Provider, calls: RunningCalls, graceMs: number): Promise<void> {
  provider.cancel();
  const closed = Promise.withResolvers<void>();
  const force = (): void => {
    server.forceShutdown();
    closed.resolve();
  };
  const timers = [setTimeout(force, graceMs)];
  server.tryShutdown(() => closed.resolve());
  calls.whenNone(() => timers.push(setTimeout(force, FLUSH_MS)));
  await closed.promise;
  for (const timer of timers) clearTimeout(timer);
}

/** Counts the calls that are not answered yet. */
class RunningCalls {
  #running = 0;
  #onNone: () => void = () => undefined;

  counted(service: UntypedServiceImplementation): UntypedServiceImplementation {
    const entries = Object.entries(service) as [string, Handler][];
    return Object.fromEntries(entries.map(([name, handle]) => [name, this.#count(handle)]));
  }

  whenNone(run: () => void): void {
    this.#onNone = run;
    if (this.#running === 0) run();
  }

  #count(handle: Handler): Handler {
    return (call, callback) => {
      if (callback === undefined) return handle(call);
      this.#running += 1;
      handle(call, (...answer) => {
        callback(...answer);
        this.#running -= 1;
        if (this.#running === 0) this.#onNone();
      });
    };
  }
}

/** A stream has no callback. */
type Handler = (call: unknown, callback?: (...answer: unknown[]) => void) => void;
