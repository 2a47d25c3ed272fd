// SPDX-License-Identifier: Apache-2.0
/**
 * When requests are begun: at the end of a turn of the event loop, when all that has arrived for it is read, one right after the
 * other. What a request needs of the processor's caches is then there from the one before, and their writes go to the disk together.
 *
 * While TLS handshakes are worked on, requests wait for them, until a turn has accepted no connection and ended no handshake.
 * Clients with a pool open a connection for every request that finds none idle. Where requests are answered between the handshakes
 * of a client that has just come, each answer makes it open another, several for each that it needs; after a restart all clients
 * come at once. Only work that was done counts: a client that connects and says nothing has others wait for the turn that accepts
 * it. And only for a part of the time: a client that never stops to connect does not keep the others from being answered.
 */
import type {Timers} from '@palisade/apiserver';

export type RequestTurnsParts = {
  /** What is to come soon comes when what has arrived for this turn of the event loop is read. */
  readonly timers: Pick<Timers, 'soon'>;
  /** Milliseconds since some moment; never jumps. */
  readonly monotonicNow: () => number;
};

/** Of a second handshakes go first for so long, in ms (where two seconds meet, for twice that); a turn that has begun is ended. */
export const FIRST_MS = 100;
const SECOND_MS = 1_000;

export class RequestTurns {
  readonly #parts: RequestTurnsParts;
  #waiting: (() => void)[] = [];
  #isEndAwaited = false;
  /** One of the last two turns worked on handshakes. */
  #areHandshakesFirst = false;
  #hasWorked = false;
  #turnBegan = 0;
  #secondBegan = Number.NEGATIVE_INFINITY;
  /** For how long handshakes have gone first in this second. */
  #spentMs = 0;

  constructor(parts: RequestTurnsParts) {
    this.#parts = parts;
  }

  /** A connection was accepted, or its handshake has ended. */
  workedOnHandshake(): void {
    this.#hasWorked = true;
    if (this.#areHandshakesFirst) return;
    const now = this.#parts.monotonicNow();
    if (now - this.#secondBegan >= SECOND_MS) {
      this.#secondBegan = now;
      this.#spentMs = 0;
    }
    if (this.#spentMs >= FIRST_MS) return;
    this.#areHandshakesFirst = true;
    this.#turnBegan = now;
    this.#awaitEnd();
  }

  /** `begin` is called at the end of this turn or of a later one, in the order of the calls. It must not throw. */
  defer(begin: () => void): void {
    this.#waiting.push(begin);
    this.#awaitEnd();
  }

  #awaitEnd(): void {
    if (this.#isEndAwaited) return;
    this.#isEndAwaited = true;
    this.#parts.timers.soon(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    this.#isEndAwaited = false;
    if (this.#areHandshakesFirst) this.#spendTurn();
    if (this.#areHandshakesFirst) this.#awaitEnd();
    else for (const begin of this.#waiting.splice(0)) begin();
  };

  #spendTurn(): void {
    const now = this.#parts.monotonicNow();
    this.#spentMs += now - this.#turnBegan;
    this.#turnBegan = now;
    this.#areHandshakesFirst = this.#hasWorked && this.#spentMs < FIRST_MS;
    this.#hasWorked = false;
  }
}
