// SPDX-License-Identifier: Apache-2.0
/** What an error of a socket, of TLS or of a protocol means for a check, in plain words with the way out. */
import {isIPv6} from 'node:net';
import {networkInterfaces} from 'node:os';
import type {Outcome} from '../port.ts';

const TRUST = 'put the issuer into tlsConfig.caBundle, or set tlsConfig.insecureSkipVerify';
const UNTRUSTED = `the certificate is not signed by a trusted authority; ${TRUST}`;
const NOT_TLS = 'the port does not answer with TLS';
const NOT_HTTP2 = 'the answer is not HTTP/2';
const NO_IPV6 = 'no IPv6 on this host; give it an address of IPv6, or take the member out';

/** By the code of the error. `{}` stands for what the check was doing. */
const FAILED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by the peer while {}',
  ECONNABORTED: 'connection aborted while {}',
  EPIPE: 'connection closed by the peer while {}',
  UND_ERR_SOCKET: 'connection closed by the peer while {}',
  EHOSTUNREACH: 'no route to the address: the host does not answer',
  EHOSTDOWN: 'no route to the address: the host is down',
  ENETUNREACH: 'no route to the network of the address',
  ENETDOWN: 'no route to the network of the address: the network is down',
  ETIMEDOUT: 'timed out in the network while {}',
  EACCES: 'forbidden by a firewall of the checking machine',
  EPERM: 'forbidden by a firewall of the checking machine',
  EINVAL: 'the address cannot be connected to',
  EAFNOSUPPORT: NO_IPV6, // there is no kernel without IPv4
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer has another length than it says',
  UND_ERR_INVALID_ARG: 'the request cannot be sent: {error}',
  UND_ERR_INFO: 'HTTP failed while {}: {error}',
  ERR_ASSERTION: 'the answer is not what the protocol allows here', // as undici says it of some
  ERR_HTTP2_ERROR: NOT_HTTP2,
  ERR_HTTP2_STREAM_ERROR: 'HTTP/2 stream error while {}: {error}',
  ERR_HTTP2_SESSION_ERROR: 'HTTP/2 connection error while {}: {error}',
  ERR_HTTP2_STREAM_CANCEL: 'HTTP/2 stream canceled by the peer while {}',
  ERR_HTTP2_GOAWAY_SESSION: 'HTTP/2 connection closed by the peer while {}',
  CERT_HAS_EXPIRED: 'the certificate has expired; renew it, or set tlsConfig.insecureSkipVerify',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet; look at the clocks, or set tlsConfig.insecureSkipVerify',
  CERT_REVOKED: 'the certificate was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: `the certificate is self-signed; put it into tlsConfig.caBundle, or set tlsConfig.insecureSkipVerify`,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
  ERR_SSL_WRONG_VERSION_NUMBER: NOT_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NOT_TLS,
  ERR_SSL_HTTP_REQUEST: NOT_TLS,
  ERR_SSL_UNEXPECTED_MESSAGE: NOT_TLS,
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'the peer speaks none of the offered protocols over TLS',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'the peer speaks only old versions of TLS; TLS 1.2 is needed',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'the peer and the check have no version of TLS in common',
};

/** What this machine ran out of, which may pass: it says nothing about the target. */
const NOT_MADE: Readonly<Record<string, string>> = {
  EMFILE: 'too many open files; raise the limit of the process (LimitNOFILE)',
  ENFILE: 'too many open files on this machine',
  ENOBUFS: 'no memory for the connection',
  ENOMEM: 'no memory for the connection',
  EADDRNOTAVAIL: 'no free local port; raise net.ipv4.ip_local_port_range',
};

type ErrorLike = {
  readonly code?: unknown;
  readonly name?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly host?: unknown;
  readonly address?: unknown;
  readonly cert?: {readonly subjectaltname?: string; readonly subject?: {readonly CN?: unknown}};
};

const codeOf = ({code}: ErrorLike): string => (typeof code === 'string' ? code : '');

const namesOf = ({cert}: ErrorLike): string =>
  cert?.subjectaltname?.replace(/DNS:|IP Address:/g, '') ?? String(cert?.subject?.CN ?? 'no name');

/** The error itself or the first of its causes that has a code we know. */
const knownOf = (error: unknown): ErrorLike => {
  const first = (error ?? {}) as ErrorLike;
  for (let at: ErrorLike | undefined = first, depth = 0; at !== undefined && depth < 5; depth++) {
    const code = codeOf(at);
    if (code in FAILED || code in NOT_MADE || code.startsWith('ERR_') || code.startsWith('HPE_')) return at;
    at = at.cause as ErrorLike | undefined;
  }
  return first;
};

const failureOf = (error: ErrorLike, code: string): string => {
  const text = String(error.message ?? error);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the certificate is for ${namesOf(error)}, not for ${String(error.host ?? 'the address')}; set tlsConfig.serverName, or tlsConfig.insecureSkipVerify`;
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError') return 'the answer is not HTTP/1.1';
  if (code.startsWith('ERR_SSL_')) return `the TLS handshake failed (${code.slice('ERR_SSL_'.length)})`;
  if (code.startsWith('ERR_TLS_')) return `the TLS handshake failed (${code.slice('ERR_TLS_'.length)})`;
  return `failed while {}: ${code === '' ? text : `${text} (${code})`}`;
};

const hasIpv6Now = (): boolean =>
  Object.values(networkInterfaces()).some(all => all?.some(({family, internal}) => family === 'IPv6' && !internal));

/** `doing`: what the check was waiting for. `hasIpv6`: whether this host has an address of IPv6 that others can reach. */
export const faultOf = (error: unknown, doing: string, hasIpv6 = hasIpv6Now): Outcome => {
  const known = knownOf(error);
  const code = codeOf(known);
  // Of IPv6 it means also that it is off (sysctl disable_ipv6), which does not pass: such a member must not look as before for ever.
  if (code === 'EADDRNOTAVAIL' && isIPv6(String(known.address)) && !hasIpv6())
    return {kind: 'failed', message: NO_IPV6};
  const notMade = NOT_MADE[code];
  if (notMade !== undefined) return {kind: 'not-made', message: notMade};
  const message = (FAILED[code] ?? failureOf(known, code))
    .replace('{error}', () => String(known.message ?? ''))
    .replace('{}', () => doing);
  return {kind: 'failed', message};
};
