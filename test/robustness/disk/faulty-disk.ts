// SPDX-License-Identifier: Apache-2.0
/**
 * A disk with faults, for processes that a test starts: a library (shim.c, LD_PRELOAD) sees their calls on files below one
 * folder, fails those that are armed, and logs each change, so that a state after power loss can be computed from the log.
 * The model of what survives: crash-state.ts.
 */

/** Why no faulty disk can be made here (no C compiler, not Linux with glibc); undefined: it can. */
export const whyNoDisk = (): string | undefined => 'being built';

/**
 * A fault of the disk.
 *   write  EIO, EROFS: everything that changes the disk (bytes, sizes, names; EROFS also open for writing).
 *          ENOSPC, EDQUOT: what needs room (bytes, growth, new names). short: half of the bytes are written.
 *   sync   fsync and fdatasync. After one that failed, later syncs no longer make durable what was unsynced then, as on Linux.
 *   read   EIO: read fails. short: half of the bytes are read.
 */
export type DiskFault = {
  readonly call: 'write' | 'sync' | 'read';
  /** `short`: of `write` and `read` only. */
  readonly errno: 'ENOSPC' | 'EIO' | 'EROFS' | 'EDQUOT' | 'short';
  /** Matching calls that still succeed. */
  readonly after: number;
  /** Calls that fail then; Infinity: all. */
  readonly times: number;
  /** The end of the names of the files that it concerns, such as `-wal`; at most 60 bytes. Default: all. */
  readonly files?: string;
};

export type FaultHits = {readonly fault: DiskFault; readonly struck: number};

/** What happened to unsynced changes. */
export type PowerLoss = {
  /** Writes that are there wholly. */
  readonly kept: number;
  readonly lost: number;
  /** Writes that are there in part. */
  readonly torn: number;
  /** Creations, renames and removals. */
  readonly names: {readonly kept: number; readonly lost: number};
};

export class FaultyDisk implements Disposable {
  /** `folder`: absolute; everything below it is the disk. It is made if it does not exist. Throws with `whyNoDisk()`. */
  static async make(folder: string): Promise<FaultyDisk> {
    throw new Error(`${folder}: ${whyNoDisk()}`);
  }

  /**
   * Variables for spawn(), in addition to those of the test. Call it right before each start: where nothing was logged since the
   * last loss of power, the folder as it is now is what is durable (so that a test may open it by itself in between).
   */
  env(): Record<string, string> {
    throw new Error('being built');
  }

  /** In addition to the faults that are armed already; acts on running processes at once. At most 32 at a time. */
  arm(..._faults: readonly DiskFault[]): void {
    throw new Error('being built');
  }

  /** The disk is well again. */
  disarm(): void {
    throw new Error('being built');
  }

  /** How often each fault struck that was ever armed, in the order of arming. */
  hits(): readonly FaultHits[] {
    throw new Error('being built');
  }

  /** The wall clock of the processes jumps by so many milliseconds, forwards or backwards; steps add up. Timers are not affected. */
  stepClock(_ms: number): void {
    throw new Error('being built');
  }

  /**
   * Call it when the process is dead: rewrites the folder to a state that the disk may have after power went at the moment of
   * the kill. `random`: numbers in [0, 1); the same numbers and the same log give the same state.
   */
  losePower(_random: () => number): PowerLoss {
    throw new Error('being built');
  }

  /** Removes the log and the control file; the folder remains. */
  [Symbol.dispose](): void {
    throw new Error('being built');
  }
}
