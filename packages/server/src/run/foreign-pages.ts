// SPDX-License-Identifier: Apache-2.0
/**
 * `--auth none` lets in whoever can connect: the programs of this machine, and among them its browser, which sends what pages of any
 * site have it send. Such a page can write without reading the answer, and read once its own name leads to this machine (DNS
 * rebinding). What a browser says about a request it sent for a page tells them apart; other programs say nothing of it.
 * Ref: Fetch Metadata Request Headers (`Sec-Fetch-*`); RFC 6454 section 7; kubectl proxy's `--accept-hosts`; RFC 6761 section 6.3.
 */
import {isIP} from 'node:net';

type Asked = {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
};

const ITS_OWN: ReadonlySet<string> = new Set(['same-origin', 'none']);
const WAYS_OUT = 'let a program send it, or give users tokens (--token-auth-file)';

const textOf = (headers: Asked['headers'], name: string): string | undefined => {
  const value = headers[name];
  return value === undefined || typeof value === 'string' ? value : value[0];
};

/** Domains that the public DNS has nobody in: `host.docker.internal` is this machine. Ref: RFC 6761; ICANN on `.internal`, 2024. */
const OF_NOBODY = /\.(?:localhost|test|internal)$/i;

/** A name that no page of the web can have: an address, one without a dot, or one of such a domain. */
const isOfThisMachine = (host: string): boolean => {
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(host)?.[1]?.replace(/^\[|[\].]$/g, '');
  return name !== undefined && (isIP(name) !== 0 || !name.includes('.') || OF_NOBODY.test(name));
};

/** Why a page of somebody else's may be behind the request; undefined: none is. */
export const whyForeign = ({method, headers}: Asked): string | undefined => {
  const host = textOf(headers, ':authority') ?? textOf(headers, 'host');
  if (host !== undefined && !isOfThisMachine(host))
    return `Host "${host}": with --auth none this server is asked for by an address (127.0.0.1, [::1]), as localhost or by a name without a dot, since any other may be that of a web page; ask so, or give users tokens (--token-auth-file)`;
  const origin = textOf(headers, 'origin');
  if (origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host?.toLowerCase()))
    return `Origin "${origin}": with --auth none nothing is done for pages of other sites; ${WAYS_OUT}`;
  const site = textOf(headers, 'sec-fetch-site');
  const isLink = method === 'GET' && textOf(headers, 'sec-fetch-mode') === 'navigate';
  if (site !== undefined && !ITS_OWN.has(site) && !isLink)
    return `Sec-Fetch-Site "${site}": with --auth none nothing is done for pages of other sites; ${WAYS_OUT}`;
  return undefined;
};
