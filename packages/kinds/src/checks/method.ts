// SPDX-License-Identifier: Apache-2.0
/**
 * What a check does, with every default filled in. A method that is given wins; a check without one does what fits the
 * `appProtocol` of its port: one request for HTTP, HTTPS and cleartext HTTP/2, an upgrade for WebSocket, a health call for gRPC,
 * a connection for everything else. Ref: requirements E-096 to E-098.
 */
import {createHash} from 'node:crypto';
import {parseIpSloppy} from '@palisade/kube-wire';
import type {CheckMethod, CheckTarget, CheckTls} from './prober.ts';
import type {CheckedPort, CheckHeader, CheckTlsConfig, EndpointCheck} from './types.ts';

export const HANDLERS = ['httpGet', 'tcpSocket', 'tls', 'grpc', 'webSocket'] as const;
type Handler = (typeof HANDLERS)[number];

const BY_APP_PROTOCOL: Readonly<Record<string, Handler>> = {
  http: 'httpGet',
  https: 'httpGet',
  'platform.io/h2c': 'httpGet',
  'kubernetes.io/h2c': 'httpGet',
  'platform.io/ws': 'webSocket',
  'kubernetes.io/ws': 'webSocket',
  'platform.io/wss': 'webSocket',
  'kubernetes.io/wss': 'webSocket',
  grpc: 'grpc',
};
const SECURE: ReadonlySet<string> = new Set(['https', 'platform.io/wss', 'kubernetes.io/wss']);
const PRIOR_KNOWLEDGE: ReadonlySet<string> = new Set(['platform.io/h2c', 'kubernetes.io/h2c']);
const DEFAULT_EXPECTED = ['200-399'];

/** Names of IANA are compared without regard to case (RFC 6335, section 5.1), those with a prefix are not. */
const normalized = (appProtocol: string): string =>
  appProtocol.includes('/') ? appProtocol : appProtocol.toLowerCase();

/** The method given, or the one that fits the port. Of several the first counts; a stored check has one at most. */
export const handlerOf = ({appProtocol = ''}: CheckedPort, check: EndpointCheck): Handler =>
  HANDLERS.find(each => check[each] !== undefined) ?? BY_APP_PROTOCOL[normalized(appProtocol)] ?? 'tcpSocket';

/** Whether the check opens with a TLS handshake. */
export const usesTls = (port: CheckedPort, check: EndpointCheck): boolean => {
  const isSecurePort = SECURE.has(normalized(port.appProtocol ?? ''));
  const scheme = check.httpGet?.scheme ?? check.webSocket?.scheme ?? '';
  switch (handlerOf(port, check)) {
    case 'tls':
      return true;
    case 'grpc':
      return check.grpc?.tls === true;
    case 'httpGet':
      return scheme === '' ? isSecurePort : scheme === 'HTTPS';
    case 'webSocket':
      return scheme === '' ? isSecurePort : scheme === 'WSS';
    case 'tcpSocket':
      return false;
  }
};

/** By check and appProtocol of the port. A check is never changed, so it has one method for all members. */
const methods = new WeakMap<EndpointCheck, Map<string, CheckMethod>>();
const keys = new WeakMap<CheckMethod, string>();

/** Of a valid check. The same object for the same check, so that what is large in it (certificates) is decoded and kept once. */
export const methodOf = (port: CheckedPort, check: EndpointCheck): CheckMethod => {
  const {appProtocol = ''} = port;
  const known = methods.get(check) ?? new Map<string, CheckMethod>();
  methods.set(check, known);
  const method = known.get(appProtocol) ?? makeMethod(port, check);
  known.set(appProtocol, method);
  return method;
};

/** Short, and equal for equal methods. */
export const methodKey = (method: CheckMethod): string => {
  const key = keys.get(method) ?? createHash('sha256').update(JSON.stringify(method)).digest('base64');
  keys.set(method, key);
  return key;
};

const makeMethod = (port: CheckedPort, check: EndpointCheck): CheckMethod => {
  const {httpGet, webSocket, grpc, tlsConfig} = check;
  const host = httpGet?.host ?? webSocket?.host;
  const tls = usesTls(port, check) ? tlsOf(tlsConfig, host) : undefined;
  switch (handlerOf(port, check)) {
    case 'tcpSocket':
      return {type: 'tcp'};
    case 'tls':
      return {type: 'tls', tls: tls ?? tlsOf(tlsConfig, undefined)};
    case 'grpc':
      return {type: 'grpc', tls, service: grpc?.service ?? ''};
    case 'webSocket':
      return {type: 'web-socket', tls, host, path: webSocket?.path || '/', headers: pairsOf(webSocket?.httpHeaders)};
    case 'httpGet': {
      const isKnown = tls === undefined && PRIOR_KNOWLEDGE.has(port.appProtocol ?? '');
      return {
        type: 'http',
        version: isKnown ? '2-prior-knowledge' : '1.1',
        tls,
        host,
        path: httpGet?.path || '/',
        headers: pairsOf(httpGet?.httpHeaders),
        expected: (httpGet?.expectedStatuses ?? DEFAULT_EXPECTED).map(rangeOf),
      };
    }
  }
};

const tlsOf = (
  {serverName, caBundle, insecureSkipVerify}: CheckTlsConfig = {},
  host: string | undefined,
): CheckTls => ({
  serverName: serverName || nameIn(host),
  ca: caBundle === undefined || caBundle === '' ? undefined : Buffer.from(caBundle, 'base64').toString('latin1'),
  verify: insecureSkipVerify !== true,
});

/** The name in a Host header, without its port; undefined for an address (RFC 6066, section 3). */
const nameIn = (host: string | undefined): string | undefined => {
  const name = host?.replace(/:\d+$/, '') ?? '';
  return name === '' || name.startsWith('[') || parseIpSloppy(name) !== undefined ? undefined : name;
};

const pairsOf = (headers: readonly CheckHeader[] = []): readonly (readonly [string, string])[] =>
  headers.map(({name = '', value = ''}) => [name, value] as const);

/** `200` or `200-299`. */
export const rangeOf = (text: string): readonly [from: number, to: number] => {
  const [from = '', to = from] = text.split('-');
  return [Number(from), Number(to)];
};

const SECOND_MS = 1_000;

/** How often and how long, in ms. */
export const timesOf = ({
  periodSeconds = 10,
  timeoutSeconds = 1,
  initialDelaySeconds = 0,
  jitterPercent = 10,
}: EndpointCheck): Pick<CheckTarget, 'periodMs' | 'timeoutMs' | 'delayMs' | 'jitter'> => ({
  periodMs: periodSeconds * SECOND_MS,
  timeoutMs: timeoutSeconds * SECOND_MS,
  delayMs: initialDelaySeconds * SECOND_MS,
  jitter: jitterPercent / 100,
});

/** Results in a row that change a state. */
export type Thresholds = {readonly success: number; readonly failure: number};

export const thresholdsOf = ({successThreshold = 1, failureThreshold = 3}: EndpointCheck): Thresholds => ({
  success: successThreshold,
  failure: failureThreshold,
});
