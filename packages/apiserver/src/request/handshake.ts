// SPDX-License-Identifier: Apache-2.0
/**
 * Who asks for a WebSocket, and what is answered. Ref: RFC 6455 section 4.2; kubernetes v1.36
 * streaming/pkg/httpstream/wsstream/conn.go IsWebSocketRequest; golang.org/x/net v0.49 websocket/hybi.go, server.go.
 */
import {createHash} from 'node:crypto';
import {type Headers, offeredProtocols} from './protocol-token.ts';

/** Ref: RFC 6455 section 1.3. */
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const VERSION = '13';

const textOf = (headers: Headers, name: string): string => {
  const value = headers[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
};

export const asksForWebSocket = (headers: Headers): boolean =>
  textOf(headers, 'upgrade').toLowerCase() === 'websocket' &&
  /(^|,\s*)upgrade($|\s*,)/.test(textOf(headers, 'connection').toLowerCase());

/** The head of the answer, and whether messages may follow it. */
export type Handshake = {readonly isOpen: boolean; readonly text: string};

const refused = (text: string): Handshake => ({isOpen: false, text: `HTTP/1.1 ${text}`});

/** For a GET that asks for a WebSocket; `byCredential`: whoever asks was known by a credential of theirs. */
export const handshakeOf = (headers: Headers, byCredential: boolean): Handshake => {
  const key = textOf(headers, 'sec-websocket-key');
  if (key === '') return refused('400 Bad Request\r\n\r\nmismatch challenge/response');
  if (textOf(headers, 'sec-websocket-version') !== VERSION)
    return refused(`400 Bad Request\r\nSec-WebSocket-Version: ${VERSION}\r\n\r\nmissing or bad WebSocket Version`);
  if (!isTrusted(headers, byCredential)) return refused('403 Forbidden\r\n\r\n');
  const protocols = offeredProtocols(headers);
  if (protocols.length > 1) return refused('400 Bad Request\r\n\r\n');
  const accept = createHash('sha1').update(key).update(KEY_SUFFIX).digest('base64');
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    ...protocols.map(protocol => `Sec-WebSocket-Protocol: ${protocol}`),
  ];
  return {isOpen: true, text: `${lines.join('\r\n')}\r\n\r\n`};
};

/**
 * A browser lets pages of any site open a WebSocket to any server. Without a credential, which such a page does not have, only pages
 * of this server are let in: a server with `--auth none` would show them everything.
 */
const isTrusted = (headers: Headers, byCredential: boolean): boolean => {
  const text = textOf(headers, 'origin');
  const origin = URL.canParse(text) && !/%(?![0-9a-f]{2})/i.test(text) ? new URL(text) : undefined;
  if (byCredential) return origin !== undefined || text.startsWith('/');
  return origin?.host === textOf(headers, 'host').toLowerCase();
};
