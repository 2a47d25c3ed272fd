// SPDX-License-Identifier: Apache-2.0
/**
 * One connection of HTTP/1.1 whose requests are usual ones: they are read whole, one after the other. At the first that is not,
 * the connection is left to node:http, with all bytes that were not answered.
 */
import type {Socket} from 'node:net';
import type {Timers, WholeRequest} from '@palisade/apiserver';
import {Http1Request} from './request.ts';
import {HeadReader, type KnownFields, type RequestHead} from './request-head.ts';
import {type AnsweringConnection, Http1Response} from './response.ts';

export type WholeHandler = (request: WholeRequest, response: Http1Response) => void;

export type Http1Parts = {
  /** Whether a request of this path and these headers is for `handler`. */
  takes(head: RequestHead): boolean;
  readonly handler: WholeHandler;
  /** Fields of requests to this port. */
  readonly known: KnownFields;
  /** A request has begun, and will be for `handler` when it is whole: a drain waits for it. Returns what ends the waiting. */
  hold(socket: Socket): () => void;
  /** The request that is there waits until `begin` is called, in a moment. `begin` does not throw. */
  defer(begin: () => void): void;
  readonly timers: Pick<Timers, 'soon'>;
  /** Takes the connection over, with what is unread in its socket. */
  leaveToNode(socket: Socket): void;
  /** Milliseconds since some moment. */
  now(): number;
  /** `Date` and what else every head has, each line with its end. */
  commonFields(mayStay: boolean): string;
};

export type Http1Limits = {
  /** From the connection, or its first byte, to a whole head. */
  readonly headersMs: number;
  /** To the whole request. */
  readonly requestMs: number;
  /** Without a request. */
  readonly keepAliveMs: number;
};

/** Of a request with a longer body the connection is left to node:http, which hands it on while it comes. */
export const BODY_BYTES_MAX = 64 * 1024;
/** Of requests that were sent before the answer to the one before: beyond it the socket is not read. */
const AHEAD_BYTES_MAX = 64 * 1024;
/** Pieces that are kept as they came: each takes more memory than the byte that it may have. */
const CHUNKS_MAX = 256;
/** Clients are told `keepAliveMs`: a request at the last moment is still in time. */
const SPARE_MS = 1_000;
const TIMED_OUT = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';
const CUT_SHORT = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

export class Http1Connection implements AnsweringConnection {
  readonly socket: Socket;
  readonly #parts: Http1Parts;
  readonly #onLeft: () => void;
  readonly #heads: HeadReader;
  /** What was received and not read. */
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Whose body is still to come, or whose request waits. */
  #head: RequestHead | undefined;
  /** Whether that request, being whole, waits for `defer`, or has waited; 'over' until all that was received is answered. */
  #wait: 'none' | 'under way' | 'over' = 'none';
  /** Ends what holds a drain until that request is begun. */
  #release: (() => void) | undefined;
  #answering: Http1Response | undefined;
  #isAdvancing = false;
  /** No request was answered yet. */
  #isFresh = true;
  #hasLeft = false;
  /** Was told to end, and is closed at the next look if it did not. */
  #isExpired = false;
  /** Since when the connection is in the state that it is in. */
  #since: number;
  /** Bytes that waited for the client at the last look. */
  #unsent = 0;

  /** `onLeft`: the connection is gone, or node:http has it. */
  constructor(socket: Socket, parts: Http1Parts, onLeft: () => void) {
    this.socket = socket;
    this.#parts = parts;
    this.#onLeft = onLeft;
    this.#heads = new HeadReader(parts.known);
    this.#since = parts.now();
    socket.on('data', this.#onData);
    socket.on('drain', this.#onDrain);
    socket.on('end', this.#onEnd);
    socket.on('close', this.#onClose);
  }

  commonFields(mayStay: boolean): string {
    return this.#parts.commonFields(mayStay);
  }

  answered(mayStay: boolean): void {
    this.#answering = undefined;
    this.#since = this.#parts.now();
    if (!mayStay) {
      this.#forgetUnread();
      this.socket.resume(); // what is not read would make the end of the connection a reset, and this answer could be lost
      this.socket.destroySoon();
    } else if (this.#bytes > 0) this.#advance();
  }

  /** Ends the connection if it has been waited for too long, but not for a client that still reads. Ref: RFC 9110 section 15.5.9. */
  expire(now: number, {headersMs, requestMs, keepAliveMs}: Http1Limits): void {
    const {socket} = this;
    const unsent = socket.writableLength;
    const isStuck = socket.readableEnded && unsent === this.#unsent; // the client has ended its side, and took no byte since the last look
    this.#unsent = unsent;
    if (this.#isExpired) socket.destroy();
    else if (this.#isBusy || (unsent > 0 && !isStuck)) this.#since = now;
    else {
      const waited = now - this.#since;
      const isIdle = this.#head === undefined && this.#bytes === 0 && !this.#isFresh;
      if (waited <= (isIdle ? keepAliveMs + SPARE_MS : this.#head === undefined ? headersMs : requestMs)) return;
      this.#isExpired = true;
      if (!isIdle) socket.write(TIMED_OUT);
      socket.destroySoon();
    }
  }

  readonly #onData = (chunk: Buffer): void => {
    if (!this.socket.writable) return; // nothing is answered any longer
    if (this.#bytes === 0 && this.#head === undefined && this.#answering === undefined && !this.#isFresh)
      this.#since = this.#parts.now();
    this.#bytes += chunk.length;
    if (this.#chunks.push(chunk) > CHUNKS_MAX) this.#joined();
    this.#advance();
  };

  readonly #onWaited = (): void => {
    const {socket} = this;
    if (socket.destroyed) return;
    this.#wait = 'over';
    this.#advance();
    if (!socket.readableEnded) socket.allowHalfOpen = false;
    else this.#parts.timers.soon(this.#endLate);
  };

  /** The client has ended its side while its request waited: the socket ends a turn after the request was begun. */
  readonly #endLate = (): void => {
    this.#onEnd();
    this.socket.end();
  };

  readonly #onDrain = (): void => {
    this.#answering?.emit('drain');
    this.#advance();
  };

  /** The client sends no more: what it began to send never becomes whole. */
  readonly #onEnd = (): void => {
    if (this.#wait === 'under way') return;
    const answering = this.#answering;
    if (answering !== undefined) {
      this.#answering = undefined;
      this.#forgetUnread(); // what was asked behind it is not begun
      answering.gone(); // no more is sent; what was, the client may still read
    } else if ((this.#head !== undefined || this.#bytes > 0) && this.socket.writable) this.socket.write(CUT_SHORT);
  };

  readonly #onClose = (): void => {
    this.#answering?.gone();
    this.#onLeft();
  };

  /** Answers what is there, as far as it is whole and the client reads what it is sent. */
  #advance(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    let goesOn = true;
    while (goesOn && this.#bytes > 0 && !this.#isBusy && !this.socket.writableNeedDrain) goesOn = this.#takeOne();
    this.#isAdvancing = false;
    if (!this.#hasLeft) this.#pace();
  }

  /** A request is answered, or waits. */
  get #isBusy(): boolean {
    return this.#answering !== undefined || this.#wait === 'under way';
  }

  /** False: more bytes are needed, or time, or it is not for this connection to answer. */
  #takeOne(): boolean {
    const head = this.#head ?? this.#heads.read(this.#joined());
    if (head === 'partial') return false;
    if (head === 'unusual' || (this.#head === undefined && !this.#isOurs(head))) {
      this.#leave();
      return false;
    }
    const whole = head.end + head.bodyBytes;
    const isWhole = this.#bytes >= whole;
    if (isWhole && this.#wait === 'none') this.#waitUnlessFollowed(whole);
    if (!isWhole || this.#wait === 'under way') {
      this.#release ??= this.#parts.hold(this.socket);
      this.#head = head;
      return false;
    }
    const bytes = this.#joined();
    this.#head = undefined;
    this.#isFresh = false;
    this.#chunks = bytes.length === whole ? [] : [bytes.subarray(whole)];
    this.#bytes -= whole;
    if (this.#bytes === 0) this.#wait = 'none';
    const release = this.#release;
    this.#release = undefined;
    this.#answer(head, bytes.subarray(head.end, whole));
    release?.();
    return true;
  }

  /** Who sends several requests at once has them begun where they are read. */
  #waitUnlessFollowed(whole: number): void {
    if (this.#bytes > whole) {
      this.#wait = 'over';
      return;
    }
    this.#wait = 'under way';
    this.socket.allowHalfOpen = true; // its end would be the end of the answer
    this.#parts.defer(this.#onWaited);
  }

  #answer(head: RequestHead, whole: Buffer): void {
    const response = new Http1Response(this);
    this.#answering = response;
    this.#parts.handler(new Http1Request(head, this.socket, whole), response);
  }

  #isOurs(head: RequestHead): boolean {
    return head.bodyBytes <= BODY_BYTES_MAX && this.#parts.takes(head);
  }

  #forgetUnread(): void {
    this.#chunks = [];
    this.#bytes = 0;
  }

  #joined(): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && this.#chunks.length === 1) return first;
    const all = Buffer.concat(this.#chunks, this.#bytes);
    this.#chunks = [all];
    return all;
  }

  /** Reads on only while there is room for it. */
  #pace(): void {
    const {socket} = this;
    const isFull = this.#isBusy ? this.#bytes > AHEAD_BYTES_MAX : socket.writableNeedDrain;
    if (isFull && !socket.isPaused()) socket.pause();
    else if (!isFull && socket.isPaused()) socket.resume();
  }

  /** node:http does not take a socket that the client has ended: then what is unusual gets no answer. */
  #leave(): void {
    const {socket} = this;
    const unread = this.#joined();
    this.#forgetUnread();
    if (socket.readableEnded) return;
    this.#hasLeft = true;
    socket.off('data', this.#onData);
    socket.off('drain', this.#onDrain);
    socket.off('end', this.#onEnd);
    socket.off('close', this.#onClose);
    socket.pause();
    socket.unshift(unread);
    this.#onLeft();
    this.#parts.leaveToNode(socket);
    socket.resume();
  }
}
