// SPDX-License-Identifier: Apache-2.0
/** When to renew and when to try again. `random` is in [0, 1). Ref: client-go tools/leaderelection, whose retries have jitter too. */
const RENEWALS_PER_TTL = 3;
const RENEWAL_JITTER = 0.1;
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 60_000;
const REQUEST_MS_MAX = 10_000;

export const renewalMs = (ttlSeconds: number, random: number): number =>
  Math.round(((ttlSeconds * 1000) / RENEWALS_PER_TTL) * (1 - RENEWAL_JITTER + 2 * RENEWAL_JITTER * random));

/** `failures` in a row, from 1. The second half of the pause is chance, so that those who wait for one server do not come together. */
export const retryMs = (ttlSeconds: number, failures: number, random: number): number => {
  const most = Math.min((ttlSeconds * 1000) / RENEWALS_PER_TTL, RETRY_MS_MAX);
  return Math.round(Math.min(most, RETRY_MS_MIN * 2 ** Math.min(failures - 1, 20)) * (0.5 + 0.5 * random));
};

/** The longest silence of the server: two failed renewals fit into a TTL. */
export const requestMs = (ttlSeconds: number): number =>
  Math.round(Math.min(REQUEST_MS_MAX, (ttlSeconds * 1000) / RENEWALS_PER_TTL));
