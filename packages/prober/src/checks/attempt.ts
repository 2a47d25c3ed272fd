// SPDX-License-Identifier: Apache-2.0
/** One check under way: it ends once, and everything it opened is closed then. */
import {MESSAGE_CHARS_MAX} from '../limits.ts';
import type {Outcome} from '../port.ts';
import {faultOf} from './reasons.ts';

/** One line of printable text: parts of it come from the peer. */
export const oneLine = (text: string): string => {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > MESSAGE_CHARS_MAX ? `${line.slice(0, MESSAGE_CHARS_MAX - 1)}…` : line;
};

export class Attempt {
  /** What is waited for: completes "timed out after N ms while …". */
  waitsFor = 'connecting';
  readonly #onEnd: (outcome: Outcome) => void;
  readonly #closers: (() => void)[] = [];
  #farewell: ((done: () => void) => void) | undefined;
  #isOver = false;

  constructor(onEnd: (outcome: Outcome) => void) {
    this.#onEnd = onEnd;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Called when the check is over, the last one first. At once when it is over already. */
  closeWith(close: () => void): void {
    if (this.#isOver) close();
    else this.#closers.push(close);
  }

  /** Done before the closers when the check has passed; `done` has to be called soon, as it counts as over. */
  partWith(farewell: (done: () => void) => void): void {
    this.#farewell = farewell;
  }

  pass(remark = ''): void {
    this.#end({kind: 'passed', message: remark});
  }

  fail(message: string): void {
    this.#end({kind: 'failed', message});
  }

  /** By an error of a socket, TLS or a protocol. */
  failBy(error: unknown): void {
    if (!this.#isOver) this.#end(faultOf(error, this.waitsFor));
  }

  timeOut(afterMs: number): void {
    this.fail(`timed out after ${afterMs} ms while ${this.waitsFor}`);
  }

  /** Nobody waits for the outcome. */
  cancel(): void {
    this.fail('canceled');
  }

  #end({kind, message}: Outcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd({kind, message: oneLine(message)});
    if (kind === 'passed' && this.#farewell !== undefined) this.#farewell(() => this.#close());
    else this.#close();
  }

  #close(): void {
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) close();
  }
}
