// SPDX-License-Identifier: Apache-2.0
/**
 * Page tokens: opaque, bound to the query that they came from, good after a restart (they hold a position, not a cursor), and
 * with a checksum, so that an altered one is refused. They grant nothing: every request is authorised by itself.
 *
 * Layout: base64url of `1.<checksum>.<JSON position>`; the checksum covers the query and the position.
 */

export const PAGE_TOKEN_LENGTH_MAX = 8_192;

/** `position`: JSON. `query`: everything that must not change between pages (parent, filter, order). */
export const encodePageToken = (query: readonly string[], position: unknown): string => {
  const body = JSON.stringify(position);
  return toBase64Url(`1.${checksum(query, body)}.${body}`);
};

/** Undefined: not ours, altered, or from another query. */
export const decodePageToken = (query: readonly string[], token: string): unknown => {
  if (token.length > PAGE_TOKEN_LENGTH_MAX || !/^[A-Za-z0-9_-]+$/.test(token)) return undefined;
  const match = /^1\.([0-9a-f]{26})\.(.*)$/s.exec(fromBase64Url(token) ?? '');
  const [, sum = '', body = ''] = match ?? [];
  if (match === null || sum !== checksum(query, body)) return undefined;
  return JSON.parse(body);
};

/** Two 52-bit multiplicative hashes with different seeds, as 26 hexadecimal digits. Not cryptographic; see above. */
const checksum = (query: readonly string[], body: string): string => {
  const text = JSON.stringify([...query, body]);
  return `${hash53(text, 0x9e3779b1)}${hash53(text, 0x85ebca77)}`;
};

// Ref: cyrb53 (public domain): two 32-bit FNV-like lanes, mixed at the end.
const hash53 = (text: string, seed: number): string => {
  let h1 = 0xdeadbeef ^ seed;
  let h2 = 0x41c6ce57 ^ seed;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    h1 = Math.imul(h1 ^ code, 2654435761);
    h2 = Math.imul(h2 ^ code, 1597334677);
  }
  h1 = Math.imul(h1 ^ (h1 >>> 16), 2246822507) ^ Math.imul(h2 ^ (h2 >>> 13), 3266489909);
  h2 = Math.imul(h2 ^ (h2 >>> 16), 2246822507) ^ Math.imul(h1 ^ (h1 >>> 13), 3266489909);
  return ((h2 & 0xfffff) * 0x100000000 + (h1 >>> 0)).toString(16).padStart(13, '0');
};

const toBase64Url = (text: string): string => {
  const bytes = new TextEncoder().encode(text);
  const binary = Array.from(bytes, byte => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
};

const fromBase64Url = (token: string): string | undefined => {
  try {
    const binary = atob(token.replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder('utf-8', {fatal: true}).decode(Uint8Array.from(binary, c => c.charCodeAt(0)));
  } catch {
    return undefined; // not base64, or not UTF-8: not a token of ours
  }
};
