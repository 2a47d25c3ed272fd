// SPDX-License-Identifier: Apache-2.0
/** What a sign-in at an issuer gives, and who gets it. */
import type {Issuer} from '../../auth/oidc/open-issuer.ts';

/** What the browser keeps from the start of a sign-in to its end. */
export type Secrets = {readonly state: string; readonly nonce: string; readonly verifier: string};

export type IssuedTokens = {
  readonly idToken: string;
  /** Milliseconds since 1970. */
  readonly idTokenEndsMs: number;
  readonly refreshToken: string | undefined;
};

/** The issuer says that the refresh token, or what it stands for, is over. */
export class GrantEndedError extends Error {
  override readonly name = 'GrantEndedError';
}

export interface IssuerClient {
  readonly issuer: Issuer;
  /** Where the browser goes. */
  startUrl(redirectUri: string): Promise<{readonly url: string; readonly secrets: Secrets}>;
  /** `url`: of the answer that the browser brought. Rejects with the reason in words. */
  finish(url: URL, secrets: Secrets): Promise<IssuedTokens>;
  /** Rejects with GrantEndedError, or with the reason why it could not be found out. */
  refresh(refreshToken: string): Promise<IssuedTokens>;
}
