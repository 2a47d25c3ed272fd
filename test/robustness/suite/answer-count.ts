// SPDX-License-Identifier: Apache-2.0
/** Counts answers, and lets others wait for some more: `Running.answers` of a subject. */
export class AnswerCount {
  #count = 0;
  #isOver = false;
  #waiting: {readonly until: number; readonly resolve: () => void}[] = [];

  add(): void {
    this.#count++;
    this.#resolve(({until}) => until <= this.#count);
  }

  /** The process is gone: nobody waits any longer. */
  over(): void {
    this.#isOver = true;
    this.#resolve(() => true);
  }

  more(count: number): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise(resolve => this.#waiting.push({until: this.#count + count, resolve}));
  }

  #resolve(isDone: (each: {readonly until: number}) => boolean): void {
    const done = this.#waiting.filter(isDone);
    if (done.length === 0) return;
    this.#waiting = this.#waiting.filter(each => !done.includes(each));
    for (const {resolve} of done) resolve();
  }
}
