// SPDX-License-Identifier: Apache-2.0
import type {AnyRequest, AnyResponse} from '../../port/listeners.ts';

/** The sign-in at the issuer of --oidc-issuer-url. */
export interface OidcSignIn {
  /** Undefined: there is no issuer now; SIGHUP may bring one. */
  issuerUrl(): string | undefined;
  /** `name`: of the path below /console/oidc/. */
  handle(request: AnyRequest, response: AnyResponse, name: string): Promise<void>;
}
