// SPDX-License-Identifier: Apache-2.0
/** Documents of an issuer that is slow, large, untrusted or sends elsewhere. */
import type {ServerResponse} from 'node:http';
import {createServer, type Server} from 'node:https';
import type {AddressInfo} from 'node:net';
import {ManualTime} from '@palisade/apiserver/testing';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {makeCertificate} from '../../testing/certificate.ts';
import {httpsJson} from './fetch-json.ts';

const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/good': response => response.end('{"a":1}'),
  '/text': response => response.end('secret text'),
  '/gone': response => response.writeHead(404).end('{}'),
  '/moved': response => response.writeHead(302, {location: '/good'}).end(),
  '/large': response => response.end(Buffer.alloc(1024 * 1024 + 1, 0x20)),
  '/silent': () => {},
  '/half': response => {
    response.writeHead(200, {'content-length': '100'}).write('{"a":', () => response.destroy());
  },
};

let server: Server;
let url: string;
let ca: string;
let onSilent: () => void = () => {};
beforeAll(async () => {
  const pem = await makeCertificate('127.0.0.1');
  // The chain of the file ends with the CA.
  ca = (pem as typeof pem & {ca: string}).ca;
  server = createServer(pem, (request, response) => {
    ANSWERS[request.url ?? '']?.(response);
    if (request.url === '/silent') onSilent();
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  return new Promise(done => server.close(done));
});

const running = new AbortController().signal;
const ask = (path: string, time = new ManualTime()) => httpsJson(ca, time)(`${url}${path}`, running);

test('47-2 a JSON document over TLS', async () => {
  expect(await ask('/good')).toEqual({a: 1});
});

test.each([
  ['/gone', 'the server answered 404'],
  ['/moved', 'the server answered 302'],
  ['/large', 'more than 1048576 bytes came'],
  ['/text', 'the answer is not JSON'],
  ['/half', 'aborted'],
])('47-2 %s: refused with URL and reason', async (path, reason) => {
  await expect(ask(path)).rejects.toThrow(`${url}${path}: ${reason}`);
});

test('47-2 an issuer without a certificate of the CA is not asked', async () => {
  const other = httpsJson(undefined, new ManualTime());
  await expect(other(`${url}/good`, running)).rejects.toThrow(/certificate/);
});

test('47-2 no answer in time', async () => {
  const time = new ManualTime();
  const asked = new Promise<void>(done => {
    onSilent = done;
  });
  const answer = ask('/silent', time);
  const failed = expect(answer).rejects.toThrow(`${url}/silent: no answer within 10 s`);
  await asked;
  time.advance(10_000);
  await failed;
});
