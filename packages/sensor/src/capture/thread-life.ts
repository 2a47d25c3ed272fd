// SPDX-License-Identifier: Apache-2.0
/** How long the threads of a Suricata that always has something to read have stood still. */
export class ThreadLife {
  #last: {readonly pid: number; readonly switches: number; readonly atMs: number} | undefined;

  /** Each look. `switches`: of the threads of `pid` that read; undefined: not known, which is no standstill. */
  stoodStillMs(nowMs: number, pid: number, switches: number | undefined): number {
    const last = this.#last;
    if (switches !== undefined && last?.pid === pid && last.switches === switches)
      return Math.max(nowMs - last.atMs, 0);
    this.#last = switches === undefined ? undefined : {pid, switches, atMs: nowMs};
    return 0;
  }
}
