// SPDX-License-Identifier: Apache-2.0
/** Requests of connections that are reset at once: each that is looked at has the address of its client. */
import {spawnSync} from 'node:child_process';
import {connect} from 'node:net';
import {credentialsOf} from '@palisade/apiserver';
import {afterEach, expect, test} from 'vitest';
import {type Handler, type Listener, listenPlain} from './listeners.ts';

let listener: Listener | undefined;
afterEach(async () => {
  listener?.force();
  await listener?.close();
});
const listen = async (handler: Handler): Promise<void> => {
  listener = await listenPlain({host: '127.0.0.1', port: 0}, 'http', handler);
};
const port = (): number => listener?.address.port ?? 0;

/** Sends a request and resets its connection. */
const CLIENT = `
  const socket = require('node:net').connect(Number(process.argv[1]), '127.0.0.1');
  socket.on('connect', () => socket.write('GET /reset HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n', () => socket.resetAndDestroy()));
`;

test('47-5 a connection that was reset before it was accepted is dropped: its request is not read', async () => {
  const seen: unknown[] = [];
  await listen((request, response) => {
    seen.push([request.url, credentialsOf(request).remoteAddress]);
    response.end();
  });
  // This process, and so the server, does nothing until the client has ended.
  expect(spawnSync(process.execPath, ['-e', CLIENT, String(port())]).status).toBe(0);
  await fetch(`http://127.0.0.1:${port()}/after`);
  expect(seen).toEqual([['/after', '127.0.0.1']]);
});

test('47-5 a request whose connection ended before its credentials were looked at still has its address', async () => {
  const ended = Promise.withResolvers<unknown>();
  await listen(request => {
    request.socket.once('close', () => ended.resolve(credentialsOf(request).remoteAddress));
    client.resetAndDestroy();
  });
  const client = connect(port(), '127.0.0.1', () => client.write('GET /reset HTTP/1.1\r\nhost: x\r\n\r\n'));
  expect(await ended.promise).toBe('127.0.0.1');
});
