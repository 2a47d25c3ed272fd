// SPDX-License-Identifier: Apache-2.0
/** Node's own HTTPS server, which parses a JSON body and sends it back: no rules, no disk. Arguments: KEY_FILE CERTIFICATE_FILE. */
import {readFileSync} from 'node:fs';
import {createServer} from 'node:https';
import type {AddressInfo, Socket} from 'node:net';

const [, , key = '', cert = ''] = process.argv;
const server = createServer({key: readFileSync(key), cert: readFileSync(cert)}, (request, response) => {
  if (request.method !== 'POST') {
    response.writeHead(404).end();
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.from(JSON.stringify(JSON.parse(Buffer.concat(chunks).toString())));
    response.writeHead(201, {'Content-Type': 'application/json', 'Content-Length': body.length});
    response.end(body);
  });
});
server.on('connection', (socket: Socket) => socket.setNoDelay());
server.listen(0, '127.0.0.1', () => {
  const {port} = server.address() as AddressInfo;
  console.log(JSON.stringify({ready: true, https: `https://127.0.0.1:${port}`}));
});
