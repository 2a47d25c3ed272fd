// SPDX-License-Identifier: Apache-2.0
/** The clients of the console over one transport, which knows the session and whether the server answers. */
import {
  createFetchTransport,
  type HttpRequest,
  type IdsClient,
  idsClientOver,
  isTransportError,
  type KubeClient,
  kubeClientOver,
  type Transport,
} from '@palisade/client/browser';
import {createRightsBook, type RightsBook} from './rights/rights-book.ts';
import {createSessionControl, type SessionControl} from './session.ts';
import {createStore, type Store} from './store.ts';
import {browserSurroundings, type Surroundings} from './surroundings.ts';

/** '' while the server answers, else why it does not. */
export type Lost = string;

export type Api = {
  readonly kube: KubeClient;
  readonly ids: IdsClient;
  /** For what the clients do not cover, of the public APIs. */
  readonly transport: Transport;
  readonly session: SessionControl;
  readonly rights: RightsBook;
  readonly lost: Store<Lost>;
  readonly surroundings: Surroundings;
};

const AGAIN_MS = 3_000;
const NAME = 'the server';

export function createApi(fetch?: typeof globalThis.fetch, surroundings: Surroundings = browserSurroundings): Api {
  const session = createSessionControl(fetch);
  const lost = createStore<Lost>('');
  const base = createFetchTransport({
    fetch,
    headers: session.headers,
    onStatus: status => {
      lost.set('');
      if (status === 401) session.suspect();
    },
  });
  const transport = noticing(base, error => {
    if (lost.get() === '') void askUntilBack(base, lost, surroundings);
    lost.set(error.message);
  });
  const kube = kubeClientOver(transport, NAME);
  const ids = idsClientOver(transport, NAME);
  const rights = createRightsBook(kube, ids);
  // Rights are those of the user: another user, other rights.
  session.state.subscribe(() => rights.forget());
  return {kube, ids, transport, session, rights, lost, surroundings: {...surroundings, onSignedOut: session.suspect}};
}

/** The same transport; `onAway` is called for each request that the server did not answer. */
function noticing(transport: Transport, onAway: (error: Error) => void): Transport {
  const watch =
    <T>(call: (request: HttpRequest) => Promise<T>) =>
    async (request: HttpRequest): Promise<T> => {
      try {
        return await call(request);
      } catch (error) {
        if (isTransportError(error) && (error.code === 'unreachable' || error.code === 'timeout')) onAway(error);
        throw error;
      }
    };
  return {
    ...transport,
    send: watch(transport.send),
    sendForBytes: watch(transport.sendForBytes),
    open: watch(transport.open),
    openBytes: watch(transport.openBytes),
  };
}

async function askUntilBack(transport: Transport, lost: Store<Lost>, {clock}: Surroundings): Promise<void> {
  const {signal} = new AbortController();
  do {
    await clock.sleep(AGAIN_MS, signal);
    await transport.send({method: 'GET', path: '/version', silenceMs: AGAIN_MS}).catch(() => {});
  } while (lost.get() !== '');
}
