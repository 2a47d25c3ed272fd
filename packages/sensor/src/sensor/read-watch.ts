// SPDX-License-Identifier: Apache-2.0
/**
 * Whether Suricata still reads packets. I1 no packets read for `stallSuspectMs` although some wait is a trouble; for `stallMs` it is ended
 * and started again. I2 the time in which nothing was inspected begins at its last sign of life, not at its end.
 */
import type {Capture} from '../capture/capture.ts';
import type {SensorLimits} from '../limits.ts';
import type {Clock, Log} from '../ports.ts';

/** Why the sensor ended a Suricata that ran. */
export type EndCause = {
  /** For the blind time. */
  readonly words: string;
  /** Since when it has not inspected; undefined: until its end it did. */
  readonly sinceMs?: number | undefined;
};

export type ReadWatchOptions = {
  readonly endpoint: string;
  readonly limits: Pick<SensorLimits, 'stallMs' | 'stallSuspectMs'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
};

export class ReadWatch {
  readonly #options: ReadWatchOptions;
  #stalledMs = 0;

  constructor(options: ReadWatchOptions) {
    this.#options = options;
  }

  /** Each look. Why Suricata has to be started again to get packets; undefined: it has not. `pid`: undefined while none runs. */
  look(capture: Pick<Capture, 'stalledMs' | 'cut'> | undefined, pid: number | undefined): EndCause | undefined {
    const {endpoint, limits, clock, log} = this.#options;
    this.#stalledMs = 0;
    if (pid === undefined || capture === undefined) return undefined;
    const why = capture.cut?.();
    if (why !== undefined) {
      log.error({endpoint, why}, 'Suricata gets no packets any longer, restarting it');
      return {words: `Suricata got no packets any longer (${why}) and was restarted`};
    }
    this.#stalledMs = capture.stalledMs(pid);
    if (this.#stalledMs < limits.stallMs) return undefined;
    const sinceMs = clock.now() - this.#stalledMs;
    log.error({endpoint, since: new Date(sinceMs).toISOString()}, 'Suricata stopped reading, restarting it');
    return {words: 'Suricata stopped reading and was restarted', sinceMs};
  }

  /** Undefined: it reads, or nothing waits. */
  get problem(): string | undefined {
    const {limits} = this.#options;
    if (this.#stalledMs < limits.stallSuspectMs) return undefined;
    const seconds = Math.floor(this.#stalledMs / 1000);
    return `Suricata has not read packets for ${seconds} s; it is restarted after ${limits.stallMs / 1000} s`;
  }
}
