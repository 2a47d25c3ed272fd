// SPDX-License-Identifier: Apache-2.0
import {constants, type ServerHttp2Session, type ServerHttp2Stream} from 'node:http2';

/**
 * The open streams of an HTTP/2 session. The listeners are the same for all streams: Node keeps each stream until the next full
 * collection, and with it all that hangs on it.
 */
export class OpenStreams {
  readonly #open = new Set<ServerHttp2Stream>();
  #onBusy = (): void => {};
  #onIdle = (): void => {};

  constructor(session: ServerHttp2Session) {
    const ended = (stream: ServerHttp2Stream): void => {
      this.#open.delete(stream);
      if (this.#open.size === 0) this.#onIdle();
    };
    function onClose(this: ServerHttp2Stream): void {
      ended(this);
    }
    session.on('stream', (stream: ServerHttp2Stream) => {
      this.#open.add(stream);
      this.#onBusy();
      stream.on('close', onClose);
      stream.on('aborted', endIfReset);
    });
  }

  [Symbol.iterator](): IterableIterator<ServerHttp2Stream> {
    return this.#open.values();
  }

  /** `busy`: a stream was opened. `idle`: the last one has ended. */
  tell(on: {readonly busy: () => void; readonly idle: () => void}): void {
    this.#onBusy = on.busy;
    this.#onIdle = on.idle;
  }
}

/**
 * A stream that its client has reset with NO_ERROR (as Node's own client does unless told otherwise; with other codes Node ends it)
 * stays while bytes wait, which nobody takes any longer: a watch would go on.
 */
function endIfReset(this: ServerHttp2Stream): void {
  if (this.rstCode === constants.NGHTTP2_NO_ERROR) this.destroy();
}
