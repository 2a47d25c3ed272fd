// SPDX-License-Identifier: Apache-2.0
/** One watch that reads: times between the sending of an update and its event, in ms. */
import {get} from 'node:http';

/** Updates carry their mark in this label. */
export const markOf = (line: string): string => /"v":"([a-z0-9-]+)"/.exec(line)?.[1] ?? '';

export class WatchReader {
  /** When an update of this mark was sent; shared by all readers. */
  readonly #sent: ReadonlyMap<string, number>;
  readonly #heard = new Map<string, PromiseWithResolvers<number>>();
  readonly #stop: () => void;

  private constructor(sent: ReadonlyMap<string, number>, stop: () => void) {
    this.#sent = sent;
    this.#stop = stop;
  }

  /** Resolves when the first event came: from then on every change is heard. */
  static open(url: string, sent: ReadonlyMap<string, number>): Promise<WatchReader> {
    return new Promise((done, fail) => {
      const request = get(url, response => {
        const reader = new WatchReader(sent, () => response.destroy());
        let rest = '';
        response.on('error', () => {});
        response.on('data', chunk => {
          rest += String(chunk);
          for (let at = rest.indexOf('\n'); at >= 0; at = rest.indexOf('\n')) {
            reader.#hear(markOf(rest.slice(0, at)));
            rest = rest.slice(at + 1);
            done(reader);
          }
        });
      });
      request.on('error', fail);
    });
  }

  /** Resolves to the time that the event of `mark` took, in ms. */
  readonly heard = (mark: string): Promise<number> => this.#entry(mark).promise;

  close(): void {
    this.#stop();
  }

  #hear(mark: string): void {
    const began = this.#sent.get(mark);
    if (began !== undefined) this.#entry(mark).resolve(performance.now() - began);
  }

  #entry(mark: string): PromiseWithResolvers<number> {
    let entry = this.#heard.get(mark);
    if (entry === undefined) {
      entry = Promise.withResolvers<number>();
      this.#heard.set(mark, entry);
    }
    return entry;
  }
}
