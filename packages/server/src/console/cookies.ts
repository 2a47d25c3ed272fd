// SPDX-License-Identifier: Apache-2.0
/** Cookies of the console. Ref: RFC 6265; the prefix `__Host-` (RFC 6265bis section 4.1.3.2) keeps other hosts from setting one. */
import type {Arrival} from '@palisade/apiserver';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export const SESSION_COOKIE = 'palisade-session';
export const SIGN_IN_COOKIE = 'palisade-sign-in';

/**
 * The name over TLS is another one: a cookie that was set over plain HTTP never counts there. Cookies know no ports, so the name does:
 * servers at two ports of a host do not replace each other's. Ref: RFC 6265 section 8.5.
 */
export const cookieName = (name: string, {port, isSecure}: Arrival): string =>
  `${isSecure ? '__Host-' : ''}${name}-${port}`;

/** Undefined: no such cookie. Of two with one name the first counts, which has the longer path. */
export const cookieIn = (headers: Headers, name: string): string | undefined => {
  const line = headers['cookie'];
  if (line === undefined) return undefined;
  for (const pair of (typeof line === 'string' ? line : line.join('; ')).split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
};

type Cookie = {
  readonly name: string;
  readonly value: string;
  /** Of the request that it answers. */
  readonly arrival: Arrival;
  /** `Lax`: also sent with a link from another site, which the answer of an issuer is. */
  readonly sameSite: 'Strict' | 'Lax';
  /** Absent: until the browser is closed. 0: delete it. */
  readonly maxAgeSeconds?: number;
};

/** A value of Set-Cookie. */
export const cookieText = ({name, value, arrival, sameSite, maxAgeSeconds}: Cookie): string =>
  [
    `${cookieName(name, arrival)}=${value}`,
    'Path=/',
    'HttpOnly',
    `SameSite=${sameSite}`,
    ...(arrival.isSecure ? ['Secure'] : []),
    ...(maxAgeSeconds === undefined ? [] : [`Max-Age=${maxAgeSeconds}`]),
  ].join('; ');
