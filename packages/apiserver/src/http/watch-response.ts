// SPDX-License-Identifier: Apache-2.0
/**
 * The socket side of a watch: takes frames, tells when it is full, when it drained and when the client is gone.
 *
 * All watchers of a group are handed the same bytes. Over HTTP/1.1 these are framed as a chunk once, and the chunk goes to
 * every socket as it is: one buffer, one TLS write and no copy per watcher. Over HTTP/2 the stream frames for itself.
 */
import type {ServerResponse} from 'node:http';
import type {WatchAnswer} from '../answer/answer.ts';
import type {Headers} from '../base/headers.ts';
import type {Timers} from '../base/time.ts';
import type {Scheduler} from '../cache/watch/scheduler.ts';
import type {WatchSink} from '../cache/watch/watcher.ts';
import {cutOff, type HttpResponse, isGone} from './exchange.ts';

/** How long a stream that was ended may take to drain before its connection is cut. */
export const END_GRACE_MS = 5_000;

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
  readonly scheduler: Pick<Scheduler, 'add'>;
};

/** What is between a watch and its socket. */
export type WatchChannel = {
  readonly outlet: Outlet;
  frame(bytes: Buffer): Buffer;
  /** Says that nothing follows. */
  end(): void;
};

/** The channel of a response whose head is out. */
const channelOf = (response: HttpResponse): WatchChannel => {
  const end = (): void => void (response as ServerResponse).end();
  if ('stream' in response) return {outlet: response.stream, frame: unframed, end};
  const {chunkedEncoding, socket} = response;
  // Straight to the socket that belongs to the response.
  return chunkedEncoding && socket !== null
    ? {outlet: socket, frame: chunkOf, end}
    : {outlet: response, frame: unframed, end};
};

export class ResponseSink implements WatchSink {
  readonly #response: ServerResponse;
  readonly #channel: WatchChannel;
  readonly #options: WatchResponseOptions;
  #onTaken: () => void = () => {};
  /** Writes of which something waits here. */
  #waiting = 0;
  readonly #written = (): void => {
    if (--this.#waiting === 0) this.#onTaken();
  };

  constructor(response: HttpResponse, channel: WatchChannel, options: WatchResponseOptions) {
    this.#response = response as ServerResponse;
    this.#channel = channel;
    this.#options = options;
  }

  get isFree(): boolean {
    return this.#waiting === 0;
  }

  write(bytes: Buffer): boolean {
    const {outlet} = this.#channel;
    if (bytes.length > 0 && outlet.writable) {
      this.#waiting++;
      outlet.write(this.#channel.frame(bytes), this.#written);
    }
    return outlet.writableLength < this.#options.socketBytesMax;
  }

  onTaken(action: () => void): void {
    this.#onTaken = action;
  }

  end(): void {
    const {timers, scheduler} = this.#options;
    const response = this.#response;
    this.#channel.end();
    const cut = timers.after(END_GRACE_MS, () => scheduler.add(() => cutOff(response)));
    response.once('close', () => cut.cancel());
  }
}

export const openWatchResponse = (
  response: HttpResponse,
  answer: WatchAnswer,
  headers: Headers,
  options: WatchResponseOptions,
): void => {
  if (isGone(response)) return; // while it was found out who asks: nothing would tell it again
  headers['Content-Type'] = answer.contentType;
  const out = response as ServerResponse;
  out.writeHead(200, headers as never);
  out.flushHeaders();
  const handle = answer.open(new ResponseSink(response, channelOf(response), options));
  out.once('close', () => handle.gone());
  handle.start();
};
