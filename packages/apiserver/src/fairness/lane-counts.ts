// SPDX-License-Identifier: Apache-2.0
/** What happened to the requests of one flow schema, for metrics. */

import {Buckets} from '../base/buckets.ts';

/** Why a request got no seat. Ref: kubernetes v1.36 apiserver/pkg/util/flowcontrol/fairqueuing/queueset. */
export type Rejection = 'queue-full' | 'time-out' | 'cancelled';

/** Upper bounds of the buckets, in seconds. Ref: kubernetes v1.36 flowcontrol/metrics requestDurationSecondsBuckets. */
export const WAIT_BUCKETS_S = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30] as const;

/** How long requests waited, in seconds. */
export class WaitTimes extends Buckets {
  constructor() {
    super(WAIT_BUCKETS_S);
  }

  /** One that did not wait. */
  addNone(): void {
    this.counts[0] = (this.counts[0] as number) + 1;
  }
}

export class LaneCounts {
  readonly schema: string;
  executing = 0;
  /** Seats of those that execute. */
  seats = 0;
  waiting = 0;
  dispatched = 0;
  readonly rejected: Record<Rejection, number> = {'queue-full': 0, 'time-out': 0, cancelled: 0};
  readonly waits = {executed: new WaitTimes(), rejected: new WaitTimes()};

  constructor(schema: string) {
    this.schema = schema;
  }
}
