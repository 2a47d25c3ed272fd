// SPDX-License-Identifier: Apache-2.0
/** Every bound of the store, each with a name (design invariant 7: beyond a limit there is a clear error). */

/** Steps of one transaction. Part of the layout on disk: the id of a change is revision * TXN_STEPS_MAX + step. */
export const TXN_STEPS_MAX = 128;

/** Defaults; the open functions take others as `limits`. */
export const STORE_LIMITS = {
  /** UTF-8 bytes of a key. */
  keyBytesMax: 1_024,
  /** Bytes of one value: the largest request (3 MiB) and what a server adds to it. */
  valueBytesMax: 4 * 1024 * 1024,
  /** Items of one page. */
  pageItemsMax: 10_000,
  /** Changes and bytes of one group commit. A single larger transaction still goes, alone. */
  batchChangesMax: 4_096,
  batchBytesMax: 16 * 1024 * 1024,
  /** Writes, and bytes of writes, that wait for their batch. Beyond: `unavailable`, to be tried again. */
  queueWritesMax: 65_536,
  queueBytesMax: 256 * 1024 * 1024,
  /** What a watch may hold that its reader has not taken. Beyond: `too-slow`. One batch always fits. */
  watchBufferEventsMax: 65_536,
  watchBufferBytesMax: 64 * 1024 * 1024,
  /** One step of a replay looks at so many revisions, and stops after so many bytes of values. */
  replayRevisionsMax: 2_048,
  replayBytesMax: 4 * 1024 * 1024,
  /** Old versions fetched from the driver per call. */
  readIdsMax: 1_000,
  /** What one step of a compaction may take, so that writes get in between: in the thread of the server, in that of the driver. */
  compactionStepMs: 5,
  driverStepMs: 10,
} as const satisfies Record<string, number>;
export type StoreLimits = {readonly [K in keyof typeof STORE_LIMITS]: number};
