// SPDX-License-Identifier: Apache-2.0
/**
 * The keys of an issuer, by way of its discovery document: fetched in the background from the start on, again after a while, and for a
 * token that no known key signed. An issuer that is down keeps its last keys.
 * Ref: OpenID Connect Discovery 1.0, section 4; kubernetes v1.36 initializes the same way, each 10 s until it succeeds.
 */
import type {Clock, Log, Timers} from '@palisade/apiserver';
import {foreignValue, type IssuerKeySource, type KeySet, parseKeySet} from '@palisade/apiserver/oidc';
import type {FetchJson} from './fetch-json.ts';

type IssuerKeysParts = {
  readonly issuerUrl: string;
  readonly fetchJson: FetchJson;
  /** Only differences count. */
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'after'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Fetches are counted here. */
  readonly counts: KeyFetches;
};
export type KeyFetches = {succeeded: number; failed: number};

export const RETRY_MS = 10_000;
/** A key that the issuer withdraws is accepted for so long. */
export const RENEW_MS = 5 * 60_000;
/** Between two fetches for tokens that no known key signed: anybody can send such. */
export const UNKNOWN_KEY_MS = 10_000;

const fieldOf = (document: unknown, name: string): unknown =>
  typeof document === 'object' && document !== null ? (document as Record<string, unknown>)[name] : undefined;

/** Rejects with the reason in words. */
const fetchKeys = async (issuerUrl: string, fetchJson: FetchJson, signal: AbortSignal): Promise<KeySet> => {
  const place = `${issuerUrl.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const discovery = await fetchJson(place, signal);
  const issuer = fieldOf(discovery, 'issuer');
  if (issuer !== issuerUrl)
    throw new Error(
      `${place}: issuer did not match, expected ${JSON.stringify(issuerUrl)} got ${foreignValue(issuer)}`,
    );
  const keysUrl = fieldOf(discovery, 'jwks_uri');
  if (typeof keysUrl !== 'string' || !URL.canParse(keysUrl) || new URL(keysUrl).protocol !== 'https:')
    throw new Error(`${place}: jwks_uri must be an https URL, got ${foreignValue(keysUrl)}`);
  const document = await fetchJson(keysUrl, signal);
  try {
    return parseKeySet(document);
  } catch (error) {
    throw new Error(`${keysUrl}: ${(error as Error).message}`, {cause: error});
  }
};

export class IssuerKeys implements IssuerKeySource {
  readonly #parts: IssuerKeysParts;
  readonly #ended = new AbortController();
  #current: KeySet | undefined;
  #fetching: Promise<boolean> | undefined;
  #next: {cancel(): void} | undefined;
  #refreshFromMs = Number.NEGATIVE_INFINITY;
  #lastFault = '';

  constructor(parts: IssuerKeysParts) {
    this.#parts = parts;
  }

  get current(): KeySet | undefined {
    return this.#current;
  }

  /** One fetch; others follow by themselves. Resolves to whether it succeeded; never rejects. */
  fetch(): Promise<boolean> {
    this.#next?.cancel();
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async refresh(): Promise<boolean> {
    if (this.#fetching !== undefined) return this.#fetching;
    const now = this.#parts.clock.now();
    if (now < this.#refreshFromMs) return false;
    this.#refreshFromMs = now + UNKNOWN_KEY_MS;
    return this.fetch();
  }

  stop(): void {
    this.#ended.abort();
    this.#next?.cancel();
  }

  async #fetch(): Promise<boolean> {
    const {issuerUrl, fetchJson, log, timers, counts} = this.#parts;
    const {signal} = this.#ended;
    try {
      const keys = await fetchKeys(issuerUrl, fetchJson, signal);
      counts.succeeded++;
      if (this.#current === undefined || this.#lastFault !== '')
        log.info({issuer: issuerUrl, keys: keys.size}, 'OIDC keys fetched');
      this.#current = keys;
      this.#lastFault = '';
    } catch (error) {
      if (signal.aborted) return false;
      counts.failed++;
      this.#logFault((error as Error).message);
    }
    const isFetched = this.#lastFault === '';
    if (!signal.aborted) this.#next = timers.after(isFetched ? RENEW_MS : RETRY_MS, () => void this.fetch());
    return isFetched;
  }

  /** Once, while it stays the same. */
  #logFault(fault: string): void {
    const {issuerUrl: issuer, log} = this.#parts;
    if (fault === this.#lastFault) return;
    this.#lastFault = fault;
    const what = this.#current === undefined ? 'its tokens are refused' : 'the previous keys stay valid';
    log.warn({issuer, reason: fault}, `OIDC key fetch failed, retrying; ${what}`);
  }
}
