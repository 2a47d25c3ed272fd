// SPDX-License-Identifier: Apache-2.0
/**
 * `--auth none` lets in every local client: the programs of this machine, and among them its browser, which sends what pages of any
 * site have it send. Such a page can write without reading the answer, and read once its own name leads to this machine (DNS
 * rebinding). What a browser says about a request it sent for a page tells them apart; other programs say nothing of it.
 * Ref: Fetch Metadata Request Headers (`Sec-Fetch-*`); RFC 6454 section 7; kubectl proxy's `--accept-hosts`; RFC 6761 section 6.3.
 */
import {isIPv4, isIPv6} from 'node:net';
import {asksForWebSocket, type ClientCertificate} from '@palisade/apiserver';
import {actsByToken} from './own-credential.ts';

type Asked = {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
};

const ITS_OWN: ReadonlySet<string> = new Set(['same-origin', 'none']);
const WAYS_OUT = 'send it from a program, or use tokens (--token-auth-file)';

const textOf = (headers: Asked['headers'], name: string): string | undefined => {
  const value = headers[name];
  return value === undefined || typeof value === 'string' ? value : value[0];
};

/** Host and port as a URL has them, without a user. */
const AUTHORITY = /^(?:\[([\da-f:.]+)\]|([^:[\]]*))(?::\d*)?$/i;
/**
 * Names that lead to this machine wherever they are asked for, and names in domains that the public DNS has nobody in:
 * `host.docker.internal` is this machine. A name without a dot may be anybody's in the local network (search domains, mDNS).
 * Ref: RFC 6761; WHATWG URL (a browser sends other spellings of an address as the address); ICANN on `.internal`, 2024.
 */
const OF_NOBODY = /^(?:localhost|[\w.-]+\.(?:localhost|test|internal))\.?$/i;

/** A host that no page of the web can have. A request without one is from no browser. `names`: in lower case. */
const isOfThisMachine = (authority: string, names: ReadonlySet<string>): boolean => {
  const [, v6, name = ''] = AUTHORITY.exec(authority) ?? [];
  if (authority === '') return true;
  if (v6 !== undefined) return isIPv6(v6);
  return isIPv4(name) || OF_NOBODY.test(name) || names.has(name.toLowerCase().replace(/\.$/, ''));
};

/** The authority of a target that is a whole URL, as sent to a proxy. Ref: RFC 9112 section 3.2.2. */
const authorityIn = (target: string | undefined): string | undefined =>
  /^https?:\/\/([^/?#]*)/i.exec(target ?? '')?.[1];

/** As a browser writes it: no user, no path. */
const ORIGIN = /^(https?):\/\/([^/?#@]+)$/i;
/** Host and port of a URL: the port that its scheme has anyway is not written. Ref: WHATWG URL, "port". */
const hostAndPort = (authority: string, scheme: string): string =>
  authority.toLowerCase().replace(scheme.toLowerCase() === 'https' ? /:(443)?$/ : /:(80)?$/, '');

/** Whether a page of `origin` is of the host that is asked. The scheme is that of the origin: a proxy may have ended TLS. */
const isOwnOrigin = (origin: string, asked: string | undefined): boolean => {
  const [, scheme, from] = ORIGIN.exec(origin) ?? [];
  if (scheme === undefined || from === undefined || asked === undefined) return false;
  return hostAndPort(from, scheme) === hostAndPort(asked, scheme);
};

const NO_NAMES: ReadonlySet<string> = new Set();

/** Why a page of somebody else's may be behind the request; undefined: none is. `names`: more names that lead to this machine. */
export const whyForeign = ({method, url, headers}: Asked, names = NO_NAMES): string | undefined => {
  const asked = [authorityIn(url), textOf(headers, ':authority'), textOf(headers, 'host')].filter(
    host => host !== undefined,
  );
  const foreign = asked.find(host => !isOfThisMachine(host, names));
  if (foreign !== undefined)
    return `Host "${foreign}": with --auth none the host must be an IP address (127.0.0.1, [::1]) or localhost, the name of this machine or one of --tls-names, because a web page can have any other name; use one of these, or tokens (--token-auth-file)`;
  const origin = textOf(headers, 'origin');
  if (origin !== undefined && !isOwnOrigin(origin, asked[0]))
    return `Origin "${origin}": with --auth none requests from pages of other sites are refused; ${WAYS_OUT}`;
  const site = textOf(headers, 'sec-fetch-site');
  const isLink = method === 'GET' && textOf(headers, 'sec-fetch-mode') === 'navigate';
  if (site !== undefined && !ITS_OWN.has(site) && !isLink)
    return `Sec-Fetch-Site "${site}": with --auth none requests from pages of other sites are refused; ${WAYS_OUT}`;
  return undefined;
};

/**
 * The same where credentials are asked for: what changes something, and a WebSocket, which shows its answer to any page. A browser adds
 * cookies and client certificates to requests for pages of any site, but no Authorization header; such a page cannot read other answers.
 * Programs say nothing of it. Ref: Go, net/http/csrf.go, CrossOriginProtection: Sec-Fetch-Site decides, and Origin where it is missing.
 */
export const whyCrossSite = (
  {method, url, headers}: Asked,
  clientCertificate?: ClientCertificate,
): string | undefined => {
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  if ((isRead && !asksForWebSocket(headers)) || actsByToken({headers, clientCertificate})) return undefined;
  const wayOut = 'open the console of this server, or send a bearer token';
  const site = textOf(headers, 'sec-fetch-site');
  if (site !== undefined)
    return ITS_OWN.has(site)
      ? undefined
      : `Sec-Fetch-Site "${site}": requests from pages of other sites are refused; ${wayOut}`;
  const origin = textOf(headers, 'origin');
  const asked = authorityIn(url) ?? textOf(headers, ':authority') ?? textOf(headers, 'host');
  if (origin === undefined || isOwnOrigin(origin, asked)) return undefined;
  return `Origin "${origin}": requests from pages of other sites are refused; ${wayOut}`;
};
