// SPDX-License-Identifier: Apache-2.0
/**
 * What hostile members of a group answer to checks, over real connections on loopback. A check ends once, within its time, with one
 * line of printable text; an error that nobody listens to ends the thread, which is a finding of the frame.
 */
import {startCheck} from '../../../packages/prober/src/checks/start-check.ts';
import {TlsContexts} from '../../../packages/prober/src/checks/tls-contexts.ts';
import {MESSAGE_CHARS_MAX} from '../../../packages/prober/src/limits.ts';
import type {CheckMethod, Outcome} from '../../../packages/prober/src/port.ts';
import {ANY_TLS, HTTP, realTimers, targetOf} from '../../../packages/prober/src/testing/check-once.ts';
import {ACCEPT, Peer} from '../frame/peer.ts';
import {claim, target} from '../frame/target.ts';

/** The peer answers and ends at once: a check that waits any longer waits for nothing. */
const TIMEOUT_MS = 5_000;
const contexts = new TlsContexts();

const nextTurn = (): Promise<void> => new Promise(resolve => void setImmediate(resolve));

async function outcomeOf(method: CheckMethod, answer: Buffer): Promise<Outcome['kind']> {
  const peer = await Peer.ofThread();
  peer.answer = answer;
  const ends: Outcome[] = [];
  const {promise, resolve} = Promise.withResolvers<void>();
  const ports = {contexts, guard: () => undefined, timers: realTimers};
  const check = startCheck(targetOf(peer.port, method), ports, outcome => {
    ends.push(outcome);
    resolve();
  });
  const late = realTimers.after(TIMEOUT_MS, () => check.timeOut(TIMEOUT_MS));
  await promise;
  late.cancel();
  await nextTurn(); // what the check left behind fails now, or never
  const {kind, message} = ends[0] as Outcome;
  claim(ends.length === 1, `the check ended ${ends.length} times`);
  claim(!/^timed out/.test(message), message);
  claim(
    message.length <= MESSAGE_CHARS_MAX && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(message),
    `the words ${JSON.stringify(message)}`,
  );
  return kind;
}

const check = (name: string, method: CheckMethod, seeds: readonly (string | Uint8Array)[], words: readonly string[]) =>
  target({
    name,
    form: 'bytes',
    bytesMax: 100_000,
    seeds,
    words,
    decode: input => outcomeOf(method, input),
  });

const HTTP_WORDS = [
  'HTTP/1.1 ',
  ' 200 ',
  '\r\n',
  '\r\n\r\n',
  'Content-Length: ',
  'Transfer-Encoding: chunked\r\n',
  'Location: ',
  ': ',
];

/** A frame of HTTP/2. Ref: RFC 9113, section 4.1. */
const frame = (type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};
/** A header without indexing, as a literal. Ref: RFC 7541, section 6.2.2. */
const header = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)]);
const SETTINGS = Buffer.concat([frame(4, 0, 0), frame(4, 1, 0)]);
const HEADERS = Buffer.concat([Buffer.from([0x88]), header('content-type', 'application/grpc')]);
const SERVING = Buffer.from([0, 0, 0, 0, 2, 8, 1]);
const TRAILERS = header('grpc-status', '0');
const H2_SEEDS = [
  Buffer.concat([SETTINGS, frame(1, 5, 1, Buffer.from([0x88]))]),
  Buffer.concat([SETTINGS, frame(1, 4, 1, HEADERS), frame(0, 0, 1, SERVING), frame(1, 5, 1, TRAILERS)]),
  Buffer.concat([SETTINGS, frame(1, 4, 1, HEADERS), frame(1, 5, 1, header('grpc-status', '12'))]),
  Buffer.concat([SETTINGS, frame(3, 0, 1, Buffer.from([0, 0, 0, 8])), frame(6, 0, 0, Buffer.alloc(8))]),
  Buffer.concat([SETTINGS, frame(8, 0, 0, Buffer.from([0x7f, 0xff, 0xff, 0xff])), frame(7, 0, 0, Buffer.alloc(8))]),
  Buffer.concat([SETTINGS, frame(1, 4, 1, HEADERS), frame(0, 1, 1, Buffer.from([1, 0xff, 0xff, 0xff, 0xff, 0]))]),
];
const parts = {tls: undefined, host: undefined, headers: []} as const;

export const proberTargets = [
  check(
    'check-tls',
    {type: 'tls', tls: ANY_TLS},
    [
      Buffer.from('15030300020228', 'hex'),
      Buffer.from(`160303004a020000460303${'11'.repeat(32)}20${'22'.repeat(32)}c02b00`, 'hex'),
      'HTTP/1.1 400 Bad Request\r\n\r\n',
    ],
    [],
  ),
  check(
    'check-http',
    HTTP,
    [
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n',
      'HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 301 Moved\r\nLocation: http://192.0.2.1/\r\n\r\n',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
      'HTTP/1.0 200\r\nContent-Encoding: gzip\r\nContent-Length: 99\r\n\r\n\x1f\x8b',
      'SSH-2.0-x\r\n',
    ],
    HTTP_WORDS,
  ),
  check('check-http2', {...HTTP, version: '2-prior-knowledge'}, [...H2_SEEDS, 'HTTP/1.1 200 OK\r\n\r\n'], []),
  check(
    'check-web-socket',
    {...parts, type: 'web-socket', path: '/'},
    [
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${ACCEPT}\r\n\r\n\x88\x02\x03\xe8`,
      `HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${ACCEPT}\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n\xc1\x7f\xff`,
      `HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${ACCEPT}\r\nSec-WebSocket-Protocol: a\r\n\r\n\x81\x05hello\x89\x00`,
      'HTTP/1.1 200 OK\r\n\r\n',
    ],
    [...HTTP_WORDS, ACCEPT, 'Upgrade: websocket\r\n', '\x81\x00', '\x88\x00', '\x89\x7d'],
  ),
  check('check-grpc', {...parts, type: 'grpc', service: ''}, H2_SEEDS, []),
];
