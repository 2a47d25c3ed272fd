// SPDX-License-Identifier: Apache-2.0
/**
 * What an ID token says about itself: issuer, audience, times.
 * Ref: github.com/coreos/go-oidc v2.3, verify.go, which kubernetes v1.36 uses; the reasons have its words.
 */
import {foreignValue} from './foreign-value.ts';
import type {OidcSettings} from './oidc-settings.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** Clocks of issuers that are ahead. An expired token has no such leeway. */
const NOT_BEFORE_LEEWAY_MS = 5 * 60_000;
const GOOGLE = 'accounts.google.com';

/** The claim `iss`; that of Google may lack its scheme. Ref: OpenID Connect Core 1.0, section 15.6.2. */
export const issuerOf = ({iss}: Claims): unknown => (iss === GOOGLE ? `https://${GOOGLE}` : iss);

const audiencesOf = ({aud}: Claims): readonly unknown[] => (Array.isArray(aud) ? aud : aud === undefined ? [] : [aud]);

/** Undefined: there is no such claim, or it is no time. */
const msOf = (claim: unknown): number | undefined =>
  typeof claim === 'number' && Number.isFinite(claim) ? claim * 1000 : undefined;

const timeText = (ms: number): string => {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? `${ms / 1000}` : time.toISOString();
};

const expiryFault = ({exp}: Claims, nowMs: number): string | undefined => {
  const expiryMs = msOf(exp);
  if (expiryMs === undefined) return 'token is expired (Token Expiry: no claim "exp" with a time)';
  return nowMs > expiryMs ? `token is expired (Token Expiry: ${timeText(expiryMs)})` : undefined;
};

const notBeforeFault = ({nbf}: Claims, nowMs: number): string | undefined => {
  if (nbf === undefined || nbf === null) return undefined;
  const fromMs = msOf(nbf);
  if (fromMs === undefined) return 'claim "nbf" is not a time';
  return nowMs + NOT_BEFORE_LEEWAY_MS < fromMs
    ? `current time ${timeText(nowMs)} before the nbf (not before) time: ${timeText(fromMs)}`
    : undefined;
};

/** Why the token is not for this server, or not now; undefined: it may be, if its signature is right. */
export const tokenFault = (claims: Claims, {issuerUrl, clientId}: OidcSettings, nowMs: number): string | undefined => {
  const issuer = issuerOf(claims);
  if (issuer !== issuerUrl)
    return `id token issued by a different provider, expected ${JSON.stringify(issuerUrl)} got ${foreignValue(issuer)}`;
  const audiences = audiencesOf(claims);
  if (!audiences.includes(clientId))
    return `expected audience ${JSON.stringify(clientId)} got ${foreignValue(audiences)}`;
  return expiryFault(claims, nowMs) ?? notBeforeFault(claims, nowMs);
};
