// SPDX-License-Identifier: Apache-2.0
import {isIP} from 'node:net';
import {type HttpRequest, headerOf} from '../exchange.ts';

const plainAddress = (text: string): string => text.trim().replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');

/**
 * The addresses that proxies say they had the request from, then the one that the connection has: only the last is vouched for.
 * Ref: kubernetes v1.36 apimachinery/pkg/util/net/http.go, SourceIPs.
 */
export const sourceIpsOf = (request: HttpRequest, remoteAddress: string | undefined): string[] => {
  const forwarded = (headerOf(request, 'x-forwarded-for') ?? '').split(',').map(plainAddress);
  const found = forwarded.filter(text => isIP(text) !== 0);
  const real = plainAddress(headerOf(request, 'x-real-ip') ?? '');
  if (isIP(real) !== 0 && !found.includes(real)) found.push(real);
  const remote = plainAddress(remoteAddress ?? '');
  if (isIP(remote) !== 0 && found.at(-1) !== remote) found.push(remote);
  return found;
};
