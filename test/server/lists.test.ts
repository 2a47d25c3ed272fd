// SPDX-License-Identifier: Apache-2.0
/** The memory that short lists are made in is used again: never while an answer in it is still on its way. */
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
    (group, i) => `GET ${pathOf(group)} HTTP/1.1\r\nHost: x\r\n${i === last ? 'Connection: close\r\n' : ''}\r\n`,
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
