// SPDX-License-Identifier: Apache-2.0
/**
 * Sessions of the console, in memory: a restart ends them. An id of 256 random bits is known to its browser alone; here is its digest.
 * A session holds the credential that opened it and no right: each request shows that credential again.
 * Ref: OWASP Session Management Cheat Sheet.
 */
import {createHash, createHmac, randomBytes, timingSafeEqual} from 'node:crypto';
import type {Clock, Credentials, Timer, Timers, UserInfo} from '@palisade/apiserver';

export const SESSION_LIMITS = {
  /** Without a request. */
  idleMs: 12 * 3_600_000,
  /** From the sign-in on. */
  ageMs: 24 * 3_600_000,
  /** Of one user; the one without a request for the longest time is ended for another. */
  perUserMax: 20,
  /** Of all users; beyond it a sign-in is refused. */
  max: 2_000,
  /** How often those that are over are looked for. */
  sweepMs: 600_000,
} as const;
export type SessionLimits = {readonly [name in keyof typeof SESSION_LIMITS]: number};

const SECRET_BYTES = 32;

export type SignInMethod = 'token' | 'certificate' | 'oidc';

/** What opened a session. */
export interface SessionCredential {
  readonly method: SignInMethod;
  /** As a request would show it now. Never rejects. */
  shown(): Pick<Credentials, 'headers' | 'clientCertificate'> | Promise<Pick<Credentials, 'headers'>>;
  /** Milliseconds since 1970, where it is known when the credential ends for good. */
  endsMs(): number | undefined;
}

export type Session = {
  readonly user: UserInfo;
  readonly credential: SessionCredential;
  /** Opened over TLS: its cookie has another name there. */
  readonly secure: boolean;
  /** Milliseconds since 1970. */
  readonly openedMs: number;
  usedMs: number;
};

type SessionsParts = {
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'after'>;
  readonly limits?: SessionLimits;
};

/** Names a session and does not open it. */
export const digestOf = (id: string): string => createHash('sha256').update(id).digest('base64url');

export class Sessions {
  readonly #clock: Clock;
  readonly #timers: SessionsParts['timers'];
  readonly #limits: SessionLimits;
  readonly #byDigest = new Map<string, Session>();
  /** Since the start, for metrics. */
  readonly signIns: Readonly<Record<SignInMethod, {succeeded: number; failed: number}>> = {
    token: {succeeded: 0, failed: 0},
    certificate: {succeeded: 0, failed: 0},
    oidc: {succeeded: 0, failed: 0},
  };
  /** Of this process: what a browser has to repeat follows from its session. */
  readonly #csrfKey = randomBytes(SECRET_BYTES);
  #sweep: Timer | undefined;

  constructor({clock, timers, limits = SESSION_LIMITS}: SessionsParts) {
    this.#clock = clock;
    this.#timers = timers;
    this.#limits = limits;
  }

  get size(): number {
    return this.#byDigest.size;
  }

  /** Those that are not over, and whose credential is not, by what opened them. */
  countOpen(): Record<SignInMethod, number> {
    this.#dropEnded();
    const counts = {token: 0, certificate: 0, oidc: 0};
    const now = this.#clock.now();
    for (const session of this.#byDigest.values()) if (now < this.endsMs(session)) counts[session.credential.method]++;
    return counts;
  }

  /** The id, for the cookie. Undefined: there are too many sessions. */
  open(of: Pick<Session, 'user' | 'credential' | 'secure'>): string | undefined {
    this.#dropEnded();
    const own = [...this.#byDigest].filter(([, {user}]) => user.name === of.user.name);
    if (own.length >= this.#limits.perUserMax) {
      const [oldest] = own.sort(([, a], [, b]) => a.usedMs - b.usedMs);
      if (oldest !== undefined) this.#byDigest.delete(oldest[0]);
    }
    if (this.#byDigest.size >= this.#limits.max) return undefined;
    const id = randomBytes(SECRET_BYTES).toString('base64url');
    const openedMs = this.#clock.now();
    this.#byDigest.set(digestOf(id), {...of, openedMs, usedMs: openedMs});
    this.#sweep ??= this.#nextSweep();
    return id;
  }

  /** Undefined: there is no such session, or it is over. */
  find(id: string, secure: boolean): Session | undefined {
    const digest = digestOf(id);
    const session = this.#byDigest.get(digest);
    if (session === undefined || session.secure !== secure) return undefined;
    if (!this.#isOver(session)) return session;
    this.#byDigest.delete(digest);
    return undefined;
  }

  /** It has made a request. */
  use(session: Session): void {
    session.usedMs = this.#clock.now();
  }

  end(id: string): void {
    this.endDigest(digestOf(id));
  }

  /** `digest`: from `digestOf`. */
  endDigest(digest: string): void {
    this.#byDigest.delete(digest);
  }

  /** What requests of this session that change something repeat in X-CSRF-Token. */
  csrfToken(id: string): string {
    return createHmac('sha256', this.#csrfKey).update(id).digest('base64url');
  }

  isCsrfToken(id: string, shown: string): boolean {
    const [a, b] = [Buffer.from(this.csrfToken(id)), Buffer.from(shown)];
    return a.length === b.length && timingSafeEqual(a, b);
  }

  /** Milliseconds since 1970, if it is used until then. */
  endsMs({openedMs, credential}: Session): number {
    return Math.min(openedMs + this.#limits.ageMs, credential.endsMs() ?? Number.POSITIVE_INFINITY);
  }

  /** Ends all. */
  stop(): void {
    this.#byDigest.clear();
    this.#sweep?.cancel();
    this.#sweep = undefined;
  }

  #isOver({openedMs, usedMs}: Session): boolean {
    const now = this.#clock.now();
    return now - openedMs >= this.#limits.ageMs || now - usedMs >= this.#limits.idleMs;
  }

  #dropEnded(): void {
    for (const [digest, session] of this.#byDigest) if (this.#isOver(session)) this.#byDigest.delete(digest);
  }

  #nextSweep(): Timer {
    return this.#timers.after(this.#limits.sweepMs, () => {
      this.#dropEnded();
      this.#sweep = this.#byDigest.size > 0 ? this.#nextSweep() : undefined;
    });
  }
}
