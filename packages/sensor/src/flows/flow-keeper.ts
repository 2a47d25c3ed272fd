// SPDX-License-Identifier: Apache-2.0
/**
 * Keeps the capture files of flows with alerts within their budget, at intervals.
 *
 * I1 when the disk is short they go before any record: their floor is above that of the records, and the disk is looked at every
 *    FLOW_DISK_LOOK_MS. I2 then only as many go as the space that is missing, the oldest first.
 */

import type {EvidenceKind} from '@palisade/ids-wire';
import {
  FLOW_DISK_LOOK_MS,
  FLOW_FILES_TIDY_MS,
  FLOW_FREE_BYTES_MIN,
  FLOW_FREE_SHARE,
  SENSOR_LIMITS,
  type SensorLimits,
} from '../limits.ts';
import type {Clock, Log, Timer, Timers} from '../ports.ts';
import {type DiskSpace, diskSpaceAt} from '../sensor/disk-watch.ts';
import {messageOf} from '../sensor-error.ts';
import type {FlowBudget} from './flow-files.ts';
import {FLOW_BUDGET_DEFAULT, tidyFlowFiles} from './flow-files.ts';

export type FlowKeeperOptions = {
  /** Of all sensors. */
  readonly dir: string;
  readonly evidence?: EvidenceKind | undefined;
  readonly flowBudget?: FlowBudget | undefined;
  readonly limits?: Partial<SensorLimits> | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Of the file system of a folder; given by tests. */
  readonly spaceAt?: ((folder: string) => Promise<DiskSpace>) | undefined;
};

export class FlowKeeper {
  budget: FlowBudget;
  readonly #options: FlowKeeperOptions;
  #timer: Timer | undefined;
  #turn: Promise<void> | undefined;
  #tidiedMs: number;
  #isClosed = false;

  constructor(options: FlowKeeperOptions) {
    this.#options = options;
    this.budget = options.flowBudget ?? FLOW_BUDGET_DEFAULT;
    this.#tidiedMs = options.clock.now();
    this.#next();
  }

  #next(): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.timers.after(FLOW_DISK_LOOK_MS, () => {
      this.#turn = this.#look().finally(() => this.#next());
    });
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    const isDue = Math.abs(this.#options.clock.now() - this.#tidiedMs) >= FLOW_FILES_TIDY_MS; // the clock may be set back
    if (isDue || (await this.#missingBytes().catch(() => 0)) > 0) await this.tidy();
  }

  async #missingBytes(): Promise<number> {
    const {dir, limits, spaceAt = diskSpaceAt} = this.#options;
    const {freeBytes, totalBytes} = await spaceAt(dir);
    const {diskFloorBytes} = {...SENSOR_LIMITS, ...limits};
    const floor = Math.max(diskFloorBytes, Math.min(FLOW_FREE_BYTES_MIN, totalBytes / FLOW_FREE_SHARE));
    return Math.max(floor - freeBytes, 0);
  }

  /** Never rejects. */
  async tidy(): Promise<void> {
    const {dir, evidence, clock, log} = this.#options;
    const nowMs = clock.now();
    this.#tidiedMs = nowMs;
    try {
      const missingBytes = await this.#missingBytes();
      const files = await tidyFlowFiles(dir, {...this.budget, nowMs, isWritten: evidence === 'pcap', missingBytes});
      if (files > 0 && missingBytes > 0) log.warn({files}, 'disk nearly full, capture files of flows deleted');
      else if (files > 0) log.debug({files}, 'capture files of flows deleted');
    } catch (error) {
      log.error({error: messageOf(error)}, 'capture files of flows cannot be tidied, retrying');
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#turn;
  }
}
