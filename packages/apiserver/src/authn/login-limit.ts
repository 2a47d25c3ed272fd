// SPDX-License-Identifier: Apache-2.0
/**
 * Limits failed logins per source address. Each refusal costs one of `burst` tries, which come back at `perSecond`; beyond them a
 * refusal is `limited` (429), and credentials that can be guessed are not looked up at all, so a correct guess learns nothing.
 * What cannot be guessed (certificates, signed tokens, long random tokens) and what was right lately is accepted as ever: one
 * client that fails locks out no other behind the same address. No refusal is counted that is not the client's (`unchecked`), or that
 * has no address: credentials of open streams are looked at again without one.
 */
import type {Log} from '../base/log.ts';
import type {Clock} from '../base/time.ts';
import type {Authentication, Authenticator, Credentials} from '../identity/authenticator.ts';

export const LOGIN_LIMITS = {
  failedLoginsBurstMax: 50,
  failedLoginsPerSecondMax: 1,
  failedLoginAddressesMax: 10_000,
} as const;
/** What a client reads that is refused beyond them. */
export const TOO_MANY_LOGINS = 'too many failed logins from this address, please try again later';
/** One line of the log for each address in this time. */
const LOG_MS = 60_000;

type LoginLimitParts = {
  /** Milliseconds since any moment. */
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly limits?: typeof LOGIN_LIMITS | {readonly [name in keyof typeof LOGIN_LIMITS]: number};
};

/** Tries that are left at a time. `loggedAtMs`, `refused`: of the last line of the log, and refusals since then. */
type Bucket = {tries: number; atMs: number; loggedAtMs: number; refused: number};

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** Groups of an IPv6 address that name a network of one customer. Ref: RFC 6177. */
const NETWORK_GROUPS = 4;

/** What counts as one source: an IPv4 address, or an IPv6 network (/64). */
export const sourceOf = (address: string): string => {
  const [, ipv4] = MAPPED.exec(address) ?? [];
  if (ipv4 !== undefined || !address.includes(':')) return ipv4 ?? address;
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const last = tail === '' ? [] : tail.split(':');
    const tailGroups = last.length + (tail.includes('.') ? 1 : 0); // a dotted quad is two of them
    while (groups.length + tailGroups < 8) groups.push('0');
    groups.push(...last);
  }
  const network = groups.slice(0, NETWORK_GROUPS).map(group => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
};

export class LoginLimit {
  /** `limited`: refusals beyond the limit. Both only grow. */
  readonly counts = {refused: 0, limited: 0};
  readonly #buckets = new Map<string, Bucket>();
  readonly #clock: Clock;
  readonly #log: LoginLimitParts['log'];
  readonly #limits: NonNullable<LoginLimitParts['limits']>;

  constructor({clock, log, limits = LOGIN_LIMITS}: LoginLimitParts) {
    this.#clock = clock;
    this.#log = log;
    this.#limits = limits;
  }

  wrap(authenticator: Authenticator): Authenticator {
    return {
      authenticate: credentials => {
        const {remoteAddress} = credentials;
        if (remoteAddress === undefined) return authenticator.authenticate(credentials);
        const isSpent = this.#buckets.size > 0 && this.#isSpent(sourceOf(remoteAddress));
        const asked: Credentials = isSpent ? {...credentials, guessesSpent: true} : credentials;
        const answer = authenticator.authenticate(asked);
        return answer instanceof Promise
          ? answer.then(settled => this.#judge(settled, remoteAddress, isSpent))
          : this.#judge(answer, remoteAddress, isSpent);
      },
    };
  }

  /** A login failed that no authenticator sees. Undefined: within the limit; else when the next is. */
  failed(address: string | undefined): number | undefined {
    if (address === undefined) return undefined;
    const source = sourceOf(address);
    const answer = this.#judge({outcome: 'refused'}, source, this.#isSpent(source));
    return answer.outcome === 'limited' ? answer.retryAfterSeconds : undefined;
  }

  /** How many addresses are remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  #judge(answer: Authentication, address: string, wasSpent: boolean): Authentication {
    if (answer.outcome !== 'refused' || answer.unchecked === true) return answer;
    const source = sourceOf(address);
    const bucket = this.#take(source);
    if (!wasSpent) {
      this.counts.refused++;
      return answer;
    }
    this.counts.limited++;
    this.#report(source, bucket);
    return {outcome: 'limited', retryAfterSeconds: this.#secondsUntilNext(bucket)};
  }

  #isSpent(source: string): boolean {
    const bucket = this.#buckets.get(source);
    if (bucket === undefined) return false;
    this.#refill(bucket);
    return bucket.tries < 1;
  }

  /** A clock that was set back gives no tries back, and takes none. */
  #refill(bucket: Bucket): void {
    const {failedLoginsBurstMax, failedLoginsPerSecondMax} = this.#limits;
    const nowMs = this.#clock.now();
    const seconds = Math.max(0, nowMs - bucket.atMs) / 1_000;
    bucket.tries = Math.min(failedLoginsBurstMax, bucket.tries + seconds * failedLoginsPerSecondMax);
    bucket.atMs = nowMs;
  }

  /** One try less, not below 0. The source that failed longest ago is forgotten first. */
  #take(source: string): Bucket {
    const {failedLoginsBurstMax, failedLoginAddressesMax} = this.#limits;
    const nowMs = this.#clock.now();
    const fresh: Bucket = {tries: failedLoginsBurstMax, atMs: nowMs, loggedAtMs: Number.NEGATIVE_INFINITY, refused: 0};
    const bucket = this.#buckets.get(source) ?? fresh;
    this.#buckets.delete(source);
    this.#buckets.set(source, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > failedLoginAddressesMax && oldest !== undefined) this.#buckets.delete(oldest);
    if (bucket.tries >= 1) bucket.tries--;
    bucket.refused++;
    return bucket;
  }

  #secondsUntilNext({tries}: Bucket): number {
    return Math.max(1, Math.ceil((1 - tries) / this.#limits.failedLoginsPerSecondMax));
  }

  #report(source: string, bucket: Bucket): void {
    const nowMs = this.#clock.now();
    if (nowMs - bucket.loggedAtMs < LOG_MS) return;
    this.#log.warn(
      {address: source, refused: bucket.refused},
      'too many failed logins from an address, they are limited',
    );
    bucket.loggedAtMs = nowMs;
    bucket.refused = 0;
  }
}
