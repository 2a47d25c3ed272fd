// SPDX-License-Identifier: Apache-2.0
/** What every answer below /console says to browsers. Ref: Content Security Policy Level 3; OWASP Secure Headers. */
import {randomBytes} from 'node:crypto';

const NONCE_BYTES = 16;

export const newNonce = (): string => randomBytes(NONCE_BYTES).toString('base64');

/** `nonce`: of the style elements of this one answer. */
const policyWith = (nonce: string | undefined): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${nonce === undefined ? '' : ` 'nonce-${nonce}'`}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

const OTHERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

export const securityHeaders = (nonce?: string): Readonly<Record<string, string>> => ({
  ...OTHERS,
  'content-security-policy': policyWith(nonce),
});
