// SPDX-License-Identifier: Apache-2.0
/**
 * One priority level: a number of seats, and a queue for each flow (user) that waits for some.
 *
 * Flows are served by virtual finish time: each has a tag, the seat-milliseconds that it has used, and a free seat goes to the flow with
 * the least tag. A flow that comes starts at the level's own virtual time, so it is neither before those that wait long nor behind those
 * that used much. Virtual time also advances with the work of others, so a flow that used much is reached again however many new flows come.
 *
 * I1 seats in use never exceed the limit, of the level and of a flow (three quarters of the level, so that another flow finds some free).
 * I2 a request is either served once or refused once.
 * I3 requests of one flow are served in the order they came.
 * I4 a request waits for finitely many others: if the seats that the next one needs are not free, no later one takes them.
 * I5 waiting requests are bounded, for a flow and in total. If the total is reached, the flow with the longest queue loses its newest.
 *
 * Ref: kubernetes v1.36 apiserver/pkg/util/flowcontrol/fairqueuing/queueset, which hashes flows into queues; here each has one.
 */
import {tooManyRequests} from '../base/status-error.ts';
import type {Clock, Timer, Timers} from '../base/time.ts';
import type {LaneCounts, Rejection} from './lane-counts.ts';

type LevelParts = {
  readonly name: string;
  /** 'exempt': requests neither wait nor are bounded. */
  readonly seats: number | 'exempt';
  readonly limits: QueueLimits;
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'after'>;
};

export type QueueLimits = {
  /** Requests of one flow that wait. */
  readonly queuedPerFlowMax: number;
  /** Of all flows of the level. */
  readonly queuedMax: number;
  readonly queueWaitMsMax: number;
};

/** Calls `action` when the client has gone; returns what ends that. */
export type WhenGone = (action: () => void) => () => void;

/** How many requests of a kind hold seats. */
type KindCount = {executing: number};

/** Which request asks for seats. */
export type Ticket = {
  readonly flow: string;
  readonly counts: LaneCounts;
  /** Those that change something, or those that only read. */
  readonly kind: KindCount;
  /** Seats that it needs; more than a quarter of the level count as a quarter. */
  readonly width: number;
};

type Flow = {
  readonly name: string;
  /** Virtual time at which its next request starts. */
  tag: number;
  seats: number;
  executing: number;
  readonly waiting: Waiting[];
};

type Waiting = {
  readonly ticket: Ticket;
  readonly width: number;
  readonly sinceMs: number;
  readonly resolve: (seats: Seats | undefined) => void;
  readonly reject: (error: Error) => void;
  timer: Timer | undefined;
  forget: () => void;
};

/** Seconds until a client that found no seat may try again. Ref: kubernetes v1.36 apiserver/pkg/server/filters/maxinflight.go. */
const RETRY_AFTER_S = 1;
/** What a request is charged for each seat before it is known how long it takes, and at least and at most. */
const CHARGE_MS_MIN = 5;
const CHARGE_MS_MAX = 1_000;
/** Part of a level that one flow may hold, and one request. */
const FLOW_SHARE = 3 / 4;
const REQUEST_SHARE = 1 / 4;

const partOf = (seats: number, share: number): number => Math.max(1, Math.floor(seats * share));

/** What a request holds while it executes. */
export class Seats {
  readonly #release: (seats: Seats) => void;
  readonly ticket: Ticket;
  readonly flow: Flow | undefined;
  readonly width: number;
  readonly sinceMs: number;
  #isHeld = true;

  constructor(parts: Pick<Seats, 'ticket' | 'flow' | 'width' | 'sinceMs'>, release: (seats: Seats) => void) {
    this.ticket = parts.ticket;
    this.flow = parts.flow;
    this.width = parts.width;
    this.sinceMs = parts.sinceMs;
    this.#release = release;
  }

  /** The first call gives the seats back. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#release(this);
  }
}

export class PriorityLevel {
  readonly name: string;
  /** 0: exempt. */
  readonly seats: number;
  readonly #flowMax: number;
  readonly #widthMax: number;
  readonly #parts: LevelParts;
  /** Those with a request that executes or waits. */
  readonly #flows = new Map<string, Flow>();
  readonly #waitingFlows = new Set<Flow>();
  #waiting = 0;
  #inUse = 0;
  #virtualTime = 0;
  readonly #released = (seats: Seats): void => this.#release(seats);

  constructor(parts: LevelParts) {
    const limit = parts.seats === 'exempt' ? 0 : parts.seats;
    this.name = parts.name;
    this.seats = limit;
    this.#flowMax = partOf(limit, FLOW_SHARE);
    this.#widthMax = partOf(limit, REQUEST_SHARE);
    this.#parts = parts;
  }

  /** Seats that requests hold now. */
  get inUse(): number {
    return this.#inUse;
  }

  /** Requests that wait now. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Seats at once where some are free and nobody waits, else a promise; undefined: the client has gone. Throws, or rejects with,
   * StatusError 429.
   */
  enter(ticket: Ticket, whenGone: WhenGone): Seats | Promise<Seats | undefined> {
    if (this.#parts.seats === 'exempt') {
      ticket.counts.waits.executed.addNone();
      return this.#seat(undefined, ticket, 1);
    }
    const flow = this.#flows.get(ticket.flow) ?? this.#begin(ticket.flow);
    const width = Math.min(Math.max(1, ticket.width), this.#widthMax);
    if (this.#waiting === 0 && this.#fitsFlow(flow, width) && this.#fits(width)) {
      ticket.counts.waits.executed.addNone();
      return this.#seat(flow, ticket, width);
    }
    return this.#wait(flow, ticket, width, whenGone);
  }

  #begin(name: string): Flow {
    const flow = {name, tag: this.#virtualTime, seats: 0, executing: 0, waiting: []};
    this.#flows.set(name, flow);
    return flow;
  }

  #fits(width: number): boolean {
    return this.#inUse + width <= this.seats;
  }

  #fitsFlow(flow: Flow, width: number): boolean {
    return flow.seats + width <= this.#flowMax;
  }

  #seat(flow: Flow | undefined, ticket: Ticket, width: number): Seats {
    const {counts, kind} = ticket;
    kind.executing++;
    counts.dispatched++;
    counts.executing++;
    counts.seats += width;
    this.#inUse += width;
    if (flow !== undefined) {
      this.#virtualTime = Math.max(this.#virtualTime, flow.tag);
      flow.tag += width * CHARGE_MS_MIN;
      flow.seats += width;
      flow.executing++;
    }
    return new Seats({ticket, flow, width, sinceMs: this.#parts.clock.now()}, this.#released);
  }

  #release({ticket: {counts, kind}, flow, width, sinceMs}: Seats): void {
    kind.executing--;
    counts.executing--;
    counts.seats -= width;
    this.#inUse -= width;
    if (flow === undefined) return;
    const tookMs = this.#parts.clock.now() - sinceMs; // the clock may have been set back
    const chargedMs = Math.min(Math.max(tookMs, CHARGE_MS_MIN), CHARGE_MS_MAX);
    this.#virtualTime += (width * chargedMs) / this.#flows.size;
    flow.tag += width * (chargedMs - CHARGE_MS_MIN);
    flow.seats -= width;
    flow.executing--;
    this.#forgetIdle(flow);
    if (this.#waiting > 0) this.#dispatch();
  }

  #forgetIdle(flow: Flow): void {
    if (flow.executing === 0 && flow.waiting.length === 0) this.#flows.delete(flow.name);
  }

  #wait(flow: Flow, ticket: Ticket, width: number, whenGone: WhenGone): Promise<Seats | undefined> {
    const {limits, clock, timers} = this.#parts;
    const {promise, resolve, reject} = Promise.withResolvers<Seats | undefined>();
    const waiting: Waiting = {
      ...{ticket, width, sinceMs: clock.now(), resolve, reject},
      timer: undefined,
      forget: () => {},
    };
    if (flow.waiting.length >= limits.queuedPerFlowMax) {
      this.#forgetIdle(flow);
      this.#refuse(waiting, `of ${quoted(flow)} wait: limit is ${limits.queuedPerFlowMax}`);
      return promise;
    }
    if (this.#waiting >= limits.queuedMax && !this.#dropFromLongest(flow)) {
      this.#forgetIdle(flow);
      this.#refuse(waiting, `of all users wait: limit is ${limits.queuedMax}`);
      return promise;
    }
    waiting.timer = timers.after(limits.queueWaitMsMax, () => this.#timeOut(flow, waiting));
    waiting.forget = whenGone(() => this.#leave(flow, waiting));
    flow.waiting.push(waiting);
    this.#waitingFlows.add(flow);
    this.#waiting++;
    ticket.counts.waiting++;
    this.#dispatch();
    return promise;
  }

  /** Gives free seats to those that wait, for as long as the next one finds enough. */
  #dispatch(): void {
    for (;;) {
      const flow = this.#next();
      const head = flow?.waiting[0];
      if (flow === undefined || head === undefined || !this.#fits(head.width)) return;
      this.#remove(flow, head);
      this.#countWait(head, 'executed');
      head.resolve(this.#seat(flow, head.ticket, head.width));
    }
  }

  /** The flow with the least tag of those that may hold more seats; of equal ones, the one that holds fewer. */
  #next(): Flow | undefined {
    let next: Flow | undefined;
    for (const flow of this.#waitingFlows) {
      if (!this.#fitsFlow(flow, (flow.waiting[0] as Waiting).width)) continue;
      if (next === undefined || flow.tag < next.tag || (flow.tag === next.tag && flow.seats < next.seats)) next = flow;
    }
    return next;
  }

  #remove(flow: Flow, waiting: Waiting): boolean {
    const at = flow.waiting.indexOf(waiting);
    if (at < 0) return false;
    flow.waiting.splice(at, 1);
    if (flow.waiting.length === 0) this.#waitingFlows.delete(flow);
    this.#waiting--;
    waiting.ticket.counts.waiting--;
    waiting.timer?.cancel();
    waiting.forget();
    return true;
  }

  #leave(flow: Flow, waiting: Waiting): void {
    if (!this.#remove(flow, waiting)) return;
    this.#countRejection(waiting, 'cancelled');
    waiting.resolve(undefined);
    this.#afterLoss(flow);
  }

  #timeOut(flow: Flow, waiting: Waiting): void {
    if (!this.#remove(flow, waiting)) return;
    this.#countRejection(waiting, 'time-out');
    const seconds = this.#parts.limits.queueWaitMsMax / 1_000;
    waiting.reject(this.#busy(`the request of ${quoted(flow)} waited ${seconds} s for other requests`));
    this.#afterLoss(flow);
  }

  /** The head may have kept seats free for itself. */
  #afterLoss(flow: Flow): void {
    this.#forgetIdle(flow);
    this.#dispatch();
  }

  /** False: no queue is longer than that of `flow` would be. */
  #dropFromLongest(flow: Flow): boolean {
    let longest = flow;
    for (const other of this.#waitingFlows) if (other.waiting.length > longest.waiting.length) longest = other;
    const newest = longest.waiting.at(-1);
    if (newest === undefined || longest.waiting.length <= flow.waiting.length + 1) return false;
    this.#remove(longest, newest);
    this.#refuse(newest, `of all users wait: limit is ${this.#parts.limits.queuedMax}`);
    return true;
  }

  #refuse(waiting: Waiting, fault: string): void {
    this.#countRejection(waiting, 'queue-full');
    waiting.reject(this.#busy(`too many requests ${fault}`));
  }

  #busy(fault: string): Error {
    return tooManyRequests(`${fault} (priority level ${this.name}); try again later`, RETRY_AFTER_S);
  }

  #countRejection(waiting: Waiting, why: Rejection): void {
    waiting.ticket.counts.rejected[why]++;
    this.#countWait(waiting, 'rejected');
  }

  #countWait({ticket, sinceMs}: Waiting, outcome: 'executed' | 'rejected'): void {
    ticket.counts.waits[outcome].add(Math.max(0, this.#parts.clock.now() - sinceMs) / 1_000);
  }
}

const quoted = ({name}: Flow): string => `user ${JSON.stringify(name)}`;
