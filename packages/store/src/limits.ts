// SPDX-License-Identifier: Apache-2.0
/** Every bound of the store, each with a name. */
export const STORE_LIMITS = {
  /** UTF-8 bytes of a key. */
  keyBytesMax: 1024,
  /** Bytes of one value. */
  valueBytesMax: 4 * 1024 * 1024,
  /** Steps of one transaction. */
  txnOpsMax: 128,
  /** Items of one page. */
  pageItemsMax: 10_000,
  /** Events that a watch may have waiting; one more ends it with `too-slow`. */
  watchBufferEventsMax: 100_000,
  /** Newest commits kept in memory for watches that resume. */
  recentCommitsMax: 4_096,
  /** Bytes of values that those commits may hold. */
  recentBytesMax: 32 * 1024 * 1024,
  /** Events read from the driver in one step of a replay. */
  replayEvents: 1_000,
  /** Transactions of one group commit. */
  batchCommitsMax: 1_024,
  /** Transactions that may wait; one more is refused with `unavailable`. */
  queueCommitsMax: 50_000,
} as const satisfies Record<string, number>;
export type StoreLimits = {readonly [K in keyof typeof STORE_LIMITS]: number};
