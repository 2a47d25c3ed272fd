// SPDX-License-Identifier: Apache-2.0
import {type CliIo, isTerminal} from './io.ts';
import {realClock} from './real-clock.ts';

const TERMINAL_MS = 200;
const LOG_MS = 10_000;
/** What takes less shows nothing on a terminal. */
const SILENT_MS = 1_000;

export type ProgressOptions = {
  /** Nothing is shown. */
  readonly json?: boolean;
  /** How an amount is shown. */
  readonly text?: (amount: number) => string;
  readonly now?: () => number;
};

/** One line on stderr that is rewritten on a terminal, and now and then a line elsewhere. Nothing in the first second, or the first ten. */
export class Progress {
  readonly #stderr: CliIo['stderr'];
  readonly #isTerminal: boolean;
  readonly #isQuiet: boolean;
  readonly #text: (amount: number) => string;
  readonly #now: () => number;
  #nextAt: number;
  #isShown = false;

  constructor(
    {stderr}: Pick<CliIo, 'stderr'>,
    {json = false, text = String, now = realClock.now}: ProgressOptions = {},
  ) {
    this.#stderr = stderr;
    this.#isTerminal = isTerminal(stderr);
    this.#isQuiet = json;
    this.#text = text;
    this.#now = now;
    this.#nextAt = now() + (this.#isTerminal ? SILENT_MS : LOG_MS);
  }

  show(step: string, done: number, of = 0): void {
    const nowMs = this.#now();
    if (this.#isQuiet || nowMs < this.#nextAt) return;
    this.#nextAt = nowMs + (this.#isTerminal ? TERMINAL_MS : LOG_MS);
    this.#isShown = true;
    const text = `palisade: ${step}: ${this.#text(done)}${of === 0 ? '' : ` of ${this.#text(of)}`}`;
    this.#stderr.write(this.#isTerminal ? `\r${text}\u001b[K` : `${text}\n`);
  }

  end(): void {
    if (this.#isShown && this.#isTerminal) this.#stderr.write('\r\u001b[K');
  }
}
