// SPDX-License-Identifier: Apache-2.0
/** The open streams of one sort: bounded in all and for each user, and ended together. */
import {forOthers} from '@palisade/apiserver';
import {RpcError, tooMany} from './rpc-error.ts';

export type OpenStream = {
  /** Aborts when the stream is to end. */
  readonly signal: AbortSignal;
  readonly close: () => void;
};

export class StreamHub {
  readonly #max: number;
  readonly #perUserMax: number;
  readonly #onRefused: () => void;
  /** With the user of each. */
  readonly #streams = new Map<AbortController, string>();
  #stopped = false;

  constructor(parts: {readonly max: number; readonly perUserMax: number; readonly onRefused?: () => void}) {
    this.#max = parts.max;
    this.#perUserMax = parts.perUserMax;
    this.#onRefused = parts.onRefused ?? (() => {});
  }

  /**
   * Throws RESOURCE_EXHAUSTED when there are too many already, and UNAVAILABLE after `stop`. A part of the total is kept for
   * administrators.
   */
  open(user: string, isAdmin = false): OpenStream {
    if (this.#stopped) throw new RpcError('UNAVAILABLE', 'the server is stopping; try again');
    if (this.#streams.size >= (isAdmin ? this.#max : forOthers(this.#max)))
      throw this.#refusal(`${this.#streams.size} streams are already open, the maximum; close some, then try again`);
    const own = [...this.#streams.values()].filter(other => other === user).length;
    if (own >= this.#perUserMax)
      throw this.#refusal(
        `user "${user}" follows ${this.#perUserMax} streams already, as many as one user may; close some, then try again`,
      );
    const controller = new AbortController();
    this.#streams.set(controller, user);
    return {
      signal: controller.signal,
      close: () => {
        controller.abort();
        this.#streams.delete(controller);
      },
    };
  }

  #refusal(fault: string): RpcError {
    this.#onRefused();
    return tooMany(fault);
  }

  stop(): void {
    this.#stopped = true;
    for (const controller of this.#streams.keys()) controller.abort();
  }
}
