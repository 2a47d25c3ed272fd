// SPDX-License-Identifier: Apache-2.0
/** Files that a running server reads again when it is told to (SIGHUP): each part logs what it took, or keeps what it has and logs why. */
import type {SuricataSensorHost} from '@palisade/sensor';
import type {Logger} from './logger.ts';

/** Never rejects. */
type Part = () => Promise<void>;

/** Of the times it is asked for while it runs, one more run comes of all of them. */
export class Reload {
  readonly #parts: Part[] = [];
  #running = false;
  #again = false;
  #ended = false;

  add(part: Part): void {
    this.#parts.push(part);
  }

  async run(): Promise<void> {
    this.#again = true;
    if (this.#running) return;
    this.#running = true;
    while (this.#again && !this.#ended) {
      this.#again = false;
      await Promise.all(this.#parts.map(part => part()));
    }
    this.#running = false;
  }

  /** What runs goes on; no other run begins. */
  end(): void {
    this.#ended = true;
  }
}

/** Of a host that is being closed. */
const CLOSING: ReadonlySet<string | undefined> = new Set(['aborted', 'closed']);

/** The rule files of --rules, put in force on all sensors, live; a set that is refused leaves that of before. */
export const reloadRules = async (
  host: Pick<SuricataSensorHost, 'setRules'>,
  files: readonly string[],
  log: Pick<Logger, 'info' | 'error'>,
): Promise<void> => {
  try {
    const {version, rules} = await host.setRules(files);
    log.info({version, rules}, 'the rules of --rules were read again, and are in force');
  } catch (error) {
    if (CLOSING.has((error as {code?: string}).code)) return;
    log.error({err: error}, 'the rules of --rules were not taken: those of before stay in force');
  }
};
