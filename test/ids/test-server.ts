// SPDX-License-Identifier: Apache-2.0
/** The IDS API behind a real socket, for tests: HTTP/1.1, and gRPC over cleartext HTTP/2 on a second port. */
import {randomBytes} from 'node:crypto';
import {createServer} from 'node:http';
import {createServer as createHttp2Server, type ServerHttp2Session} from 'node:http2';
import type {AddressInfo, Server} from 'node:net';
import {connectNodeAdapter} from '@connectrpc/connect-node';
import type {Store} from '@palisade/store';
import type {AnyRequest} from '../../packages/ids/src/http/exchange.ts';
import {createIdsApi, type IdsApi, type IdsApiOptions} from '../../packages/ids/src/ids-api/create-ids-api.ts';
import type {SensorHost} from '../../packages/ids/src/sensor-host.ts';
import type {Log} from '../../packages/ids/src/system.ts';
import {MemoryRecordStore} from '../../packages/ids/src/testing/memory-record-store.ts';
import {rangeOf} from '../../packages/ids/src/testing/range-of.ts';

export const silentLog: Log = {debug: () => {}, info: () => {}, warn: () => {}, error: () => {}};
export const systemRandom = {bytes: (count: number): Uint8Array => randomBytes(count)};
export const realTimers = {
  after: (delayMs: number, action: () => void) => {
    const timer = setTimeout(action, delayMs);
    return {cancel: () => clearTimeout(timer)};
  },
};

export type TestServer = {
  readonly url: string;
  /** `host:port`, cleartext. */
  readonly grpc: string;
  readonly api: IdsApi;
  /** Stops the API and the listener; the store and the sensor host stay. */
  close(): Promise<void>;
};

export const startTestServer = async (
  options: {readonly store: Store; readonly sensorHost: SensorHost} & Partial<IdsApiOptions>,
): Promise<TestServer> => {
  let url = '';
  const api = createIdsApi({
    records: new MemoryRecordStore(),
    clock: {now: () => Date.now()},
    random: systemRandom,
    timers: realTimers,
    log: silentLog,
    locations: [
      {id: 'local', sensor: true},
      {id: 'us-central1-a', sensor: true},
      {id: 'europe-west1-b', sensor: false},
    ],
    pool: rangeOf('127.77.0.0/16'),
    publicUrl: () => url,
    ...options,
  });
  await api.start();
  const server = createServer((request, response) => {
    void api.handle(request, response).then(handled => {
      if (!handled) response.writeHead(404).end();
    });
  });
  server.keepAliveTimeout = 0; // a test that moves its clock by months may hold up real time for longer than Node's five seconds
  url = `http://127.0.0.1:${await listen(server)}`;
  const sessions = new Set<ServerHttp2Session>();
  const h2 = createHttp2Server(
    connectNodeAdapter({
      routes: api.routes,
      contextValues: request => api.contextValues(request as AnyRequest),
      jsonOptions: {registry: api.anyTypes},
      grpc: true,
      grpcWeb: true,
      connect: true,
    }),
  );
  h2.on('session', session => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  const grpc = `127.0.0.1:${await listen(h2)}`;
  return {
    url,
    grpc,
    api,
    close: async () => {
      server.closeAllConnections();
      for (const session of sessions) session.destroy();
      await new Promise(resolve => h2.close(resolve));
      await new Promise(resolve => server.close(resolve));
      await api.stop();
    },
  };
};

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
