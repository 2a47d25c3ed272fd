// SPDX-License-Identifier: Apache-2.0
/**
 * The process contract of a provider plugin: the port alone on the first line of stdout; exit 0 soon after SIGINT or SIGTERM (an
 * engine waits only 5 s); exit when the parent is gone, because a killed engine tells nobody.
 */
import {startPluginServer} from '../grpc/plugin-server.ts';
import {nodeProviderHost} from '../node-host.ts';
import type {Provider, ProviderHost} from '../provider.ts';

const GRACE_MS = 2_000;
const PARENT_POLL_MS = 1_000;

export async function runPlugin(create: (host: ProviderHost) => Provider): Promise<void> {
  const parent = process.ppid;
  const provider = create(nodeProviderHost(process.env));
  const server = await startPluginServer(provider, line => process.stderr.write(`${line}\n`));
  let stopping = false;
  const stop = (): void => {
    if (stopping) process.exit(0);
    stopping = true;
    server.stop(GRACE_MS).then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, PARENT_POLL_MS).unref();
  process.stdout.write(`${server.port}\n`);
}
