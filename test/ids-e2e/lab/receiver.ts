// SPDX-License-Identifier: Apache-2.0
/** Receivers of records in the network namespace of a laboratory: one line of stdout for each record, `http ID` or `syslog ID`. */
import {createServer as createHttpServer} from 'node:http';
import {createServer} from 'node:net';
import {text} from 'node:stream/consumers';

const [httpPort, syslogPort] = process.argv.slice(2).map(Number);

createHttpServer(async (request, response) => {
  // ECS: the last part of the id of the event.
  for (const {event} of JSON.parse(await text(request))) process.stdout.write(`http ${event.id.split('/').at(-1)}\n`);
  response.writeHead(204).end();
}).listen(httpPort, '127.0.0.1');

createServer(async socket => {
  for (const [, id] of (await text(socket)).matchAll(/ id="([^"]+)"/g)) process.stdout.write(`syslog ${id}\n`);
}).listen(syslogPort, '127.0.0.1');
