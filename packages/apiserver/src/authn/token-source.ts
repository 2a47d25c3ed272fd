// SPDX-License-Identifier: Apache-2.0
/** A place that bearer tokens come from: a file, objects, signed tokens. The composition root chooses them and their order. */
import type {UserInfo} from '../identity/authenticator.ts';

export type TokenAnswer =
  | {
      readonly outcome: 'user';
      readonly user: UserInfo;
      /** Audiences that the token is for, of those that were asked; absent: the token has no audiences. */
      readonly audiences?: readonly string[] | undefined;
    }
  /** The token is of this source, but not valid (any longer). `reason` repeats no secret. `unchecked`: see Authentication. */
  | {readonly outcome: 'refused'; readonly reason: string; readonly unchecked?: true}
  /** Not a token of this source. */
  | undefined;

export interface TokenSource {
  /**
   * The user of a token now. `audiences`: those that the asking party is known by; absent: those of the server itself.
   * Never throws for a bad token; a broken back end throws and the request is 500.
   */
  find(token: string, audiences?: readonly string[]): TokenAnswer | Promise<TokenAnswer>;
  /**
   * The same for an address from which too many logins failed: looks only at tokens that nobody can guess, or that were right lately.
   * Absent: nobody can guess a token of this source.
   */
  findUnguessed?(token: string): TokenAnswer | Promise<TokenAnswer>;
}

/** What a source answers when its tokens may not be guessed any longer. */
export const unguessed = (source: TokenSource): TokenSource =>
  source.findUnguessed === undefined ? source : {find: token => source.findUnguessed?.(token)};

/** Asks each source in turn: the first that knows a user decides; else the first refusal. Ref: kubernetes v1.36 apiserver/pkg/authentication/token/union/union.go. */
export const findToken = async (
  sources: readonly TokenSource[],
  token: string,
  audiences?: readonly string[],
): Promise<TokenAnswer> => {
  let refused: TokenAnswer;
  for (const source of sources) {
    const found = source.find(token, audiences);
    const answer = found instanceof Promise ? await found : found;
    if (answer?.outcome === 'user') return answer;
    refused ??= answer;
  }
  return refused;
};
