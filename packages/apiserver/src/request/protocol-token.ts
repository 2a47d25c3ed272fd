// SPDX-License-Identifier: Apache-2.0
/**
 * The token of a browser, which can send none in a header with a WebSocket: it is one of the protocols that are offered.
 * Ref: kubernetes v1.36 apiserver/pkg/authentication/request/websocket/protocol.go.
 */
import {isUtf8} from 'node:buffer';

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const PREFIX = 'base64url.bearer.authorization.k8s.io.';

const listed = (headers: Headers): string[] => {
  const value = headers['sec-websocket-protocol'] ?? '';
  const text = typeof value === 'string' ? value : value.join(',');
  return text.trim() === '' ? [] : text.split(',').map(protocol => protocol.trim());
};

/** Without that of the token, which is not sent back. */
export const offeredProtocols = (headers: Headers): string[] =>
  listed(headers).filter(protocol => !protocol.startsWith(PREFIX));

/** Malformed: two of them, one that is no base64 of UTF-8, or no other protocol beside it that could be agreed on. */
export const protocolToken = (headers: Headers): {readonly token: string} | 'malformed' | undefined => {
  const [encoded, second] = listed(headers)
    .filter(protocol => protocol.startsWith(PREFIX))
    .map(protocol => protocol.slice(PREFIX.length));
  if (encoded === undefined) return undefined;
  if (second !== undefined || offeredProtocols(headers).length === 0) return 'malformed';
  if (!/^[\w-]*$/.test(encoded) || encoded.length % 4 === 1) return 'malformed';
  const bytes = Buffer.from(encoded, 'base64url');
  if (!isUtf8(bytes)) return 'malformed';
  return bytes.length === 0 ? undefined : {token: bytes.toString('utf8')};
};
