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
  /** A handshake counts for so long at most, and no request waits longer: clients that do not go on hold up nobody else. */
  readonly windowMs: number;
};
export const RUSH_LIMITS: RushLimits = {handshakesMin: 4, windowMs: 20};

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
    return this.#underWay >= this.#limits.handshakesMin;
  }

  /** What is left of the window, in ms; a new one, in which nothing has begun, when it is over. */
  #window(): number {
    const now = this.#parts.monotonicNow();
    if (now >= this.#windowEnd) {
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
