// SPDX-License-Identifier: Apache-2.0
/**
 * The port through which checks are made. The product's adapter is the package `prober`; tests have one whose results they choose.
 * A prober decides when, connects, and reports; what a result means for a member is decided here.
 */

/** What is done, with every default filled in. */
export type CheckMethod =
  | {readonly type: 'tcp'}
  | {readonly type: 'tls'; readonly tls: CheckTls}
  | {
      readonly type: 'http';
      /** `2-prior-knowledge`: HTTP/2 over cleartext without an upgrade. With TLS: by ALPN. */
      readonly version: '1.1' | '2-prior-knowledge';
      readonly tls: CheckTls | undefined;
      readonly path: string;
      /** Undefined: the address. */
      readonly host: string | undefined;
      readonly headers: readonly (readonly [name: string, value: string])[];
      /** Ranges of status codes that pass, both ends included. */
      readonly expected: readonly (readonly [from: number, to: number])[];
    }
  | {
      readonly type: 'web-socket';
      readonly tls: CheckTls | undefined;
      readonly path: string;
      readonly host: string | undefined;
      readonly headers: readonly (readonly [name: string, value: string])[];
    }
  | {readonly type: 'grpc'; readonly tls: CheckTls | undefined; readonly service: string};

export type CheckTls = {
  /** SNI, and the name that is verified. Undefined: the address, which is not sent as SNI (RFC 6066). */
  readonly serverName: string | undefined;
  /** PEM. Undefined: the certificates of the system. */
  readonly ca: string | undefined;
  readonly verify: boolean;
};

export type CheckTarget = {
  /** Of one check of one member and port; a target with the id of another takes its place. */
  readonly id: string;
  /** Uid of the group: one whose checks take long must not hold up those of others. */
  readonly group: string;
  /** Of the group. So many groups whose checks take long must not hold up those of others, either. */
  readonly namespace: string;
  /** IPv4 or IPv6. One that the prober refuses (E-061) fails each of its checks. */
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
  /** Why it failed, one line of plain English; of a passed one what is worth knowing, or ''. */
  readonly message: string;
};

export interface Prober {
  /** Checks the target from now on. */
  watch(target: CheckTarget): void;
  /** Results of this id that are under way are not reported. */
  forget(id: string): void;
  /** Returns the end of the subscription. Results come in batches. */
  onResults(listener: (results: readonly CheckResult[]) => void): () => void;
  /** What the address is that no check connects to (E-061), such as `a multicast address`. Undefined: checks do. */
  refusal(ip: string): string | undefined;
  /** Resolves when no check runs any longer. */
  stop(): Promise<void>;
}

/** Of a server that makes no checks, such as a client that only reads the kinds: members with a check stay as they are. */
export const noProber: Prober = {
  watch: () => undefined,
  forget: () => undefined,
  onResults: () => () => undefined,
  refusal: () => undefined,
  stop: () => Promise.resolve(),
};
