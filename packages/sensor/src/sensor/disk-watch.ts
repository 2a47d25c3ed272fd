// SPDX-License-Identifier: Apache-2.0
/**
 * Free space where events and records are written. Below the floor traffic logs stop, so that threat logs have what is left.
 * Ref: contracts of the data plane, section 7, "disk full".
 */
import {statfs} from 'node:fs/promises';
import type {SensorLimits} from '../limits.ts';

export type DiskLimits = Pick<SensorLimits, 'diskFloorBytes' | 'diskRecoverBytes'>;

export type DiskSpace = {
  /** Bytes that an ordinary user may still write. */
  readonly freeBytes: number;
  readonly totalBytes: number;
};

/** Of the file system of `folder`. */
export const diskSpaceAt = async (folder: string): Promise<DiskSpace> => {
  const {bavail, blocks, bsize} = await statfs(folder);
  return {freeBytes: bavail * bsize, totalBytes: blocks * bsize};
};

export const freeBytesAt = async (folder: string): Promise<number> => (await diskSpaceAt(folder)).freeBytes;

export class DiskWatch {
  readonly #limits: DiskLimits;
  #freeBytes = Number.POSITIVE_INFINITY;
  #low = false;

  constructor(limits: DiskLimits) {
    this.#limits = limits;
  }

  /** Below the floor, and from then on until there is `diskRecoverBytes` more than the floor. */
  get low(): boolean {
    return this.#low;
  }

  get freeBytes(): number {
    return this.#freeBytes;
  }

  /** Takes a measurement. True: `low` has changed. */
  look(freeBytes: number): boolean {
    const {diskFloorBytes, diskRecoverBytes} = this.#limits;
    const before = this.#low;
    this.#freeBytes = freeBytes;
    this.#low = freeBytes < diskFloorBytes + (before ? diskRecoverBytes : 0);
    return this.#low !== before;
  }

  /** Undefined: there is space. `trafficLogs`: the endpoint wants them. */
  problem(trafficLogs: boolean): string | undefined {
    if (!this.#low) return undefined;
    const stopped = trafficLogs ? '; traffic logs are stopped so that threat logs continue' : '';
    return `disk nearly full: ${Math.floor(this.#freeBytes / 2 ** 20)} MiB free where the events are written${stopped}; free space`;
  }
}
