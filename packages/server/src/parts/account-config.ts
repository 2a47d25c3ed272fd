// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade serve` about tokens of service accounts. */

export type AccountFlags = {readonly 'service-account-issuer': string};

/**
 * The issuer: https, and neither query nor fragment (Ref: OpenID Connect Discovery 1.0 section 3); and not that of somebody else, who
 * could then sign tokens of service accounts (Ref: kubernetes v1.36 apiserver/pkg/apis/apiserver/validation, disallowed issuers).
 */
export const accountConfigOf = (
  o: AccountFlags,
  oidcIssuerUrl?: string,
): {readonly issuer: string; readonly faults: readonly string[]} => {
  const issuer = o['service-account-issuer'];
  const isUrl = /^https:\/\//.test(issuer) && URL.canParse(issuer) && !/[?#]/.test(issuer);
  const fault = `--service-account-issuer ${issuer}: must be an https:// URL without query (?) and fragment (#)`;
  const shared = `--oidc-issuer-url ${issuer}: is the issuer of service account tokens; use another --service-account-issuer`;
  return {issuer, faults: [...(isUrl ? [] : [fault]), ...(isUrl && issuer === oidcIssuerUrl ? [shared] : [])]};
};
