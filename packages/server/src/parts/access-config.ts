// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade serve` about where clients are let in, and by what → AccessConfig, with every fault at once. */
import {resolve} from 'node:path';
import {collide, formatAddress, isLoopback, type ListenAddress, parseListenAddress} from '../port/addresses.ts';

export type AccessConfig = {
  /** At least one of `http` and `https` is there. */
  readonly http: ListenAddress | undefined;
  readonly https: ListenAddress | undefined;
  readonly grpc: ListenAddress | undefined;
  readonly auth: 'none' | 'tokens';
  readonly tokenAuthFile: string | undefined;
  readonly tls: {readonly certFile: string; readonly keyFile: string} | undefined;
  /** CAs of client certificates in addition to our own, and what they have revoked. */
  readonly clientCaFile: string | undefined;
  readonly clientCrlFile: string | undefined;
};

type Name =
  | 'http'
  | 'https'
  | 'grpc'
  | 'auth'
  | 'token-auth-file'
  | 'tls-cert'
  | 'tls-key'
  | 'client-ca-file'
  | 'client-crl-file';
export type AccessFlags = {readonly [name in Name]: string | undefined};

/** Of --http and --https. */
const OFF = 'off';
/** Where clients look for a server that lets in everyone on the machine. */
const HTTP_WITHOUT_CREDENTIALS = '127.0.0.1:8080';
/** Where clients look for any other server. */
const HTTPS_DEFAULT = '127.0.0.1:6443';

type Addresses = Pick<AccessConfig, 'http' | 'https' | 'grpc'>;

/**
 * HTTPS unless another port is enough: plain HTTP with --auth none, or with a token file. Without credentials of its own, such as a
 * client certificate, nobody could sign in to a server that was just created.
 */
const httpsOf = ({https, http, auth, 'token-auth-file': tokens}: AccessFlags): string => {
  const isHttpEnough = auth === 'none' || ((http ?? OFF) !== OFF && tokens !== undefined);
  return https ?? (isHttpEnough ? OFF : HTTPS_DEFAULT);
};

/** Who is let in where, and options that do not go together. What is missing counts where all words could be read: else it may be there, misspelt. */
const faultsOf = (
  o: AccessFlags,
  {http, https, grpc}: Addresses,
  isRead: boolean,
  missing: (fault: string) => void,
): string[] => {
  const faults: string[] = [];
  if (http !== undefined && !isLoopback(http.host))
    faults.push(`--http ${http.host}: plain HTTP is served on loopback only; use --https for other addresses`);
  if (grpc !== undefined && !isLoopback(grpc.host))
    faults.push(`--grpc ${grpc.host}: plaintext gRPC is served on loopback only; --https serves gRPC too`);
  if (o.auth === 'none' && https !== undefined && !isLoopback(https.host))
    faults.push(`--auth none is refused on ${https.host}: it is allowed on loopback addresses only`);
  const isOff = (o.https ?? OFF) === OFF && (o.http ?? OFF) === OFF;
  if (isRead && isOff && http === undefined && https === undefined)
    missing('no address to listen on: use --https HOST:PORT, or --http HOST:PORT for this machine only');
  if (o.auth === 'none')
    for (const name of ['token-auth-file', 'client-ca-file'] as const)
      if (o[name] !== undefined) faults.push(`--auth none and --${name} cannot be used together`);
  if (isRead && (o['tls-cert'] === undefined) !== (o['tls-key'] === undefined))
    faults.push('--tls-cert and --tls-key must be used together');
  if (isRead && o['client-crl-file'] !== undefined && o['client-ca-file'] === undefined)
    faults.push(
      '--client-crl-file needs --client-ca-file, whose CA signs it; revoke certificates of this server with palisade certs revoke',
    );
  if (isRead && o['client-ca-file'] !== undefined && o.auth !== 'none' && o.https === OFF)
    faults.push('--client-ca-file needs --https: without TLS there are no client certificates');
  return faults;
};

/** Only --http and --grpc may share a socket. */
const portFaults = ({http, https, grpc}: Addresses): string[] => {
  if (https === undefined) return [];
  const said = (flag: string, address: ListenAddress): string => `--${flag} ${formatAddress(address)}`;
  const taken = (flag: string, other: ListenAddress, wayOut: string): string[] =>
    collide(https, other) ? [`${said('https', https)} and ${said(flag, other)} need the same port: ${wayOut}`] : [];
  return [
    ...(http === undefined ? [] : taken('http', http, 'use different ports (0 takes a free port)')),
    ...(grpc === undefined ? [] : taken('grpc', grpc, 'omit --grpc (--https serves gRPC too), or use another port')),
  ];
};

/** `isRead`: all words could be read. `missing`: gets the faults of a configuration that lacks only what lets clients in. */
export const accessConfigOf = (
  o: AccessFlags,
  cwd: string,
  isRead: boolean,
  missing: (fault: string) => void,
): AccessConfig & {readonly faults: readonly string[]} => {
  const faults: string[] = [];
  const address = (name: 'http' | 'https' | 'grpc', text: string | undefined): ListenAddress | undefined => {
    if (text === undefined || (text === OFF && name !== 'grpc')) return undefined;
    const parsed = parseListenAddress(text);
    if (typeof parsed !== 'string') return parsed;
    faults.push(`--${name} ${parsed}`);
    return undefined;
  };
  const addresses = {
    http: address('http', o.http ?? (o.auth === 'none' ? HTTP_WITHOUT_CREDENTIALS : OFF)),
    https: address('https', httpsOf(o)),
    grpc: address('grpc', o.grpc),
  };
  faults.push(...faultsOf(o, addresses, isRead, missing), ...portFaults(addresses));
  const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(cwd, path));
  const certFile = absolute(o['tls-cert']);
  const keyFile = absolute(o['tls-key']);
  return {
    ...addresses,
    auth: o.auth === 'none' ? 'none' : 'tokens',
    tokenAuthFile: absolute(o['token-auth-file']),
    tls: certFile !== undefined && keyFile !== undefined ? {certFile, keyFile} : undefined,
    clientCaFile: absolute(o['client-ca-file']),
    clientCrlFile: absolute(o['client-crl-file']),
    faults,
  };
};
