// SPDX-License-Identifier: Apache-2.0
/**
 * While several TLS handshakes are under way, requests wait for them, for a moment at most. Clients with a pool open a connection
 * for every request that finds none idle, and keep them all: where requests are answered between the handshakes of a client that
 * has just come, it opens several connections for each that it needs. After a restart all clients come at once.
 */
import type {Timers} from '@palisade/apiserver';

export type RushLimits = {
  /** So many handshakes under way are a rush. */
  readonly handshakesMin: number;
  /** A handshake counts for so long at most, and no request waits longer. */
  readonly windowMs: number;
  /** So many windows of a second may end before the handshakes do; then no request waits until the second is over. */
  readonly vainWindowsMax: number;
};
/** Clients that open connections and do not go on can have others wait for a tenth of the time, 20 ms at most. */
export const RUSH_LIMITS: RushLimits = {handshakesMin: 4, windowMs: 20, vainWindowsMax: 5};
const SECOND_MS = 1_000;

export type RushParts = {
  readonly timers: Pick<Timers, 'after'>;
  /** Milliseconds since some moment; never jumps. */
  readonly monotonicNow: () => number;
  readonly limits?: RushLimits;
};

export class HandshakeRush {
  readonly #parts: RushParts;
  readonly #limits: RushLimits;
  /** Handshakes that began in this window and have not ended. */
  #underWay = 0;
  #windowEnd = Number.NEGATIVE_INFINITY;
  /** Windows of this second that ended in a rush. */
  #vain = 0;
  #secondEnd = Number.NEGATIVE_INFINITY;
  #waiting: (() => void)[] = [];
  #timer: {cancel(): void} | undefined;

  constructor(parts: RushParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? RUSH_LIMITS;
  }

  began(): void {
    this.#window();
    this.#underWay++;
  }

  /** It succeeded, or failed. */
  ended(): void {
    if (this.#underWay > 0) this.#underWay--;
    if (!this.#isRush) this.#release();
  }

  /** False: there is no rush. Otherwise `action` is called when it is over, or at the end of the window. */
  defer(action: () => void): boolean {
    if (!this.#isRush) return false;
    const left = this.#window();
    if (!this.#isRush) return false;
    this.#waiting.push(action);
    this.#timer ??= this.#parts.timers.after(left, () => this.#release());
    return true;
  }

  get #isRush(): boolean {
    return this.#underWay >= this.#limits.handshakesMin && this.#vain < this.#limits.vainWindowsMax;
  }

  /** What is left of the window, in ms; a new one, in which nothing has begun, when it is over. */
  #window(): number {
    const now = this.#parts.monotonicNow();
    if (now >= this.#windowEnd) {
      if (this.#isRush) this.#vain++;
      if (now >= this.#secondEnd) {
        this.#secondEnd = now + SECOND_MS;
        this.#vain = 0;
      }
      this.#windowEnd = now + this.#limits.windowMs;
      this.#underWay = 0;
    }
    return this.#windowEnd - now;
  }

  #release(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const action of waiting) action();
  }
}
