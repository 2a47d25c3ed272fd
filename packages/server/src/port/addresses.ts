// SPDX-License-Identifier: Apache-2.0
import {isIP} from 'node:net';

export type ListenAddress = {readonly host: string; readonly port: number};

/** `HOST:PORT`, `[v6]:PORT`; port 0 takes a free one. Returns a fault text instead of throwing. */
export const parseListenAddress = (text: string): ListenAddress | string => {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port > 65535)
    return `"${text}" is not HOST:PORT (for example 127.0.0.1:8080 or [::1]:8080)`;
  return {host, port};
};

/** Loopback by address or by the one name that always means it. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || (isIP(host) === 4 && host.startsWith('127.')) || host === '::1';

/** The address as a client on this machine reaches it: a listener on all addresses is reached at loopback. */
export const reachable = ({host, port}: ListenAddress): ListenAddress => ({
  host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host,
  port,
});

export const formatAddress = (address: ListenAddress): string =>
  `${isIP(address.host) === 6 ? `[${address.host}]` : address.host}:${address.port}`;

/** Where a client on this machine reaches it. */
export const urlOf = (address: ListenAddress, scheme: 'http' | 'https'): string =>
  `${scheme}://${formatAddress(reachable(address))}`;

const covers = (host: string, other: string): boolean =>
  host === other || host === '::' || (host === '0.0.0.0' && isIP(other) !== 6);

/** Whether one socket takes what the other one needs: a listener on all addresses takes its port on each of them. */
export const collide = (a: ListenAddress, b: ListenAddress): boolean =>
  a.port !== 0 && a.port === b.port && (covers(a.host, b.host) || covers(b.host, a.host));
