// SPDX-License-Identifier: Apache-2.0
/** Keeps the capture files of flows with alerts within their budget, at intervals. */

import type {EvidenceKind} from '@palisade/ids-wire';
import {FLOW_FILES_TIDY_MS, SENSOR_LIMITS, type SensorLimits} from '../limits.ts';
import type {Clock, Log, Timer, Timers} from '../ports.ts';
import {freeBytesAt} from '../sensor/disk-watch.ts';
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
};

export class FlowKeeper {
  budget: FlowBudget;
  readonly #options: FlowKeeperOptions;
  #timer: Timer | undefined;
  #turn: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: FlowKeeperOptions) {
    this.#options = options;
    this.budget = options.flowBudget ?? FLOW_BUDGET_DEFAULT;
    this.#next();
  }

  #next(): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.timers.after(FLOW_FILES_TIDY_MS, () => {
      this.#turn = this.tidy().finally(() => this.#next());
    });
  }

  /** When the disk is nearly full all go that may go: threat records need the space. Never rejects. */
  async tidy(): Promise<void> {
    const {dir, evidence, limits, clock, log} = this.#options;
    const {budget} = this;
    try {
      const isLow = (await freeBytesAt(dir)) < {...SENSOR_LIMITS, ...limits}.diskFloorBytes;
      const tidying = {...budget, nowMs: clock.now(), isWritten: evidence === 'pcap'};
      const files = await tidyFlowFiles(dir, isLow ? {...tidying, bytes: 0} : tidying);
      if (files > 0 && isLow) log.warn({files}, 'disk nearly full, capture files of flows deleted');
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
