// SPDX-License-Identifier: Apache-2.0
/** The connections of one port that are answered without node:http (connection.ts), and their time limits. */
import type {Socket} from 'node:net';
import type {Timers} from '@palisade/apiserver';
import {Http1Connection, type Http1Limits, type Http1Parts, type WholeHandler} from './connection.ts';
import {KnownFields, type RequestHead} from './request-head.ts';

/** Which requests are answered here, and by whom. */
export type WholeRequests = {takes(head: RequestHead): boolean; readonly handler: WholeHandler};

export type Http1PortParts = WholeRequests &
  Pick<Http1Parts, 'defer'> & {
    readonly timers: Timers;
    readonly limits: Http1Limits & {
      /** How often the limits are looked at. */
      readonly checkMs: number;
    };
    /** A drain waits for this connection until the returned function is called. */
    hold(socket: Socket): () => void;
    /** Takes over a connection with a request that is not for this port to answer. */
    leaveToNode(socket: Socket): void;
    /** Milliseconds since some moment; never jumps. */
    monotonicNow(): number;
    /** Milliseconds since the epoch, for `Date`. */
    now(): number;
  };

const SECOND_MS = 1_000;

export class Http1Port {
  readonly #parts: Http1PortParts;
  readonly #ofConnections: Http1Parts;
  readonly #open = new Set<Http1Connection>();
  #isChecking = false;
  /** Lines of every head, and the second for which they are right. */
  #common = {second: Number.NaN, date: '', stays: ''};

  constructor(parts: Http1PortParts) {
    this.#parts = parts;
    const {takes, handler, hold, defer, timers, leaveToNode, monotonicNow: now} = parts;
    const commonFields = (mayStay: boolean): string => this.#commonFields(mayStay);
    this.#ofConnections = {
      takes,
      handler,
      hold,
      defer,
      timers,
      leaveToNode,
      now,
      commonFields,
      known: new KnownFields(),
    };
  }

  /** Reads requests from now on. Errors of the socket are for its owner. */
  serve(socket: Socket): void {
    const connection = new Http1Connection(socket, this.#ofConnections, () => this.#open.delete(connection));
    this.#open.add(connection);
    this.#checkLater();
  }

  #commonFields(mayStay: boolean): string {
    const second = Math.floor(this.#parts.now() / SECOND_MS);
    if (second !== this.#common.second) {
      const keptSeconds = Math.floor(this.#parts.limits.keepAliveMs / SECOND_MS);
      const date = `Date: ${new Date(second * SECOND_MS).toUTCString()}\r\n`;
      const stays = `${date}Connection: keep-alive\r\nKeep-Alive: timeout=${keptSeconds}\r\n`;
      this.#common = {second, date, stays};
    }
    return mayStay ? this.#common.stays : this.#common.date;
  }

  #checkLater(): void {
    if (this.#isChecking || this.#open.size === 0) return;
    this.#isChecking = true;
    const {timers, limits, monotonicNow} = this.#parts;
    timers.after(limits.checkMs, () => {
      this.#isChecking = false;
      const now = monotonicNow();
      for (const connection of this.#open) connection.expire(now, limits);
      this.#checkLater();
    });
  }
}
