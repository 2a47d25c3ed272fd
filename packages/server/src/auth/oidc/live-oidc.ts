// SPDX-License-Identifier: Apache-2.0
/** The issuer of `--oidc-issuer-url` as a source of tokens. SIGHUP may replace it, also by no issuer. */
import {type TokenAnswer, type TokenSource, truncated} from '@palisade/apiserver';
import type {KeyFetches} from './issuer-keys.ts';
import type {Issuer, OidcParts, OpenIssuer} from './open-issuer.ts';

/** Anybody can send a bad token: more lines than these in a minute are counted only. */
const LINES_PER_MINUTE = 10;
const MINUTE_MS = 60_000;

const isSame = (a: Issuer, b: Issuer): boolean => JSON.stringify(a) === JSON.stringify(b);

export class LiveOidc implements TokenSource {
  /** Fetches of keys since the start. */
  readonly counts: KeyFetches = {succeeded: 0, failed: 0};
  readonly #parts: OidcParts;
  #open: OpenIssuer | undefined;
  #ended = false;
  #minute = {startMs: Number.NEGATIVE_INFINITY, lines: 0, more: 0};

  constructor(parts: OidcParts) {
    this.#parts = parts;
  }

  /** The one whose tokens are accepted now. */
  get issuer(): Issuer | undefined {
    return this.#open?.issuer;
  }

  /** Keys that tokens are verified with now. */
  get keys(): number {
    return this.#open?.keys.current?.size ?? 0;
  }

  /** The keys are fetched in the background; until then tokens of the issuer are refused. */
  async start(issuer: Issuer): Promise<void> {
    const made = await this.#make(issuer);
    this.#use(made);
    void made.keys.fetch();
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
    const made = await this.#make(next);
    if (!(await made.keys.fetch()) || this.#ended) {
      made.keys.stop();
      return false;
    }
    this.#use(made);
    return true;
  }

  find(token: string): TokenAnswer | Promise<TokenAnswer> {
    return this.#open === undefined ? undefined : this.#findIn(this.#open, token);
  }

  stop(): void {
    this.#ended = true;
    this.#use(undefined);
  }

  async #findIn({source}: OpenIssuer, token: string): Promise<TokenAnswer> {
    const answer = await source.find(token);
    if (answer?.outcome === 'refused') this.#logRefusal(answer.reason);
    return answer;
  }

  async #make(issuer: Issuer): Promise<OpenIssuer> {
    const {openIssuer} = await import('./open-issuer.ts');
    return openIssuer(issuer, this.#parts, this.counts);
  }

  #use(next: OpenIssuer | undefined): void {
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
