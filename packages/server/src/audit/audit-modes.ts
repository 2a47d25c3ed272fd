// SPDX-License-Identifier: Apache-2.0

/** What a request waits for; upstream's names. */
export const AUDIT_MODES = ['batch', 'blocking', 'blocking-strict'] as const;
export type AuditMode = (typeof AUDIT_MODES)[number];
