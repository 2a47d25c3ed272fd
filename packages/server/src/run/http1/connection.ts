// SPDX-License-Identifier: Apache-2.0
/**
 * One connection of HTTP/1.1 whose requests are usual ones: they are read whole, one after the other. At the first that is not,
 * the connection is left to node:http, with all bytes that were not answered.
 */
import type {Socket} from 'node:net';
import type {WholeRequest} from '@palisade/apiserver';
import {Http1Request} from './request.ts';
import {HeadReader, type RequestHead} from './request-head.ts';
import {type AnsweringConnection, Http1Response} from './response.ts';

export type WholeHandler = (request: WholeRequest, response: Http1Response) => void;

export type Http1Parts = {
  /** Whether a request of this path and these headers is for `handler`. */
  takes(head: RequestHead): boolean;
  readonly handler: WholeHandler;
  /** Takes the connection over, with what is unread in its socket. */
  leaveToNode(socket: Socket): void;
  /** Milliseconds since some moment. */
  now(): number;
  /** `Date` and what else every head has, each line with its end. */
  commonFields(): string;
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
const TIMED_OUT = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

export class Http1Connection implements AnsweringConnection {
  readonly socket: Socket;
  readonly #parts: Http1Parts;
  readonly #onLeft: () => void;
  readonly #heads = new HeadReader();
  /** What was received and not read. */
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Whose body is still to come. */
  #head: RequestHead | undefined;
  #answering: Http1Response | undefined;
  #isAdvancing = false;
  /** No request was answered yet. */
  #isFresh = true;
  #hasLeft = false;
  /** Since when the connection is in the state that it is in. */
  #since: number;

  /** `onLeft`: the connection is gone, or node:http has it. */
  constructor(socket: Socket, parts: Http1Parts, onLeft: () => void) {
    this.socket = socket;
    this.#parts = parts;
    this.#onLeft = onLeft;
    this.#since = parts.now();
    socket.on('data', this.#onData);
    socket.on('drain', this.#onDrain);
    socket.on('close', this.#onClose);
  }

  commonFields(): string {
    return this.#parts.commonFields();
  }

  answered(mayStay: boolean): void {
    this.#answering = undefined;
    this.#since = this.#parts.now();
    if (!mayStay) {
      this.#chunks = [];
      this.#bytes = 0;
      this.socket.destroySoon();
    } else if (this.#bytes > 0) this.#advance();
  }

  /** Ends the connection if it has been waited for too long. Ref: RFC 9110 section 15.5.9. */
  expire(now: number, {headersMs, requestMs, keepAliveMs}: Http1Limits): void {
    if (this.#answering !== undefined) return;
    const waited = now - this.#since;
    if (this.#head === undefined && this.#bytes === 0 && !this.#isFresh) {
      if (waited > keepAliveMs) this.socket.destroySoon();
    } else if (waited > (this.#head === undefined ? headersMs : requestMs)) {
      this.socket.write(TIMED_OUT);
      this.socket.destroySoon();
    }
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#bytes === 0 && this.#head === undefined && this.#answering === undefined && !this.#isFresh)
      this.#since = this.#parts.now();
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#advance();
  };

  readonly #onDrain = (): void => {
    this.#answering?.emit('drain');
    this.#advance();
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
    while (goesOn && this.#bytes > 0 && this.#answering === undefined && !this.socket.writableNeedDrain)
      goesOn = this.#takeOne();
    this.#isAdvancing = false;
    if (!this.#hasLeft) this.#pace();
  }

  /** False: more bytes are needed, or it is not for this connection to answer. */
  #takeOne(): boolean {
    const head = this.#head ?? this.#heads.read(this.#joined());
    if (head === 'partial') return false;
    if (head === 'unusual' || (this.#head === undefined && !this.#isOurs(head))) {
      this.#leave();
      return false;
    }
    const whole = head.end + head.bodyBytes;
    if (this.#bytes < whole) {
      this.#head = head;
      return false;
    }
    const bytes = this.#joined();
    this.#head = undefined;
    this.#isFresh = false;
    this.#chunks = bytes.length === whole ? [] : [bytes.subarray(whole)];
    this.#bytes -= whole;
    this.#answer(head, bytes.subarray(head.end, whole));
    return true;
  }

  #answer(head: RequestHead, whole: Buffer): void {
    const response = new Http1Response(this);
    this.#answering = response;
    this.#parts.handler(new Http1Request(head, this.socket, whole), response);
  }

  #isOurs(head: RequestHead): boolean {
    return head.bodyBytes <= BODY_BYTES_MAX && this.#parts.takes(head);
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
    const isFull = this.#answering !== undefined ? this.#bytes > AHEAD_BYTES_MAX : socket.writableNeedDrain;
    if (isFull && !socket.isPaused()) socket.pause();
    else if (!isFull && socket.isPaused()) socket.resume();
  }

  #leave(): void {
    const {socket} = this;
    const unread = this.#joined();
    this.#chunks = [];
    this.#bytes = 0;
    this.#hasLeft = true;
    socket.off('data', this.#onData);
    socket.off('drain', this.#onDrain);
    socket.off('close', this.#onClose);
    socket.pause();
    socket.unshift(unread);
    this.#onLeft();
    this.#parts.leaveToNode(socket);
    socket.resume();
  }
}
