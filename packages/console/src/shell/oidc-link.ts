// SPDX-License-Identifier: Apache-2.0
import {BASE} from '../links.ts';

/** Pages of the console; the server leads back to no other page. */
const CONSOLE = `${BASE}/`;

type Place = {readonly pathname: string; readonly search: string; readonly hash: string};

/** The sign-in at the issuer, which leads back to the page that is open. `url`: of the server, a path. */
export function oidcLink(url: string, {pathname, search, hash}: Place): string {
  const page = pathname + search + hash;
  if (!pathname.startsWith(CONSOLE) || page === CONSOLE) return url;
  return `${url}${url.includes('?') ? '&' : '?'}return=${encodeURIComponent(page)}`;
}
