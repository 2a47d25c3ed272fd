// SPDX-License-Identifier: Apache-2.0
/** What a running server reads again on SIGHUP: each part logs what it took, or keeps what it has and logs why. */
import type {ServeConfig} from '../parts/config.ts';
import {LIVE_KEYS, type LivePart} from '../parts/live-keys.ts';

/** `failed`: it kept what it has, and logged why. `needsRestart`: its keys are live, but not for this change. */
export type PartOutcome = 'applied' | 'failed' | 'needsRestart' | NotTaken;
/** It failed for what the keys name, whichever of them changed: the reasons by what they are of. */
export type NotTaken = {readonly reasons: Readonly<Record<string, string>>};

/** Never rejects. */
type Part = (next: ServeConfig) => Promise<PartOutcome>;

/** What became of the keys of LIVE_KEYS, of those parts that this server has. */
export type Reloaded = {readonly [outcome in Extract<PartOutcome, string>]: readonly string[]} & {
  /** By part. Its keys are among the failed ones, too. */
  readonly reasons: {readonly [part in LivePart]?: NotTaken['reasons']};
};

export type ReloadSource = {
  /** The configuration to take; undefined: it has faults, which are logged, and nothing may change. */
  readonly read: () => Promise<ServeConfig | undefined>;
  readonly done: (reloaded: Reloaded) => void;
};

/** Of the times it is asked for while it runs, one more run comes of all of them, with the newest source. */
export class Reload {
  readonly #parts: {readonly name: LivePart; readonly run: Part}[] = [];
  #running = false;
  #next: ReloadSource | undefined;
  #ended = false;

  add(name: LivePart, run: Part): void {
    this.#parts.push({name, run});
  }

  async run(source: ReloadSource): Promise<void> {
    this.#next = source;
    if (this.#running) return;
    this.#running = true;
    while (this.#next !== undefined && !this.#ended) {
      const {read, done}: ReloadSource = this.#next;
      this.#next = undefined;
      const config = await read();
      if (config !== undefined && !this.#ended) done(await this.#apply(config));
    }
    this.#running = false;
  }

  async #apply(config: ServeConfig): Promise<Reloaded> {
    const outcomes = await Promise.all(
      this.#parts.map(async ({name, run}) => ({name, keys: LIVE_KEYS[name], outcome: await run(config)})),
    );
    const keysOf = (asked: PartOutcome): string[] =>
      outcomes.flatMap(({keys, outcome}) => ((typeof outcome === 'string' ? outcome : 'failed') === asked ? keys : []));
    const reasons = Object.fromEntries(
      outcomes.flatMap(({name, outcome}) => (typeof outcome === 'string' ? [] : [[name, outcome.reasons]])),
    );
    return {applied: keysOf('applied'), failed: keysOf('failed'), needsRestart: keysOf('needsRestart'), reasons};
  }

  /** What runs goes on; no other run begins. */
  end(): void {
    this.#ended = true;
  }
}
