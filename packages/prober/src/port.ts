// SPDX-License-Identifier: Apache-2.0
/** What is checked and what came out, as the port `Prober` of the kinds has it: `server` proves the fit by wiring it. */

export type CheckTls = {
  /** SNI, and the name that is verified. Undefined: the address, which is not sent as SNI (RFC 6066). */
  readonly serverName: string | undefined;
  /** PEM. Undefined: the certificates of the system. */
  readonly ca: string | undefined;
  readonly verify: boolean;
};

export type HttpMethod = {
  readonly type: 'http';
  /** `2-prior-knowledge`: HTTP/2 over cleartext without an upgrade. With TLS: by ALPN. */
  readonly version: '1.1' | '2-prior-knowledge';
  readonly tls: CheckTls | undefined;
  readonly path: string;
  /** Value of the Host header. Undefined: the address. */
  readonly host: string | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Ranges of status codes that pass, both ends included. */
  readonly expected: readonly (readonly [from: number, to: number])[];
};
export type WebSocketMethod = Pick<HttpMethod, 'tls' | 'path' | 'host' | 'headers'> & {readonly type: 'web-socket'};
export type GrpcMethod = {
  readonly type: 'grpc';
  readonly tls: CheckTls | undefined;
  readonly service: string;
};
export type TlsMethod = {readonly type: 'tls'; readonly tls: CheckTls};
export type CheckMethod = {readonly type: 'tcp'} | TlsMethod | HttpMethod | WebSocketMethod | GrpcMethod;

export type CheckTarget = {
  readonly id: string;
  /** Targets of one group share places with each other before they share them with those of others. */
  readonly group: string;
  /** Of the group. So many groups whose checks take long must not hold up those of others, either. */
  readonly namespace: string;
  readonly ip: string;
  readonly port: number;
  readonly method: CheckMethod;
  readonly periodMs: number;
  readonly timeoutMs: number;
  /** Until the first check. */
  readonly delayMs: number;
  /** Part of the period, 0 to 0.5, by which a check may come early. */
  readonly jitter: number;
};

export type CheckResult = {
  readonly id: string;
  /** When the check ended, ms since 1970. */
  readonly atMs: number;
  readonly passed: boolean;
  readonly durationMs: number;
  /** Why it failed, one line; of a passed check what is worth knowing, or ''. */
  readonly message: string;
};

/** `not-made`: a fault of this machine kept the check from being made, which says nothing about the target. */
export type Outcome = {readonly kind: 'passed' | 'failed' | 'not-made'; readonly message: string};
