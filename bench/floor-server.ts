// SPDX-License-Identifier: Apache-2.0
/**
 * Node's own server of HTTP/2 and HTTP/1.1 over TLS with what the load generator asks for and nothing else: no rules, no versions,
 * no disk. Objects are kept as they were sent; a patched one is sent to all watches, joined for WAIT_MS. Arguments: KEY_FILE
 * CERTIFICATE_FILE.
 */
import {readFileSync} from 'node:fs';
import type {ServerResponse} from 'node:http';
import {createSecureServer} from 'node:http2';
import type {AddressInfo, Socket} from 'node:net';

type Labelled = {metadata: {labels: Record<string, string>; [field: string]: unknown}};

const WAIT_MS = 8;
const [, , key = '', cert = ''] = process.argv;
const objects = new Map<string, Labelled>();
const watches = new Set<ServerResponse>();
let events: string[] = [];

const deliver = (): void => {
  const joined = Buffer.from(events.join(''));
  events = [];
  for (const watch of watches) watch.write(joined);
};

/** The object as the patch leaves it. */
const patch = (path: string, sent: Labelled): Labelled => {
  const object = objects.get(path) ?? sent;
  Object.assign(object.metadata.labels, sent.metadata.labels);
  if (events.push(`{"type":"MODIFIED","object":${JSON.stringify(object)}}\n`) === 1) setTimeout(deliver, WAIT_MS);
  return object;
};

const answerTo = (method: string, url: string, text: string): unknown => {
  if (method === 'GET') return objects.get(url) ?? {metadata: {resourceVersion: '1'}};
  const sent = JSON.parse(text) as Labelled;
  if (method === 'PATCH') return patch(url, sent);
  objects.set(`${url}/${sent.metadata['name']}`, sent);
  return sent;
};

const options = {
  key: readFileSync(key),
  cert: readFileSync(cert),
  allowHTTP1: true,
  honorCipherOrder: false, // the client's cipher, as with palisade
  maxSessionMemory: 100, // MB, for watches that are read late
};
const server = createSecureServer(options, (request, either) => {
  const response = either as unknown as ServerResponse; // what the answers of both protocols share
  const {method = '', url = ''} = request;
  if (url.includes('watch=1')) {
    response.writeHead(200, {'Content-Type': 'application/json'}).flushHeaders();
    watches.add(response);
    response.once('close', () => watches.delete(response));
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.from(JSON.stringify(answerTo(method, url, Buffer.concat(chunks).toString())));
    const headers = {'Content-Type': 'application/json', 'Content-Length': body.length};
    response.writeHead(method === 'POST' ? 201 : 200, headers).end(body);
  });
});
server.on('connection', (socket: Socket) => socket.setNoDelay());
server.listen(0, '127.0.0.1', () => {
  const {port} = server.address() as AddressInfo;
  console.log(JSON.stringify({ready: true, https: `https://127.0.0.1:${port}`}));
});
