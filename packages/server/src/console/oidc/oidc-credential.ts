// SPDX-License-Identifier: Apache-2.0
/**
 * An ID token as the credential of a session. Shortly before it ends another one is fetched with the refresh token; without one, or when
 * the issuer refuses it, the session ends with its ID token.
 */
import type {Clock} from '@palisade/apiserver';
import {bearer} from '../credentials.ts';
import type {SessionCredential} from '../sessions.ts';
import {GrantEndedError, type IssuedTokens, type IssuerClient} from './issued-tokens.ts';

/** Before the end of a token; of one that lives for less than twice the time, half of its life. */
const RENEW_BEFORE_MS = 60_000;
/** From then on requests wait for the next token; before, they go on with the one that is still good. */
const WAIT_BEFORE_MS = 5_000;
/** After an issuer that could not be asked. */
const RETRY_MS = 10_000;

export type OidcCredentialParts = {
  readonly refresh: IssuerClient['refresh'];
  readonly clock: Clock;
  /** Gets the reason of a refresh that failed. */
  readonly onFailure: (error: unknown) => void;
};

export class OidcCredential implements SessionCredential {
  readonly method = 'oidc';
  readonly #parts: OidcCredentialParts;
  #tokens: IssuedTokens;
  #renewFromMs: number;
  #renewing: Promise<void> | undefined;

  constructor(tokens: IssuedTokens, parts: OidcCredentialParts) {
    this.#parts = parts;
    this.#tokens = tokens;
    this.#renewFromMs = this.#renewalOf(tokens);
  }

  async shown() {
    const {refreshToken, idTokenEndsMs} = this.#tokens;
    const now = this.#parts.clock.now();
    if (refreshToken !== undefined && now >= this.#renewFromMs) {
      this.#renewing ??= this.#renew(refreshToken).finally(() => {
        this.#renewing = undefined;
      });
      if (now >= idTokenEndsMs - WAIT_BEFORE_MS) await this.#renewing;
    }
    return bearer(this.#tokens.idToken);
  }

  endsMs(): number | undefined {
    return this.#tokens.refreshToken === undefined ? this.#tokens.idTokenEndsMs : undefined;
  }

  #renewalOf({idTokenEndsMs}: IssuedTokens): number {
    const livesMs = idTokenEndsMs - this.#parts.clock.now();
    return idTokenEndsMs - Math.min(RENEW_BEFORE_MS, livesMs / 2);
  }

  /** Never rejects. */
  async #renew(refreshToken: string): Promise<void> {
    try {
      const next = await this.#parts.refresh(refreshToken);
      this.#tokens = {...next, refreshToken: next.refreshToken ?? refreshToken};
      this.#renewFromMs = this.#renewalOf(next);
    } catch (error) {
      this.#parts.onFailure(error);
      if (error instanceof GrantEndedError) this.#tokens = {...this.#tokens, refreshToken: undefined};
      else this.#renewFromMs = this.#parts.clock.now() + RETRY_MS;
    }
  }
}
