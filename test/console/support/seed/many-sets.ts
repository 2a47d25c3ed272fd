// SPDX-License-Identifier: Apache-2.0
import {Agent, request} from 'node:http';
import type {ConsoleServer} from '../console-server.ts';
import {sender} from './sender.ts';

const IN_FLIGHT = 32;
const NAMESPACES = 10;
/** Every so many sets one has no ready address. */
const FAILING_EVERY = 20;

export const manyNamespace = (index: number): string => `many-${index % NAMESPACES}`;

const set = (index: number): object => {
  const net = `10.${(index >> 16) & 255}.${(index >> 8) & 255}`;
  const addresses = [1, 2, 3].map(host => ({ip: `${net}.${host}`}));
  const ready = index % FAILING_EVERY === 0 ? {notReadyAddresses: addresses} : {addresses};
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {name: `set-${String(index).padStart(6, '0')}`, labels: {app: `app-${index % 100}`}},
    subsets: [{...ready, ports: [{name: 'http', port: 8080, protocol: 'TCP'}]}],
  };
};

/** `count` Endpoints of three addresses in ten namespaces, as fast as the server accepts them. */
export const manySets = async (server: ConsoleServer, count: number): Promise<void> => {
  const send = sender(server);
  for (let i = 0; i < NAMESPACES; i++) await send('POST', '/api/v1/namespaces', {metadata: {name: manyNamespace(i)}});
  const agent = new Agent({keepAlive: true, maxSockets: IN_FLIGHT});
  const create = (index: number): Promise<void> =>
    new Promise((done, fail) => {
      const url = `${server.rest.url}/api/v1/namespaces/${manyNamespace(index)}/endpoints`;
      const headers = {...server.rest.headers, 'content-type': 'application/json'};
      request(url, {method: 'POST', agent, headers}, response => {
        response
          .resume()
          .on('end', () => (response.statusCode === 201 ? done() : fail(new Error(`${url}: ${response.statusCode}`))));
      })
        .on('error', fail)
        .end(JSON.stringify(set(index)));
    });
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await create(next++);
  };
  await Promise.all(Array.from({length: IN_FLIGHT}, worker));
  agent.destroy();
};
