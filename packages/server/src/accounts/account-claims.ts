// SPDX-License-Identifier: Apache-2.0
/** What is in the tokens of service accounts. Ref: kubernetes v1.36 pkg/serviceaccount/claims.go. */
import type {BoundObject, ObjectRef, TokenWish} from '@palisade/kinds';

export type AccountClaims = {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly iss: string;
  readonly jti: string;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly node?: ObjectRef;
    readonly secret?: ObjectRef;
    readonly serviceaccount: ObjectRef;
  };
  readonly nbf: number;
  /** Of a token that was got with a key file. */
  readonly 'platform.io'?: {readonly serviceaccountkey: ObjectRef};
  readonly sub: string;
};

const boundClaim = (bound: BoundObject | undefined): {node?: ObjectRef; secret?: ObjectRef} => {
  if (bound === undefined) return {};
  const {kind, name, uid} = bound;
  return kind === 'Node' ? {node: {name, uid}} : {secret: {name, uid}};
};

export type Wished = TokenWish & {readonly key?: ObjectRef | undefined};

/** In the order in which upstream has them. */
export const claimsOf = (wish: Wished, fixed: Pick<AccountClaims, 'iss' | 'jti' | 'sub'>): AccountClaims => {
  const {namespace, account, audiences, nowMs, lifetimeSeconds, bound, key} = wish;
  const now = Math.floor(nowMs / 1_000);
  return {
    aud: audiences,
    exp: now + lifetimeSeconds,
    iat: now,
    iss: fixed.iss,
    jti: fixed.jti,
    'kubernetes.io': {namespace, ...boundClaim(bound), serviceaccount: account},
    nbf: now,
    ...(key === undefined ? {} : {'platform.io': {serviceaccountkey: key}}),
    sub: fixed.sub,
  };
};

/** Clocks differ by so much. Ref: go-jose DefaultLeeway. */
export const LEEWAY_SECONDS = 60;

/** Why a token is of no use at a time; undefined: it is in its time. */
export const timeFault = (
  {exp, nbf, iat}: {readonly exp: number; readonly nbf?: number | undefined; readonly iat?: number | undefined},
  nowMs: number,
): 'has expired' | 'is not valid yet' | 'is issued in the future' | undefined => {
  const now = nowMs / 1_000;
  if (nbf !== undefined && now + LEEWAY_SECONDS < nbf) return 'is not valid yet';
  if (now - LEEWAY_SECONDS > exp) return 'has expired';
  if (iat !== undefined && now + LEEWAY_SECONDS < iat) return 'is issued in the future';
  return undefined;
};
