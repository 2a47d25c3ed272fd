// SPDX-License-Identifier: Apache-2.0
/** Time as the client's waiters see it; the composition root passes the real clock. */
export type Clock = {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted, also when it already was. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** Growing pauses between polls. */
export type Backoff = {readonly firstMs: number; readonly factor: number; readonly maxMs: number};

/** The pause before try number `attempt` (0: the first pause). */
export const backoffMs = (backoff: Backoff, attempt: number): number =>
  Math.min(backoff.maxMs, backoff.firstMs * backoff.factor ** attempt);
