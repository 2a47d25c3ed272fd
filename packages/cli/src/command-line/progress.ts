// SPDX-License-Identifier: Apache-2.0
import {type CliIo, isTerminal} from './io.ts';
import {realClock} from './real-clock.ts';

const TERMINAL_MS = 200;
const LOG_MS = 10_000;

/** One line on stderr that is rewritten on a terminal, and now and then a line elsewhere. */
export class Progress {
  readonly #stderr: CliIo['stderr'];
  readonly #isTerminal: boolean;
  readonly #text: (amount: number) => string;
  #shownAt = realClock.now();
  #isShown = false;

  /** `text`: how an amount is shown. */
  constructor({stderr}: Pick<CliIo, 'stderr'>, text: (amount: number) => string = String) {
    this.#stderr = stderr;
    this.#isTerminal = isTerminal(stderr);
    this.#text = text;
  }

  show(step: string, done: number, of = 0): void {
    const nowMs = realClock.now();
    if (nowMs - this.#shownAt < (this.#isTerminal ? TERMINAL_MS : LOG_MS)) return;
    this.#shownAt = nowMs;
    this.#isShown = true;
    const text = `palisade: ${step}: ${this.#text(done)}${of === 0 ? '' : ` of ${this.#text(of)}`}`;
    this.#stderr.write(this.#isTerminal ? `\r${text}\u001b[K` : `${text}\n`);
  }

  end(): void {
    if (this.#isShown && this.#isTerminal) this.#stderr.write('\r\u001b[K');
  }
}
