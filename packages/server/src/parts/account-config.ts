// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade serve` about tokens of service accounts. */

export type AccountFlags = {readonly 'service-account-issuer': string};

/** Ref: OpenID Connect Discovery 1.0 section 3: https, and neither query nor fragment. */
export const accountConfigOf = (o: AccountFlags): {readonly issuer: string; readonly faults: readonly string[]} => {
  const issuer = o['service-account-issuer'];
  const isUrl = /^https:\/\//.test(issuer) && URL.canParse(issuer) && !/[?#]/.test(issuer);
  const fault = `--service-account-issuer ${issuer}: must be an https:// URL without query (?) and fragment (#)`;
  return {issuer, faults: isUrl ? [] : [fault]};
};
