// SPDX-License-Identifier: Apache-2.0
/** A client of undici for one connection of one check. */
import {isIPv6, type Socket} from 'node:net';
import {Client} from 'undici';
import {BODY_BYTES_MAX, HEADER_BYTES_MAX} from '../limits.ts';
import type {CheckTarget, HttpMethod} from '../port.ts';
import type {Attempt} from './attempt.ts';
import {type CheckPorts, openSocket} from './open-socket.ts';

export type HttpParts = Pick<HttpMethod, 'tls' | 'host' | 'headers'>;

const USER_AGENT = 'palisade-check';

export const originOf = ({ip, port}: CheckTarget, {tls}: HttpParts): string =>
  `${tls === undefined ? 'http' : 'https'}://${isIPv6(ip) ? `[${ip}]` : ip}:${port}`;

/** What is not printable ASCII, percent-encoded: as a client of a URL would send it. */
export const sentPath = (path: string): string => {
  const encoded = path.toWellFormed().replace(/[^\x21-\x7e]+/gu, encodeURIComponent);
  return encoded.startsWith('/') ? encoded : `/${encoded}`;
};

/** The Host header is the one among the headers, else `host`. Names are in lower case. */
export const sentHeaders = ({host, headers}: HttpParts): readonly (readonly [name: string, value: string])[] => {
  const given = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  const has = (name: string): boolean => given.some(([other]) => other === name);
  return [
    ...(host === undefined || has('host') ? [] : [['host', host] as const]),
    ...(has('user-agent') ? [] : [['user-agent', USER_AGENT] as const]),
    ...(has('accept') ? [] : [['accept', '*/*'] as const]),
    ...given,
  ];
};

export type HttpConnection = {
  /** Protocols that are offered in TLS. */
  readonly protocols: readonly string[];
  /** HTTP/2 without TLS and without an upgrade. */
  readonly isPriorKnowledge: boolean;
  /** What is waited for when the connection is up. */
  readonly waitsFor: string;
};

/** Closed with the attempt. */
export const openClient = (
  attempt: Attempt,
  target: CheckTarget,
  method: HttpParts,
  ports: CheckPorts,
  {protocols, isPriorKnowledge, waitsFor}: HttpConnection,
): Client => {
  const {ip, port} = target;
  const client = new Client(originOf(target, method), {
    connect: (_options, connected) => {
      openSocket(attempt, {ip, port, tls: method.tls, protocols}, ports, socket => {
        attempt.waitsFor = waitsFor;
        // After the client, which forgets the connection when its peer says GOAWAY, and stumbles over one that goes first.
        attempt.closeWith(() => void ports.timers.after(0, () => socket.destroy()));
        if (isPriorKnowledge) speakHttp2(socket);
        connected(null, socket);
      });
    },
    ...{pipelining: 1, headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: HEADER_BYTES_MAX, allowH2: true},
    webSocket: {maxPayloadSize: BODY_BYTES_MAX, maxFragments: 16},
  });
  attempt.closeWith(() => client.destroy(() => undefined));
  return client;
};

/** What undici looks at to choose the protocol; its own connector sets it for cleartext HTTP/2 in the same way. */
const speakHttp2 = (socket: Socket): void => {
  Object.assign(socket, {alpnProtocol: 'h2'});
};
