// SPDX-License-Identifier: Apache-2.0
/** What another program did to the event file of an endpoint, for the log and the health. */
import type {Clock, Log} from '../ports.ts';

/** `away`: while no server read it. */
const ACTS = {
  truncated: 'was truncated by another program',
  deleted: 'was deleted or moved by another program, and a new one was created',
  replaced: 'was replaced by another program, and a new one was created',
  away: 'was truncated while no server was reading it',
} as const;
export type EveAct = keyof typeof ACTS;

const WAY_OUT = 'do not let other programs write, rotate or remove files in "sensors" of the data folder';

export class EveDamage {
  readonly #parts: {readonly endpoint: string; readonly clock: Clock; readonly log: Log};
  #last: {readonly act: EveAct; readonly at: string} | undefined;
  #count = 0;

  constructor(parts: {readonly endpoint: string; readonly clock: Clock; readonly log: Log}) {
    this.#parts = parts;
  }

  note(act: EveAct): void {
    const {endpoint, clock, log} = this.#parts;
    this.#count++;
    this.#last = {act, at: new Date(clock.now()).toISOString()};
    log.warn({endpoint, times: this.#count}, `the event file ${ACTS[act]}`);
  }

  /** Undefined: nobody touched it since the start. */
  get problem(): string | undefined {
    if (this.#last === undefined) return undefined;
    const {act, at} = this.#last;
    const times = this.#count === 1 ? '' : `, the last of ${this.#count} times`;
    const cost =
      act === 'away' ? 'unread alerts are missing and cannot be counted' : 'unread alerts are counted as lost';
    return `the event file ${ACTS[act]} (noticed at ${at}${times}): ${cost}; ${WAY_OUT}`;
  }
}
