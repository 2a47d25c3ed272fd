// SPDX-License-Identifier: Apache-2.0
/** The open streams of one sort: bounded in all and for each user, and ended together. */
import {RpcError} from './rpc-error.ts';

export type OpenStream = {
  /** Aborts when the stream is to end. */
  readonly signal: AbortSignal;
  readonly close: () => void;
};

export class StreamHub {
  readonly #max: number;
  readonly #perUserMax: number;
  /** With the user of each. */
  readonly #streams = new Map<AbortController, string>();
  #stopped = false;

  constructor(limits: {readonly max: number; readonly perUserMax: number}) {
    this.#max = limits.max;
    this.#perUserMax = limits.perUserMax;
  }

  /** Throws RESOURCE_EXHAUSTED when there are too many already, and UNAVAILABLE after `stop`. */
  open(user: string): OpenStream {
    if (this.#stopped) throw new RpcError('UNAVAILABLE', 'the server is stopping; try again');
    if (this.#streams.size >= this.#max)
      throw new RpcError(
        'RESOURCE_EXHAUSTED',
        `${this.#max} streams are already open, the maximum; close some, then try again`,
      );
    const own = [...this.#streams.values()].filter(other => other === user).length;
    if (own >= this.#perUserMax)
      throw new RpcError(
        'RESOURCE_EXHAUSTED',
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

  stop(): void {
    this.#stopped = true;
    for (const controller of this.#streams.keys()) controller.abort();
  }
}
