// SPDX-License-Identifier: Apache-2.0
/** A Kubernetes API on a loopback port, behind the listener of the command: for tests and for the comparison with recordings. */
import {createKubeApi, type KubeApi, type KubeApiOptions} from '@palisade/apiserver';
import {urlOf} from '../../packages/server/src/port/addresses.ts';
import {listenPlain} from '../../packages/server/src/port/listeners.ts';

export type TestKubeApi = AsyncDisposable & {readonly url: string; readonly api: KubeApi};

export const serveKubeApi = async (options: KubeApiOptions): Promise<TestKubeApi> => {
  const api = createKubeApi(options);
  await api.start();
  const at = {host: '127.0.0.1', port: 0};
  const listener = await listenPlain(at, 'http', (request, response) => void api.handle(request, response));
  return {
    url: urlOf(listener.address, 'http'),
    api,
    [Symbol.asyncDispose]: async () => {
      await api.stop();
      listener.force();
      await listener.close();
      await options.store.close();
    },
  };
};
