// SPDX-License-Identifier: Apache-2.0
/** Every bound of the store, by name (design invariant 7: beyond a limit there is a clear error). */

export const KEY_BYTES_MAX = 1_024;
/** Steps of one transaction. Part of the on-disk layout: an id is revision * TXN_STEPS_MAX + step. */
export const TXN_STEPS_MAX = 128;
/** Default bound of one value; `valueBytesMax` of the open functions changes it, up to VALUE_BYTES_CEILING. */
export const VALUE_BYTES_MAX = 4 * 1024 * 1024;
export const VALUE_BYTES_CEILING = 64 * 1024 * 1024;
export const LIST_ITEMS_MAX = 10_000;

/** Group commit: at most so much goes into one transaction of the driver. One oversized write still goes alone. */
export const BATCH_CHANGES_MAX = 4_096;
export const BATCH_BYTES_MAX = 16 * 1024 * 1024;
/** Writes that wait for their batch. Beyond: `unavailable`, to be tried again. */
export const WRITES_WAITING_MAX = 65_536;
export const WRITES_WAITING_BYTES_MAX = 256 * 1024 * 1024;

/** What one watch may hold that its reader has not taken. Beyond: `too-slow`. A single batch always fits. */
export const WATCH_BUFFER_EVENTS_MAX = 16_384;
export const WATCH_BUFFER_BYTES_MAX = 64 * 1024 * 1024;

/** One step of a replay: so many revisions are looked at, and reading stops after so many bytes of values. */
export const REPLAY_REVISIONS_MAX = 2_048;
export const REPLAY_BYTES_MAX = 4 * 1024 * 1024;
/** Old versions fetched from the driver per call. */
export const READ_IDS_MAX = 1_000;
/** Changes removed per transaction of a compaction, so that writes get in between. */
export const ERASE_IDS_MAX = 2_000;
