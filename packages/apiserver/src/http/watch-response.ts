// SPDX-License-Identifier: Apache-2.0
/**
 * The socket side of a watch: takes frames, tells when it is full, when it drained and when the client is gone.
 *
 * All watchers of a group are handed the same bytes. Over HTTP/1.1 these are framed as a chunk once, and the chunk goes to
 * every socket as it is: one buffer, one TLS write and no copy per watcher. Over HTTP/2 the stream frames for itself.
 */
import type {ServerResponse} from 'node:http';
import type {SlicedQueue} from '../cache/pace.ts';
import type {WatchSink} from '../cache/watcher.ts';
import type {Timers} from '../time.ts';
import type {WatchAnswer} from '../verbs/answer.ts';
import type {Headers, HttpResponse} from './exchange.ts';

/** How long a stream that was ended may take to drain before its connection is cut. */
const END_GRACE_MS = 5_000;

/** What takes the bytes of the body. */
type Outlet = {
  readonly writable: boolean;
  /** Bytes that wait here. */
  readonly writableLength: number;
  write(bytes: Buffer, written: () => void): unknown;
};

const chunks = new WeakMap<Buffer, Buffer>();

/** `SIZE CRLF bytes CRLF`, the same buffer for the same bytes. Ref: RFC 9112 section 7.1. */
const chunkOf = (bytes: Buffer): Buffer => {
  let chunk = chunks.get(bytes);
  if (chunk === undefined) {
    const head = `${bytes.length.toString(16)}\r\n`;
    chunk = Buffer.allocUnsafe(head.length + bytes.length + 2);
    chunk.write(head, 0, 'latin1');
    bytes.copy(chunk, head.length);
    chunk.write('\r\n', head.length + bytes.length, 'latin1');
    chunks.set(bytes, chunk);
  }
  return chunk;
};

const unframed = (bytes: Buffer): Buffer => bytes;

export type WatchResponseOptions = {
  readonly timers: Timers;
  /** Bytes that may wait for one socket before the sink asks for patience. */
  readonly socketBytesMax: number;
  /** Where connections are cut, a few at a time. */
  readonly endings: Pick<SlicedQueue, 'add'>;
};

class ResponseSink implements WatchSink {
  readonly #response: ServerResponse;
  readonly #outlet: Outlet;
  readonly #frame: (bytes: Buffer) => Buffer;
  readonly #options: WatchResponseOptions;
  #onTaken: () => void = () => {};
  /** Writes of which something waits here. */
  #waiting = 0;
  readonly #written = (): void => {
    if (--this.#waiting === 0) this.#onTaken();
  };

  constructor(response: HttpResponse, options: WatchResponseOptions) {
    this.#response = response as ServerResponse;
    this.#options = options;
    const {chunkedEncoding, socket} = this.#response;
    // Straight to the socket that belongs to the response: its head is out.
    const isChunked = !('stream' in response) && chunkedEncoding && socket !== null;
    this.#outlet = isChunked ? socket : 'stream' in response ? response.stream : response;
    this.#frame = isChunked ? chunkOf : unframed;
  }

  get isFree(): boolean {
    return this.#waiting === 0;
  }

  write(bytes: Buffer): boolean {
    if (bytes.length > 0 && this.#outlet.writable) {
      this.#waiting++;
      this.#outlet.write(this.#frame(bytes), this.#written);
    }
    return this.#outlet.writableLength < this.#options.socketBytesMax;
  }

  onTaken(action: () => void): void {
    this.#onTaken = action;
  }

  end(): void {
    const {timers, endings} = this.#options;
    const response = this.#response;
    response.end();
    const cut = timers.after(END_GRACE_MS, () => endings.add(() => response.destroy()));
    response.once('close', () => cut.cancel());
  }
}

export const openWatchResponse = (
  response: HttpResponse,
  answer: WatchAnswer,
  headers: Headers,
  options: WatchResponseOptions,
): void => {
  headers['Content-Type'] = answer.contentType;
  const out = response as ServerResponse;
  out.writeHead(200, headers as never);
  out.flushHeaders();
  const handle = answer.open(new ResponseSink(response, options));
  out.once('close', () => handle.gone());
  handle.start();
};
