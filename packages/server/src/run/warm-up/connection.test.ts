// SPDX-License-Identifier: Apache-2.0
/** Whatever becomes of a connection, a call on it ends: a rehearsal that waits would keep the server from being ready. */
import {once} from 'node:events';
import {type AddressInfo, createServer, type Server, type Socket} from 'node:net';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {Connection} from './connection.ts';

let server: Server;
let accepted: Promise<Socket>;
beforeEach(async () => {
  server = createServer();
  accepted = once(server, 'connection').then(([socket]) => (socket as Socket).on('error', () => {}));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => void server.close());

const open = (): Promise<Connection> =>
  Connection.open({port: (server.address() as AddressInfo).port, tls: false, token: 't'});
const CALL = {method: 'GET', path: '/'};

test('an answer in pieces is one answer', async () => {
  const connection = await open();
  const socket = await accepted;
  const code = connection.request(CALL);
  for (const piece of ['HTTP/1.1 20', '1 Created\r\nContent-Le', 'ngth: 4\r\n\r\nbo', 'dy']) {
    await new Promise(done => socket.write(piece, done));
    await new Promise(done => setImmediate(done));
  }
  expect(await code).toBe(201);
  await connection.close();
});

test('a call without an answer is rejected when the server or we end the connection', async () => {
  const theirs = await open();
  const call = theirs.request(CALL);
  (await accepted).destroy();
  await expect(call).rejects.toThrow('the connection ended');
  const ours = await open();
  const other = expect(ours.request(CALL)).rejects.toThrow('the connection ended');
  await ours.close();
  await other;
});

test('after the end of the connection a call is rejected and a close resolves', async () => {
  const connection = await open();
  (await accepted).destroy();
  await expect(connection.request(CALL)).rejects.toThrow('the connection');
  await connection.close();
  await expect(connection.request(CALL)).rejects.toThrow('the connection has ended');
  await connection.close();
});
