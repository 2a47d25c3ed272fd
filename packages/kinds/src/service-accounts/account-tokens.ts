// SPDX-License-Identifier: Apache-2.0
/** What the kinds need of the part of the server that signs tokens of service accounts. */
import type {TokenAnswer} from '@palisade/apiserver';

export type ObjectRef = {readonly name: string; readonly uid: string};

/** An object without which the token ends. Ref: kubernetes v1.36 pkg/serviceaccount/claims.go. */
export type BoundObject = ObjectRef & {readonly kind: 'Secret' | 'Node'};

export type TokenWish = {
  readonly namespace: string;
  readonly account: ObjectRef;
  readonly audiences: readonly string[];
  readonly nowMs: number;
  readonly lifetimeSeconds: number;
  readonly bound?: BoundObject | undefined;
};

export type AccountTokens = {
  /** Audiences that the server itself is known by. */
  readonly audiences: readonly string[];
  /** A signed token (JWT). */
  issue(wish: TokenWish): Promise<string>;
  /** Who any bearer token of the server stands for, as a TokenReview asks. */
  review(token: string, audiences: readonly string[]): Promise<TokenAnswer>;
  /** URL where a key file is exchanged for a token. */
  tokenUri(): string;
};
