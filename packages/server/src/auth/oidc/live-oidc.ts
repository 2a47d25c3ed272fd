// SPDX-License-Identifier: Apache-2.0
/** The issuer of `--oidc-issuer-url` as a source of tokens. SIGHUP may replace it, also by no issuer. */
import {
  type Clock,
  type Log,
  oidcTokenSource,
  type Timers,
  type TokenAnswer,
  type TokenSource,
  truncated,
} from '@palisade/apiserver';
import {type FetchJson, httpsJson} from './fetch-json.ts';
import {IssuerKeys, type KeyFetches} from './issuer-keys.ts';
import type {OidcConfig} from './oidc-config.ts';

/** The configuration with what its files hold. */
export type Issuer = {
  readonly config: OidcConfig;
  /** PEM, of `--oidc-ca-file`. */
  readonly ca: string | undefined;
};

export type LiveOidcParts = {
  readonly clock: Clock;
  /** Only differences count. */
  readonly monotonic: Clock;
  readonly timers: Pick<Timers, 'after'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Default: HTTPS. */
  readonly fetchJson?: (ca: string | undefined) => FetchJson;
};

type Open = {readonly issuer: Issuer; readonly keys: IssuerKeys; readonly source: TokenSource};

/** Anybody can send a bad token: more lines than these in a minute are counted only. */
const LINES_PER_MINUTE = 10;
const MINUTE_MS = 60_000;

const isSame = (a: Issuer, b: Issuer): boolean => JSON.stringify(a) === JSON.stringify(b);

export class LiveOidc implements TokenSource {
  /** Fetches of keys since the start. */
  readonly counts: KeyFetches = {succeeded: 0, failed: 0};
  readonly #parts: LiveOidcParts;
  #open: Open | undefined;
  #minute = {startMs: Number.NEGATIVE_INFINITY, lines: 0, more: 0};

  constructor(parts: LiveOidcParts) {
    this.#parts = parts;
  }

  /** Keys that tokens are verified with now. */
  get keys(): number {
    return this.#open?.keys.current?.size ?? 0;
  }

  /** The keys are fetched in the background; until then tokens of the issuer are refused. */
  start(issuer: Issuer): void {
    this.#use(this.#make(issuer));
    void this.#open?.keys.fetch();
  }

  /** Resolves to whether the next one is in use: its keys could be fetched. Else the previous one stays. */
  async replace(next: Issuer | undefined): Promise<boolean> {
    const before = this.#open;
    if (next === undefined) {
      this.#use(undefined);
      return true;
    }
    if (before !== undefined && isSame(before.issuer, next)) {
      await before.keys.fetch();
      return true;
    }
    const made = this.#make(next);
    if (!(await made.keys.fetch())) {
      made.keys.stop();
      return false;
    }
    this.#use(made);
    return true;
  }

  async find(token: string): Promise<TokenAnswer> {
    const answer = await this.#open?.source.find(token);
    if (answer?.outcome === 'refused') this.#logRefusal(answer.reason);
    return answer;
  }

  stop(): void {
    this.#use(undefined);
  }

  #make(issuer: Issuer): Open {
    const {clock, monotonic, timers, log, fetchJson = ca => httpsJson(ca, timers)} = this.#parts;
    const {issuerUrl} = issuer.config;
    const {counts} = this;
    const keys = new IssuerKeys({issuerUrl, fetchJson: fetchJson(issuer.ca), clock: monotonic, timers, log, counts});
    return {issuer, keys, source: oidcTokenSource(issuer.config, {keys, clock})};
  }

  #use(next: Open | undefined): void {
    this.#open?.keys.stop();
    this.#open = next;
  }

  #logRefusal(reason: string): void {
    const now = this.#parts.monotonic.now();
    if (now - this.#minute.startMs >= MINUTE_MS) this.#minute = {startMs: now, lines: 0, more: this.#minute.more};
    if (this.#minute.lines >= LINES_PER_MINUTE) {
      this.#minute.more++;
      return;
    }
    const {more} = this.#minute;
    this.#minute.lines++;
    this.#minute.more = 0;
    this.#parts.log.warn({reason: truncated(reason), ...(more > 0 ? {notLogged: more} : {})}, 'OIDC token refused');
  }
}
