// SPDX-License-Identifier: Apache-2.0
/**
 * Whatever a client sends, in whatever pieces: a port that reads usual requests itself understands the same requests, and answers
 * them with the same bytes, as one that leaves them to node:http.
 */
import {createHash} from 'node:crypto';
import {subscribe, unsubscribe} from 'node:diagnostics_channel';
import {connect, type Socket} from 'node:net';
import type {WholeRequest, WholeResponse} from '@palisade/apiserver';
import fc from 'fast-check';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {type AnyRequest, type AnyResponse, type Listener, listenPlain} from '../listeners.ts';
import {HOST, nextTurn, withoutDate} from './testing/port.ts';

const RUNS = 800;

/** What a server was asked, in order; without a digest where the body did not come to its end. */
type Asked = {readonly head: string; digest?: string};
type Kind = 'ours' | 'node';
type Server = {readonly listener: Listener; asked: Asked[]; pending: number};

/** Answers come later than the request, by some turns of the event loop, or not. */
let turns = 0;
/** Requests that were read without node:http. */
let wholes = 0;
let servers: Readonly<Record<Kind, Server>>;
/** Server sides of connections, by the port of the client. */
const peers = new Map<number | undefined, Socket>();
const notePeer = (message: unknown): void => {
  const {socket} = message as {socket: Socket};
  peers.set(socket.remotePort, socket);
};

type Echoed = Pick<WholeRequest, 'method' | 'url'> & {readonly headers: object};

const later = (count: number, action: () => void): void => {
  if (count === 0) action();
  else setImmediate(() => later(count - 1, action));
};

const begin = (server: Server, {method, url, headers}: Echoed): Asked => {
  const fields = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1));
  const one: Asked = {head: JSON.stringify([method, url, fields])};
  server.asked.push(one);
  return one;
};

const echo = (server: Server, one: Asked, body: Buffer, response: WholeResponse): void => {
  one.digest = `${body.length} ${createHash('md5').update(body).digest('hex')}`;
  server.pending++;
  later(turns, () => {
    server.pending--;
    response.setHeader('Content-Type', 'text/plain');
    response.end(`${one.head} ${one.digest}\n`);
  });
};

const openServer = async (withWholes: boolean): Promise<Server> => {
  const handler = (request: AnyRequest, response: AnyResponse): void => {
    const one = begin(server, request as unknown as Echoed);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.once('end', () => echo(server, one, Buffer.concat(chunks), response as WholeResponse));
    request.on('error', () => {});
  };
  const takes = ({url}: {url: string}): boolean => !url.startsWith('/node');
  const whole = (request: WholeRequest, response: WholeResponse): void => {
    wholes++;
    echo(server, begin(server, request), request.whole, response);
  };
  const listener = await listenPlain({host: HOST, port: 0}, 'http', handler, {
    wholes: withWholes ? {takes, handler: whole} : undefined,
  });
  const server: Server = {listener, asked: [], pending: 0};
  return server;
};

beforeAll(async () => {
  subscribe('net.server.socket', notePeer);
  servers = {ours: await openServer(true), node: await openServer(false)};
});
afterAll(async () => {
  unsubscribe('net.server.socket', notePeer);
  for (const {listener} of Object.values(servers)) {
    listener.force();
    await listener.close();
  }
});

/** Pieces are one character a byte. */
type Sent = {readonly pieces: readonly string[]; readonly ending: 'close' | 'fin'};
type Outcome = {
  readonly answers: string;
  readonly asked: readonly Asked[];
  /** Before the client ended its side. */
  readonly wasClosed: boolean;
  /** The end of the connection took answers with it. */
  readonly hasLost: boolean;
};

const CLOSE = 'GET /end HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n';

const exchange = async (kind: Kind, {pieces, ending}: Sent): Promise<Outcome> => {
  const server = servers[kind];
  server.asked = [];
  server.pending = 0;
  const client = connect({port: server.listener.address.port, host: HOST, allowHalfOpen: true});
  const chunks: Buffer[] = [];
  client.on('data', chunk => void chunks.push(chunk as Buffer));
  client.on('error', () => {}); // a reset is a way to be closed
  const closed = new Promise(resolve => client.once('close', resolve));
  const ended = new Promise(resolve => client.once('end', resolve));
  await new Promise(resolve => client.once('connect', resolve));
  const port = client.localPort;
  while (!peers.has(port)) await nextTurn();
  const peer = peers.get(port) as Socket;
  peers.delete(port);
  /** Until nothing is under way any longer; false when the connection is. */
  const isOpen = async (): Promise<boolean> => {
    for (let still = 0; still < 3; ) {
      await nextTurn();
      if (peer.destroyed) return false;
      const isStill =
        server.pending === 0 && peer.bytesRead === client.bytesWritten && client.bytesRead === peer.bytesWritten;
      still = isStill ? still + 1 : 0;
    }
    return true;
  };
  let goesOn = true;
  for (const piece of ending === 'close' ? [...pieces, CLOSE] : pieces) {
    client.write(piece, 'latin1');
    goesOn = await isOpen();
    if (!goesOn) break;
  }
  const wasClosed = !goesOn;
  if (goesOn) client.end();
  await Promise.race([ended, closed]);
  client.end();
  await closed;
  const answers = Buffer.concat(chunks).toString('latin1');
  return {
    answers: withoutDate(answers),
    asked: server.asked,
    wasClosed,
    hasLost: answers.length < peer.bytesWritten,
  };
};

/** Answers of node:http itself, which end the connection. */
const REFUSAL = /HTTP\/1\.1 (?:400|431|413) [A-Za-z ]+\r\nConnection: close\r\n\r\n$/;

/**
 * node:http refuses wrong bytes at once, before it answers what came before them in the same piece: then those answers are missing.
 */
const isSame = (one: string, other: string): boolean => {
  const [short = '', long = ''] = [one, other].sort((a, b) => a.length - b.length);
  if (short === long) return true;
  const refusal = REFUSAL.exec(short)?.[0];
  if (refusal === undefined || !long.endsWith(refusal)) return false;
  const [before, all] = [short, long].map(text => text.slice(0, -refusal.length)) as [string, string];
  return all.startsWith(before) && all.startsWith('HTTP/1.1 ', before.length);
};

const isSameRequest = (one: Asked | undefined, other: Asked | undefined): boolean =>
  one === undefined ||
  other === undefined ||
  (one.head === other.head && (one.digest ?? other.digest) === (other.digest ?? one.digest));

/** Beside those that one of them was not asked at all. */
const areSameRequests = (ours: readonly Asked[], node: readonly Asked[]): boolean =>
  ours.every((one, i) => isSameRequest(one, node[i]));

/** A request is told by node:http with its head, here when it is whole. */
const areSameWholeRequests = (ours: readonly Asked[], node: readonly Asked[]): boolean => {
  const whole = ours.length < node.length && node.at(-1)?.digest === undefined ? node.slice(0, -1) : node;
  return ours.length === whole.length && areSameRequests(ours, whole);
};

const oneOf = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const mostly = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>, weight = 50): fc.Arbitrary<T> =>
  fc.oneof({weight, arbitrary: usual}, {weight: 1, arbitrary: rare});

const method = mostly(
  oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  oneOf('HEAD', 'OPTIONS', 'PROPFIND', 'get', 'GETT', ''),
);
const target = mostly(
  oneOf('/', '/a?b=c', '//a/../b', '/api/v1/endpoints?watch=1', '/%00%ff', '/a#b?c', '/~{}|"<>^`\\'),
  oneOf('*', 'http://h/a', 'h:80', '/a b', '', '/\t', '/\x7f', '/node', '?a'),
);
const version = mostly(
  oneOf('HTTP/1.1'),
  oneOf('HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/0.9', 'http/1.1', 'HTTP/1.1 '),
  50,
);
const host = mostly(oneOf('Host: h', 'HOST:h:80', 'Host:'), oneOf('', 'Host: a\r\nHost: b', 'Host : h', 'Hos: h'), 20);
/** No whole `Connection: Upgrade`: of what follows it in the same piece node:http drops the bytes, or part of them. */
const field = mostly(
  oneOf(
    'Accept: */*',
    'accept:\t a/b \t',
    'User-Agent: x (y; "z")',
    'Connection: keep-alive',
    'Keep-Alive: timeout=5',
    'X-Empty:',
    'Authorization: Bearer a.b.c',
    `X-Long: ${'l'.repeat(900)}`,
    "!#$%&'*+-.^_`|~: 1",
    'Cookie: a=b; c=d',
  ),
  oneOf(
    'Connection: close',
    'Upgrade: h2c',
    'Connection: keep-alive, close',
    'Connection:',
    'Expect: 100-continue',
    'Expect: 200-ok',
    'Trailer: X',
    'Proxy-Connection: close',
    'Set-Cookie: a',
    'Transfer-Encoding: gzip',
    'Transfer-Encoding: chunked',
    'Content-Length: 3',
    'Content-Length: +3',
    'Content-Length: 3, 3',
    'Content-Length: 3 ',
    'Content-Length : 3',
    'X: a\r\n b',
    'X: a\nY: b',
    'X: a\rY: b',
    'X: \x80\xff',
    'X: \0',
    'X y: z',
    ': x',
    'x',
    '__proto__: a',
    'constructor: a',
    `X-Huge: ${'h'.repeat(16_000)}`,
    Array.from({length: 1_001}, (_, i) => `y${i}:`).join('\r\n'),
  ),
  32,
);
/** Text that is a request where its length is read wrongly. */
const text = fc.oneof(
  {weight: 6, arbitrary: fc.string({maxLength: 40})},
  {
    weight: 3,
    arbitrary: oneOf('GET /hidden HTTP/1.1\r\nHost: h\r\n\r\n', '0\r\n\r\n', '\r\n\r\n', '5\r\nhello\r\n0\r\n\r\n'),
  },
  {weight: 1, arbitrary: oneOf(65_535, 65_536, 65_537, 150_000).map(bytes => 'z'.repeat(bytes))},
);
const wrongLength = fc.tuple(text, oneOf(-1, 1, 5, -5)).map(([body, by]) => ({
  fields: [`Content-Length: ${Math.max(0, Buffer.byteLength(body, 'latin1') + by)}`],
  body,
}));
const chunk = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n`;
const chunked = fc
  .tuple(
    fc.array(text, {maxLength: 3}),
    mostly(oneOf('0\r\n\r\n'), oneOf('0\r\nX: y\r\n\r\n', '0;a=b\r\n\r\n', 'x\r\n', '0\n\n', ''), 4),
  )
  .map(([bodies, end]) => ({
    fields: ['Transfer-Encoding: chunked'],
    body:
      bodies
        .filter(body => body !== '')
        .map(chunk)
        .join('') + end,
  }));
type Framed = {fields: string[]; body: string};
const framed: fc.Arbitrary<Framed> = fc.oneof(
  {weight: 8, arbitrary: fc.constant<Framed>({fields: [], body: ''})},
  {weight: 6, arbitrary: text.map(body => ({fields: [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`], body}))},
  {weight: 1, arbitrary: wrongLength},
  {weight: 1, arbitrary: chunked},
);
const lineEnd = mostly(oneOf('\r\n'), oneOf('\n', '\r', '\r\n\r\n', '\r\r\n'), 60);
const request = fc
  .record({
    method,
    target,
    version,
    host,
    fields: mostly(fc.uniqueArray(field, {maxLength: 4}), fc.array(field, {maxLength: 4}), 20),
    framed,
    lineEnd,
    lead: mostly(oneOf(''), oneOf('\r\n', '\n', ' '), 20),
  })
  .map(({lead, framed, lineEnd, ...head}) => {
    const fields = [head.host, ...head.fields, ...framed.fields].filter(one => one !== '');
    return `${lead}${head.method} ${head.target} ${head.version}${lineEnd}${fields.join(lineEnd)}\r\n\r\n${framed.body}`;
  });

/** At a part of the length of what was said. */
const place = fc.double({min: 0, max: 1, noNaN: true});
const INSERTED = ['\r', '\n', '\r\n', '\0', '\x80', ' ', '\t', ':', '0', 'GET / HTTP/1.1\r\n'];
type Change = (bytes: string) => string;
const spliced = (bytes: string, at: number, removed: number, added: string): string => {
  const place = Math.floor(at * bytes.length);
  return bytes.slice(0, place) + added + bytes.slice(place + removed);
};
const change: fc.Arbitrary<Change> = fc
  .tuple(
    place,
    fc.oneof(
      fc.nat(255).map(byte => ({removed: 1, added: String.fromCharCode(byte)})),
      oneOf(...INSERTED).map(added => ({removed: 0, added})),
      fc.nat(12).map(removed => ({removed, added: ''})),
    ),
  )
  .map(
    ([at, {removed, added}]): Change =>
      bytes =>
        spliced(bytes, at, removed, added),
  );

const sent: fc.Arbitrary<Sent & {turns: number}> = fc
  .record({
    requests: fc.array(request, {minLength: 1, maxLength: 7}),
    changes: mostly(fc.constant<Change[]>([]), fc.array(change, {minLength: 1, maxLength: 2}), 2),
    cuts: fc.array(place, {maxLength: 4}),
    ending: mostly(oneOf<'close' | 'fin'>('close'), oneOf<'close' | 'fin'>('fin'), 2),
    turns: oneOf(0, 0, 1, 3),
  })
  .map(({requests, changes, cuts, ending, turns}) => {
    const bytes = changes.reduce((all, apply) => apply(all), requests.join(''));
    const places = [0, ...cuts.map(cut => Math.floor(cut * bytes.length)).sort((a, b) => a - b), bytes.length];
    const pieces = places.slice(1).map((end, i) => bytes.slice(places[i], end));
    return {pieces: pieces.filter(piece => piece.length > 0), ending, turns};
  });

/** Ours takes bytes beyond ASCII in a target, as Go does. */
const BEYOND_ASCII = /(?:GET|POST|PUT|PATCH|DELETE) \/[\x21-\x7e]*[\x80-\xff][\x21-\x7e\x80-\xff]* HTTP\/1\.1\r\n/;

/** Each byte by itself, but those of long bodies. */
const slowly = ({pieces, ending}: Sent): Sent => ({pieces: pieces.join('').match(/z{99,}|./gs) ?? [], ending});

const isSameOutcome = (ours: Outcome, node: Outcome, {ending}: Sent): boolean =>
  areSameWholeRequests(ours.asked, node.asked) &&
  (ours.hasLost || node.hasLost || isSame(ours.answers, node.answers)) &&
  (ending === 'fin' || ours.wasClosed === node.wasClosed);

test('usual and wrong requests, in whatever pieces, are understood and answered as by node:http', async () => {
  await fc.assert(
    fc.asyncProperty(sent, async what => {
      fc.pre(!BEYOND_ASCII.test(what.pieces.join('')));
      turns = what.turns;
      const [ours, node] = [await exchange('ours', what), await exchange('node', what)];
      if (!areSameRequests(ours.asked, node.asked)) expect({ours, node}).toBe('the same requests');
      if (isSameOutcome(ours, node, what)) return;
      // What node:http takes and answers before it refuses depends on the pieces: byte by byte it is all that it can.
      const slow = slowly(what);
      const [slowOurs, slowNode] = [await exchange('ours', slow), await exchange('node', slow)];
      if (!isSameOutcome(slowOurs, slowNode, what)) expect({slowOurs, slowNode}).toBe('the same outcome');
    }),
    {numRuns: RUNS},
  );
  expect(wholes).toBeGreaterThan(RUNS / 2);
});
