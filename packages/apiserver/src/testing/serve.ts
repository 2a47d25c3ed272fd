// SPDX-License-Identifier: Apache-2.0
/** A Kubernetes API on a loopback port, for tests and for the comparison with recordings. */
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {createKubeApi, type KubeApi, type KubeApiOptions} from '../kube-api.ts';
import {serveUpgrades} from '../websocket/upgrades.ts';

export type TestKubeApi = AsyncDisposable & {readonly url: string; readonly api: KubeApi};

export const serveKubeApi = async (options: KubeApiOptions): Promise<TestKubeApi> => {
  const api = createKubeApi(options);
  await api.start();
  const server = createServer((request, response) => void api.handle(request, response));
  serveUpgrades(server, (request, response) => void api.handle(request, response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const {port} = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    api,
    [Symbol.asyncDispose]: async () => {
      await api.stop();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
      await options.store.close();
    },
  };
};
