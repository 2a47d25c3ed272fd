// SPDX-License-Identifier: Apache-2.0
/** The record of the clients over all rounds: what they did, what they were answered, and the streams that they put together. */
import type {FollowCursor, Given, Line} from './lines.ts';
import {ENDPOINTS} from './traffic.ts';

/** Records that a reader got together. `until`: the sequence number after them; `missed`: of an exporter. `isStored`: in the order of their times. */
export type Delivery = {
  readonly until: number;
  readonly missed: number;
  readonly isStored: boolean;
  readonly given: readonly Given[];
};

export type Decision = {
  readonly endpoint: number;
  /** `*`: all critical records; those up to the batch `until` were there when it began. */
  readonly id: string;
  readonly until: number;
  /** Records that it changed; null: it was refused; undefined: no answer. */
  changed: number | null | undefined;
};

/** By endpoint: the last batch that was begun, and answered. */
export type Written = {readonly begun: readonly number[]; readonly answered: readonly number[]};

/** `before`: what was answered when it began; `after`: what was begun when it was whole. */
export type Copy = {readonly before: readonly number[]; readonly after: readonly number[]};

export class ClientRecord {
  readonly begun: number[] = ENDPOINTS.map(() => 0);
  readonly answered: number[] = ENDPOINTS.map(() => 0);
  readonly decisions = new Map<number, Decision>();
  /** Of the exporter, what it keeps: a position that was not saved is one that it comes back to. */
  exported: Delivery[] = [];
  followed: Delivery[] = [];
  cursor: FollowCursor | undefined;
  readonly copies = new Map<number, Copy>();
  readonly counts = {writes: 0, refused: 0, unanswered: 0, decisions: 0, exported: 0, followed: 0, copies: 0};
  nextCopy = 0;
  /** Found while it was written: by validator. */
  readonly violations = {positions: [] as string[], resumable: [] as string[]};
  #saved: number[] = [0];
  #pending: Given[] = [];
  #copying = new Map<number, readonly number[]>();
  #round = -1;

  begin(round: number): void {
    this.#round = round;
    this.#pending = [];
    this.#copying = new Map();
  }

  /** Returns whether it is an answer to a call. */
  add(line: Line): boolean {
    switch (line[0]) {
      case 'position':
        this.#position(line[1], line[2]);
        return false;
      case 'begin':
        this.begun[line[1]] = line[2];
        return false;
      case 'answer':
        this.answered[line[1]] = line[2];
        this.counts.writes++;
        return true;
      case 'fail':
      case 'refusal':
        this.counts.refused++;
        return true;
      case 'decide':
        this.decisions.set(line[1], {
          endpoint: line[2],
          id: line[3],
          until: this.answered[line[2]] ?? 0,
          changed: undefined,
        });
        return false;
      case 'decided': {
        const decision = this.decisions.get(line[1]);
        if (decision !== undefined) decision.changed = line[2];
        this.counts.decisions++;
        return true;
      }
      default:
        return this.#read(line);
    }
  }

  #read(line: Line): boolean {
    switch (line[0]) {
      case 'reader':
        this.#openReader(line[1], line[2]);
        return false;
      case 'page':
        this.exported.push({until: line[1], missed: line[2], isStored: false, given: line[3]});
        this.counts.exported += line[3].length;
        return true;
      case 'save':
        this.#saved.push(line[1]);
        return false;
      case 'saved':
        this.#saved = [line[1]];
        return true;
      case 'held':
        this.#pending = [];
        if (line[1] === false)
          this.violations.resumable.push(
            `round ${this.#round}: the store does not hold the cursor ${JSON.stringify(this.cursor)}`,
          );
        return false;
      case 'followed':
        this.#follow(line[1], line[2]);
        return true;
      case 'copying':
        this.#copying.set(line[1], [...this.answered]);
        this.nextCopy = line[1] + 1;
        return false;
      case 'copied':
        this.copies.set(line[1], {before: this.#copying.get(line[1]) ?? [], after: [...this.begun]});
        this.counts.copies++;
        return true;
      default:
        return line[0] === 'uncopied';
    }
  }

  #position(endpoint: number, n: number): void {
    const [least, most] = [this.answered[endpoint] ?? 0, this.begun[endpoint] ?? 0];
    if (n < least || n > most)
      this.violations.positions.push(
        `round ${this.#round}: ${ENDPOINTS[endpoint]} is at batch ${n}, but ${least} was answered, and ${most} is the last that was begun`,
      );
    if (most > n) this.counts.unanswered++;
    this.answered[endpoint] = n;
    this.begun[endpoint] = n;
  }

  /** One of the positions that it saved, or had begun to save; what came after it comes again. */
  #openReader(sequence: number, held: boolean): void {
    if (!held)
      this.violations.resumable.push(
        `round ${this.#round}: the store does not hold the exporter's position ${sequence}`,
      );
    if (!this.#saved.includes(sequence))
      this.violations.resumable.push(`round ${this.#round}: the exporter is at ${sequence}, and saved ${this.#saved}`);
    this.#saved = [sequence];
    this.exported = this.exported.filter(({until}) => until <= sequence);
  }

  #follow(cursor: FollowCursor | null, given: readonly Given[]): void {
    if (cursor === null) {
      this.#pending.push(...given);
      return;
    }
    if (cursor.sequence < (this.cursor?.sequence ?? 0))
      this.violations.resumable.push(
        `round ${this.#round}: the follower went back from ${this.cursor?.sequence} to ${cursor.sequence}`,
      );
    this.cursor = cursor;
    const until = cursor.sequence;
    this.followed.push({until, missed: 0, isStored: true, given: this.#pending});
    this.followed.push({until, missed: 0, isStored: false, given});
    this.counts.followed += this.#pending.length + given.length;
    this.#pending = [];
  }
}
