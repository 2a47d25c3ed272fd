// SPDX-License-Identifier: Apache-2.0
/** Which ID tokens are accepted, and which user their claims make. Ref: the flags `--oidc-*` of kubernetes v1.36. */

export type OidcSettings = {
  /** `https://…`, exactly as the claim `iss` and the issuer's discovery document have it. */
  readonly issuerUrl: string;
  /** One of the audiences of each token. */
  readonly clientId: string;
  readonly usernameClaim: string;
  /** Put before each user name; may be empty. */
  readonly usernamePrefix: string;
  /** Undefined: tokens name no groups. */
  readonly groupsClaim: string | undefined;
  /** Put before each group; may be empty. */
  readonly groupsPrefix: string;
  /** Claims that each token must have, with their values. */
  readonly requiredClaims: readonly (readonly [name: string, value: string])[];
  readonly signingAlgs: readonly string[];
};

/** Those that may be accepted: all are asymmetric. Ref: RFC 7518, section 3.1. */
export const OIDC_SIGNING_ALGS = [
  ...['RS256', 'RS384', 'RS512'],
  ...['ES256', 'ES384', 'ES512'],
  ...['PS256', 'PS384', 'PS512'],
] as const;
