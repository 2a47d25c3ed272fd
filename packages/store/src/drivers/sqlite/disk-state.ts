// SPDX-License-Identifier: Apache-2.0
/**
 * Whether the disk takes writes. It begins to refuse with a write that failed. It takes writes again when a try with room to
 * spare succeeds: a small write that still fits into the log is no recovery, so the state does not change with each request.
 */
import {StoreError} from '../../store-error.ts';

export type DiskWatch = {
  /** The disk begins to refuse writes, or refuses them for another reason (`code`); undefined: it takes them again. */
  readonly onChange: (refusal: StoreError | undefined) => void;
  /** Runs the task later, once: how often a disk that refuses is tried. */
  readonly later: (task: () => void) => void;
};

/** Bytes that a try writes at least. */
const ROOM_BYTES_MIN = 1024 * 1024;
/** A batch takes its values, the pages around them, and as much again when the log is moved into the file. */
const ROOM_PER_BYTE = 2;

export class DiskState {
  readonly #watch: DiskWatch;
  readonly #tryDisk: (bytes: number) => Promise<void>;
  #refusal: StoreError | undefined;
  #room = ROOM_BYTES_MIN;
  #closed = false;

  /** `tryDisk` rejects with a StoreError while the disk refuses to take so many bytes. */
  constructor(watch: DiskWatch, tryDisk: (bytes: number) => Promise<void>) {
    this.#watch = watch;
    this.#tryDisk = tryDisk;
  }

  get isRefusing(): boolean {
    return this.#refusal !== undefined;
  }

  /** A write of so many bytes was refused. */
  refused(refusal: StoreError, bytes: number): void {
    const before = this.#refusal;
    this.#refusal = refusal;
    this.#room = Math.max(this.#room, bytes * ROOM_PER_BYTE);
    if (before?.code !== refusal.code) this.#watch.onChange(refusal);
    if (before === undefined) this.#tryLater();
  }

  close(): void {
    this.#closed = true;
  }

  #tryLater(): void {
    this.#watch.later(() => {
      if (!this.#closed) void this.#try();
    });
  }

  async #try(): Promise<void> {
    try {
      await this.#tryDisk(this.#room);
    } catch (error) {
      if (this.#closed || !(error instanceof StoreError)) return;
      this.refused(error, 0);
      this.#tryLater();
      return;
    }
    this.#refusal = undefined;
    this.#room = ROOM_BYTES_MIN;
    this.#watch.onChange(undefined);
  }
}
