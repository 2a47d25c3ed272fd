// SPDX-License-Identifier: Apache-2.0
/**
 * Redirects are followed to the checked host and port only: everything else would be a connection that nobody asked for. Ref:
 * kubernetes v1.36 pkg/probe/http/http.go, RedirectChecker (which compares host names alone).
 */
import type {CheckTarget, HttpMethod} from '../port.ts';
import {originOf, sentHeaders} from './http-client.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** `path` on the same host, or the origin elsewhere; undefined: no redirect, or one that is the expected answer. */
export type Redirect = {readonly path: string} | {readonly elsewhere: string} | undefined;

/** Ranges of redirects alone, such as `302` or `300-308`: who names them wants them as the answer. */
const isWanted = (status: number, {expected}: HttpMethod): boolean =>
  expected.some(([from, to]) => from >= 300 && to <= 399 && from <= status && status <= to);

const portOf = ({port, protocol}: URL): string => port || (protocol === 'https:' ? '443' : '80');

/** How the server may name itself: by the address and port, or as the Host header does. */
const ownUrls = (target: CheckTarget, method: HttpMethod): readonly URL[] => {
  const scheme = method.tls === undefined ? 'http' : 'https';
  const host = sentHeaders(method).find(([name]) => name === 'host')?.[1];
  const named = host === undefined ? null : URL.parse(`${scheme}://${host}`);
  const own = new URL(originOf(target, method));
  return named === null ? [own] : [named, own, Object.assign(new URL(named.href), {port: String(target.port)})];
};

/** `path`: of the request that was answered. */
export const redirectOf = (
  status: number,
  location: string | undefined,
  path: string,
  target: CheckTarget,
  method: HttpMethod,
): Redirect => {
  if (!REDIRECTS.has(status) || location === undefined || isWanted(status, method)) return undefined;
  const [base, ...others] = ownUrls(target, method);
  const next = base === undefined ? null : URL.parse(location, new URL(path, base).href);
  if (base === undefined || next === null) return {elsewhere: 'an invalid URL'};
  const isSame = [base, ...others].some(
    own => own.protocol === next.protocol && own.hostname === next.hostname && portOf(own) === portOf(next),
  );
  return isSame ? {path: `${next.pathname}${next.search}`} : {elsewhere: next.origin};
};
