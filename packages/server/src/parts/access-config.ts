// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade serve` about where clients are let in, and by what → AccessConfig, with every fault at once. */
import {isIP} from 'node:net';
import {resolve} from 'node:path';
import {collide, formatAddress, isLoopback, type ListenAddress, parseListenAddress} from '../port/addresses.ts';
import {namesIn} from './names-in.ts';

export type AccessConfig = {
  /** At least one of `http` and `https` is there. */
  readonly http: ListenAddress | undefined;
  readonly https: ListenAddress | undefined;
  readonly grpc: ListenAddress | undefined;
  readonly auth: 'none' | 'tokens';
  readonly tokenAuthFile: string | undefined;
  readonly tls: {readonly certFile: string; readonly keyFile: string} | undefined;
  /** Names and addresses of our own server certificate, in addition to those of the machine. */
  readonly tlsNames: readonly string[];
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
export type AccessFlags = {readonly [name in Name]: string | undefined} & {readonly 'tls-names': readonly string[]};

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

/** One label after another, or `*` as the first. Ref: RFC 1123 §2.1, RFC 6125 §6.4.3. */
const DNS_NAME =
  /^(?=.{1,253}$)(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

const tlsNamesOf = (o: AccessFlags, https: ListenAddress | undefined, isRead: boolean) => {
  const names = [...new Set(namesIn(o['tls-names']))];
  const faults = names
    .filter(name => isIP(name) === 0 && !DNS_NAME.test(name))
    .map(name => `--tls-names ${name}: must be a DNS name or an IP address, such as palisade.example or 10.98.0.1`);
  if (names.length > 0 && o['tls-cert'] !== undefined)
    faults.push('--tls-names is for the certificate that the server issues: leave it out with --tls-cert');
  if (isRead && names.length > 0 && https === undefined)
    faults.push('--tls-names needs --https: without TLS there is no certificate');
  return {names, faults};
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
  const {names: tlsNames, faults: nameFaults} = tlsNamesOf(o, addresses.https, isRead);
  faults.push(...nameFaults);
  const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(cwd, path));
  const certFile = absolute(o['tls-cert']);
  const keyFile = absolute(o['tls-key']);
  return {
    ...addresses,
    auth: o.auth === 'none' ? 'none' : 'tokens',
    tokenAuthFile: absolute(o['token-auth-file']),
    tls: certFile !== undefined && keyFile !== undefined ? {certFile, keyFile} : undefined,
    tlsNames,
    clientCaFile: absolute(o['client-ca-file']),
    clientCrlFile: absolute(o['client-crl-file']),
    faults,
  };
};
