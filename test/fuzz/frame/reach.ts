// SPDX-License-Identifier: Apache-2.0
/**
 * Which code inputs reach, by V8's own coverage counters: no instrumentation, no library. (jazzer.js 4.0.0 was tried: its native part
 * needs glibc 2.38, which Debian 12 does not have.)
 */
import {Session} from 'node:inspector';

type Range = {readonly startOffset: number; readonly endOffset: number; readonly count: number};
type Script = {
  readonly url: string;
  readonly functions: readonly {readonly ranges: readonly Range[]}[];
};

export class Reach {
  readonly #session = new Session();
  readonly #known = new Set<string>();

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', {callCount: false, detailed: true});
  }

  /** Whether code of ours has run, since the last call, that had not run before. */
  grew(): boolean {
    let grew = false;
    this.#session.post('Profiler.takePreciseCoverage', (error, answer) => {
      if (error !== null) throw error;
      for (const {url, functions} of (answer as {result: readonly Script[]}).result) {
        if (!url.includes('/packages/')) continue;
        for (const {ranges} of functions)
          for (const {startOffset, endOffset, count} of ranges) {
            const key = `${url}:${startOffset}:${endOffset}:${count > 0}`;
            if (this.#known.has(key)) continue;
            this.#known.add(key);
            grew = true;
          }
      }
    });
    return grew;
  }

  close(): void {
    this.#session.disconnect();
  }
}
