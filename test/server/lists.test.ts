// SPDX-License-Identifier: Apache-2.0
/** The memory that short lists are made in is used again: never while an answer in it is still on its way. */
import {once} from 'node:events';
import {get, type IncomingMessage} from 'node:http';
import {connect as connectHttp2} from 'node:http2';
import {connect, type Socket} from 'node:net';
import {buffer} from 'node:stream/consumers';
import {connect as connectTls} from 'node:tls';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {quiet, type RunningServer, scratch, serve} from '../support/palisade.ts';

const GROUPS = ['a', 'b', 'c', 'd', 'e'];
/** Of each object; five make a list that is longer than a window of HTTP/2, and shorter than what is sent in pieces. */
const PAD_BYTES = 20_000;
const REQUESTS = 40;

const folder = scratch();
let server: RunningServer;
const pathOf = (group: string): string => `/api/v1/endpoints?labelSelector=group%3D${group}`;
const expected = new Map<string, string>();

beforeAll(async () => {
  server = await serve([...quiet(folder.dir), '--https', '127.0.0.1:0', '--apis', 'kubernetes']);
  const {http} = server.ready;
  for (const [i, group] of GROUPS.entries())
    for (let n = 0; n <= i; n++) {
      const metadata = {name: `${group}-${n}`, labels: {group}, annotations: {pad: group.repeat(PAD_BYTES)}};
      const created = await fetch(`${http}/api/v1/namespaces/default/endpoints`, {
        method: 'POST',
        headers: {'content-type': 'application/json'},
        body: JSON.stringify({metadata}),
      });
      expect(created.status).toBe(201);
    }
  for (const group of GROUPS) {
    const text = await (await fetch(`${http}${pathOf(group)}`, {headers: {'accept-encoding': 'identity'}})).text();
    expect(JSON.parse(text).items).toHaveLength(GROUPS.indexOf(group) + 1);
    expected.set(group, text);
  }
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const asked = Array.from({length: REQUESTS}, (_, i) => GROUPS[(i * 3) % GROUPS.length] ?? '');
const wanted = (): (string | undefined)[] => asked.map(group => expected.get(group));

/** The bodies of `count` answers of a known length each. */
const bodiesOf = (answers: Buffer): string[] => {
  const bodies: string[] = [];
  for (let at = 0; at < answers.length; ) {
    const end = answers.indexOf('\r\n\r\n', at) + 4;
    const bytes = Number(/content-length: (\d+)/i.exec(answers.toString('latin1', at, end))?.[1]);
    bodies.push(answers.toString('utf8', end, end + bytes));
    at = end + bytes;
  }
  return bodies;
};

/** All requests at once on one connection: the answers wait for each other in the server. */
const pipelined = async (socket: Socket): Promise<string[]> => {
  const last = asked.length - 1;
  const lines = asked.map(
    (group, i) =>
      `GET ${pathOf(group)} HTTP/1.1\r\nHost: localhost\r\n${i === last ? 'Connection: close\r\n' : ''}\r\n`,
  );
  socket.write(lines.join(''));
  return bodiesOf(await buffer(socket));
};

test.each<[string, () => Socket]>([
  ['HTTP/1.1', () => connect(Number(new URL(server.ready.http).port), '127.0.0.1')],
  [
    'HTTP/1.1 over TLS',
    () =>
      connectTls({
        port: Number(new URL(server.ready.https ?? '').port),
        host: '127.0.0.1',
        rejectUnauthorized: false,
        ALPNProtocols: ['http/1.1'],
      }),
  ],
])('many lists on one connection come whole: %s', async (_, open) => {
  expect(await pipelined(open())).toEqual(wanted());
});

test('many lists on one connection come whole: HTTP/2, beside one that is given up', async () => {
  const session = connectHttp2(server.ready.https ?? '', {rejectUnauthorized: false});
  try {
    const unwanted = session.request({':path': pathOf('e')});
    unwanted.once('response', () => unwanted.close(8));
    unwanted.resume();
    const got = await Promise.all(asked.map(group => buffer(session.request({':path': pathOf(group)}))));
    expect(got.map(String)).toEqual(wanted());
  } finally {
    session.close();
  }
});

const FORMS = [
  'application/json',
  ...['Table', 'PartialObjectMetadataList'].map(as => `application/json;as=${as};v=v1;g=meta.k8s.io`),
];
/** Of each object: together they are more than the buffers of a connection hold. */
const LONG_BYTES = 40_000;
const LONG_COUNT = 600;

test('E-271 a long list is the state at its version, whatever is written while it goes out', async () => {
  const {http} = server.ready;
  const path = `${http}/api/v1/namespaces/long/endpoints`;
  const write = async (method: string, url: string, body?: object): Promise<void> => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const init = {method, headers: {'content-type': type}};
    const answer = await fetch(url, body === undefined ? init : {...init, body: JSON.stringify(body)});
    expect(answer.status).toBeLessThan(300);
    await answer.arrayBuffer();
  };
  const create = (name: string) =>
    write('POST', path, {metadata: {name, labels: {all: 'yes'}, annotations: {pad: 'x'.repeat(LONG_BYTES)}}});
  await write('POST', `${http}/api/v1/namespaces`, {metadata: {name: 'long'}});
  for (let i = 0; i < LONG_COUNT; i++) await create(`m-${String(i).padStart(4, '0')}`);
  type Item = {metadata: {name: string; resourceVersion: string}};
  const rowsOf = (text: string): string[] => {
    const {items, rows} = JSON.parse(text) as {items?: Item[]; rows?: {object: Item}[]};
    return (items ?? rows?.map(({object}) => object) ?? []).map(
      ({metadata}) => `${metadata.name} ${metadata.resourceVersion}`,
    );
  };
  const cases = FORMS.flatMap(accept => ['', '?labelSelector=all%3Dyes'].map(query => ({accept, query})));
  for (const [n, {accept, query}] of cases.entries()) {
    const wanted = rowsOf(await (await fetch(`${path}?limit=${LONG_COUNT * 2}`)).text());
    const asked = get(path + query, {headers: {accept}});
    const [message] = (await once(asked, 'response')) as [IncomingMessage]; // it is not read yet
    await write('DELETE', `${path}/${wanted[0]?.split(' ')[0]}`);
    await write('PATCH', `${path}/m-${String(LONG_COUNT - 1).padStart(4, '0')}`, {metadata: {labels: {n: String(n)}}});
    await create(`a-${n}`);
    await create(`z-${n}`);
    expect(rowsOf((await buffer(message)).toString())).toEqual(wanted);
  }
});
