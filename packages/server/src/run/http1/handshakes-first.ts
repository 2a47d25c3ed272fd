// SPDX-License-Identifier: Apache-2.0
/**
 * While TLS handshakes are worked on, requests wait for them, until a turn of the event loop has accepted no connection and ended no
 * handshake.
 *
 * Clients with a pool open a connection for every request that finds none idle. Where requests are answered between the handshakes
 * of a client that has just come, each answer makes it open another, several for each that it needs; after a restart all clients
 * come at once. Only work that was done counts: a client that connects and says nothing has others wait for the turn that accepts
 * it. And only for a part of the time: a client that never stops to connect does not keep the others from being answered.
 */
import type {Timers} from '@palisade/apiserver';

export type HandshakesFirstParts = {
  /** What is to come soon comes when what has arrived for this turn of the event loop is read. */
  readonly timers: Pick<Timers, 'soon'>;
  /** Milliseconds since some moment; never jumps. */
  readonly monotonicNow: () => number;
};

/** Of a second handshakes go first for so long, in ms (where two seconds meet, for twice that); a turn that has begun is ended. */
export const FIRST_MS = 100;
const SECOND_MS = 1_000;

export class HandshakesFirst {
  readonly #parts: HandshakesFirstParts;
  #waiting: (() => void)[] = [];
  /** Whether turns are watched: one of the last two worked on handshakes. */
  #areFirst = false;
  #hasWorked = false;
  #turnBegan = 0;
  #secondBegan = Number.NEGATIVE_INFINITY;
  /** For how long handshakes have gone first in this second. */
  #spentMs = 0;

  constructor(parts: HandshakesFirstParts) {
    this.#parts = parts;
  }

  /** A connection was accepted, or its handshake has ended. */
  worked(): void {
    this.#hasWorked = true;
    if (this.#areFirst) return;
    const now = this.#parts.monotonicNow();
    if (now - this.#secondBegan >= SECOND_MS) {
      this.#secondBegan = now;
      this.#spentMs = 0;
    }
    if (this.#spentMs >= FIRST_MS) return;
    this.#areFirst = true;
    this.#turnBegan = now;
    this.#parts.timers.soon(this.#endTurn);
  }

  /** False: nothing is to be waited for. Otherwise `begin` is called at the end of this turn or of a later one, in the order of the calls. */
  defer(begin: () => void): boolean {
    if (this.#areFirst) this.#waiting.push(begin);
    return this.#areFirst;
  }

  readonly #endTurn = (): void => {
    const now = this.#parts.monotonicNow();
    this.#spentMs += now - this.#turnBegan;
    this.#turnBegan = now;
    this.#areFirst = this.#hasWorked && this.#spentMs < FIRST_MS;
    this.#hasWorked = false;
    if (this.#areFirst) this.#parts.timers.soon(this.#endTurn);
    else for (const begin of this.#waiting.splice(0)) begin();
  };
}
