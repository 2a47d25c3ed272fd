// SPDX-License-Identifier: Apache-2.0
/**
 * Gives memory that is free inside the process back to the system. V8 does so for its heap; the C library keeps the freed pages
 * of buffers and of compiled code for ever, and Node has no call for its malloc_trim(3). SQLite, which is part of Node, calls a
 * function of a shared library by name when it loads an extension, so it can call that one: the first argument (a pointer) is
 * read as the bytes to keep on top, the result 1 (something was given back) is reported as a failed start of the extension.
 * Other C libraries have no such function, and need none. Why not otherwise: docs/adr/0006-memory.md.
 */
import {DatabaseSync} from 'node:sqlite';
import type {Timers} from '@palisade/apiserver';
import {settleHeap} from '@palisade/store/sqlite';

const C_LIBRARY = 'libc.so.6';
const RELEASED = 'error during initialization';

/** How often the size of the process is looked at, in ms, and how much it may grow before it is trimmed, in bytes. */
const LOOK_MS = 1_000;
const GROWTH_BYTES = 8 * 1024 * 1024;
/** What is freed without growth, as after a start or a compaction, goes back after so many looks. */
const LOOKS_PER_TRIM = 10;

export type TrimmingParts = {
  readonly timers: Pick<Timers, 'after'>;
  /** Resident bytes of the process. */
  readonly resident: () => number;
  /** False: it cannot be done here. */
  readonly trim: () => boolean;
};

/** Trims the C library's heap at the first look, whenever the process has grown, and now and then, for as long as that is possible; returns the stop. */
export const startTrimming = ({timers, resident, trim}: TrimmingParts): (() => void) => {
  let least = resident();
  let looksLeft = 0;
  const look = (): void => {
    const now = resident();
    if (now > least + GROWTH_BYTES || looksLeft-- === 0) {
      if (!trim()) return;
      least = resident();
      looksLeft = LOOKS_PER_TRIM;
    } else least = Math.min(least, now);
    timer = timers.after(LOOK_MS, look);
  };
  let timer = timers.after(LOOK_MS, look);
  return () => timer.cancel();
};

/** Takes milliseconds. False where the C library has no malloc_trim. */
export const trimMalloc = (): boolean => {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(':memory:', {allowExtension: true});
    database.loadExtension(C_LIBRARY, 'malloc_trim');
    return true; // nothing to give back
  } catch (error) {
    return error instanceof Error && error.message.startsWith(RELEASED);
  } finally {
    database?.close();
  }
};

/** Gives back what a start leaves behind; takes about 0.1 s. */
export const settleMemory = (): void => {
  settleHeap();
  trimMalloc();
};
