// SPDX-License-Identifier: Apache-2.0
/** An answer over HTTP/1.1: a short one leaves as one piece of bytes, a long one as it comes. Ref: RFC 9112 sections 6 and 7. */
import {EventEmitter} from 'node:events';
import {STATUS_CODES, validateHeaderName, validateHeaderValue} from 'node:http';
import type {Socket} from 'node:net';
import type {Headers, WholeResponse} from '@palisade/apiserver';

/** What an answer needs of its connection. */
export type AnsweringConnection = {
  readonly socket: Socket;
  /** Lines that every head has: `Date`, and whether the connection stays where the answer does not say that it ends. */
  commonFields(mayStay: boolean): string;
  /** All of the answer is with the socket. */
  answered(mayStay: boolean): void;
};

/** A body up to this many bytes is copied behind its head. */
const COPIED_BYTES_MAX = 64 * 1024;
const ONE_HEAD = 'an answer has one head, and this one has it already';
const LAST_CHUNK = '0\r\n\r\n';
const NO_FIELDS: Headers = Object.freeze({});

type Written = (error?: Error | null) => void;

export class Http1Response extends EventEmitter implements WholeResponse {
  statusCode = 200;
  /** What stands behind the code, if not the usual words. */
  statusMessage: string | undefined;
  /** Fields can be added no longer. */
  headersSent = false;
  /** Nothing more is taken: all was sent, or the connection is gone. */
  destroyed = false;
  /** The body is framed as chunks. Known when the head is out. */
  chunkedEncoding = false;
  readonly #connection: AnsweringConnection;
  #fields = NO_FIELDS;
  /** Those of the head, each with its end. */
  #lines = '';
  #hasLength = false;
  #isHeadOut = false;
  #hasEnded = false;
  #mayStay = true;

  constructor(connection: AnsweringConnection) {
    super();
    this.#connection = connection;
  }

  get socket(): Socket {
    return this.#connection.socket;
  }

  get writable(): boolean {
    return !this.#hasEnded && this.#isTaken;
  }

  /** Bytes that wait for the client. */
  get writableLength(): number {
    return this.socket.writableLength;
  }

  /** Throws for a value that would end its line, and after `writeHead`. */
  setHeader(name: string, value: number | string | readonly string[]): this {
    if (this.headersSent) throw new Error(ONE_HEAD);
    fieldLines(name, value);
    this.#fields = joined(this.#fields, {[name]: value});
    return this;
  }

  /**
   * Fields that were set before are sent too; `headers` take the place of those of the same name, in whatever case. Throws for a
   * value that would end its line, and when it was called before.
   */
  writeHead(code: number, headers: Headers = NO_FIELDS): this {
    if (this.headersSent) throw new Error(ONE_HEAD);
    let lines = '';
    let hasLength = code === 204 || code === 304;
    let mayStay = true;
    for (const [name, value] of Object.entries(this.#fields === NO_FIELDS ? headers : joined(this.#fields, headers))) {
      lines += fieldLines(name, value);
      const lower = name.toLowerCase();
      if (lower === 'content-length') hasLength = true;
      else if (lower === 'connection') mayStay = false;
    }
    this.statusCode = code;
    this.headersSent = true;
    this.#lines = lines;
    this.#hasLength = hasLength;
    this.#mayStay = mayStay;
    return this;
  }

  flushHeaders(): void {
    if (!this.#isHeadOut && this.#isTaken) this.socket.write(this.#head(undefined), 'latin1');
  }

  /** False: `drain` tells when more is taken. */
  write(bytes: Buffer | string, written?: Written): boolean {
    const {socket} = this;
    if (!this.writable) return false;
    const body = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    socket.cork();
    this.flushHeaders();
    if (this.#isBodiless || body.length === 0) socket.write('', 'latin1', written);
    else this.#writeBody(body, written);
    socket.uncork();
    return !socket.writableNeedDrain;
  }

  /** `sent` is called when nothing refers to the bytes any longer, or never. */
  end(bytes?: Buffer | string, sent?: Written): this {
    if (!this.writable) return this;
    this.#hasEnded = true;
    const body = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    this.#writeEnd(this.#isBodiless ? undefined : body, error => {
      sent?.(error);
      if (error === undefined || error === null) this.emit('finish');
      this.gone();
    });
    this.#connection.answered(this.#mayStay);
    return this;
  }

  /** What was sent whole is left alone: its connection may carry another answer by now. */
  destroy(error?: Error): this {
    if (!this.destroyed) this.socket.destroy(error);
    return this;
  }

  /** Nobody takes what is written any longer. */
  gone(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }

  /** A client that ended its side of the connection gets no more. */
  get #isTaken(): boolean {
    return !this.destroyed && this.socket.writable;
  }

  /** Ref: RFC 9110 section 6.4.1. */
  get #isBodiless(): boolean {
    return this.statusCode === 204 || this.statusCode === 304;
  }

  #writeEnd(body: Buffer | undefined, written: Written): void {
    const {socket} = this;
    const bytes = body?.length ?? 0;
    const head = this.#isHeadOut ? '' : this.#head(bytes);
    if (head !== '' && bytes <= COPIED_BYTES_MAX) {
      const whole = Buffer.allocUnsafe(head.length + bytes);
      whole.write(head, 0, 'latin1');
      if (body !== undefined) whole.set(body, head.length);
      socket.write(whole, written);
      return;
    }
    socket.cork();
    if (head !== '') socket.write(head, 'latin1');
    if (body !== undefined && bytes > 0) this.#writeBody(body);
    socket.write(this.chunkedEncoding ? LAST_CHUNK : '', 'latin1', written);
    socket.uncork();
  }

  #writeBody(body: Buffer, written?: Written): void {
    const {socket} = this;
    if (!this.chunkedEncoding) {
      socket.write(body, written);
      return;
    }
    socket.write(`${body.length.toString(16)}\r\n`, 'latin1');
    socket.write(body);
    socket.write('\r\n', 'latin1', written);
  }

  /** Of a body of so many bytes, or of one that is as long as its field says, or comes in chunks. The order is that of node:http. */
  #head(bytes: number | undefined): string {
    if (!this.headersSent) this.writeHead(this.statusCode);
    this.#isHeadOut = true;
    this.chunkedEncoding = !this.#hasLength && bytes === undefined;
    const code = this.statusCode;
    const length = this.#hasLength ? '' : lengthLine(bytes);
    const common = this.#connection.commonFields(this.#mayStay);
    return `HTTP/1.1 ${code} ${this.statusMessage ?? STATUS_CODES[code] ?? 'unknown'}\r\n${this.#lines}${common}${length}\r\n`;
  }
}

const lengthLine = (bytes: number | undefined): string =>
  bytes === undefined ? 'Transfer-Encoding: chunked\r\n' : `Content-Length: ${bytes}\r\n`;

const joined = (before: Headers, headers: Headers): Headers => {
  const given = new Set(Object.keys(headers).map(name => name.toLowerCase()));
  const kept = Object.entries(before).filter(([name]) => !given.has(name.toLowerCase()));
  return {...Object.fromEntries(kept), ...headers};
};

/** Throws for a name that is none, and for a value that would end its line. */
const fieldLines = (name: string, value: number | string | readonly string[]): string => {
  validateHeaderName(name);
  return typeof value === 'object' ? value.map(one => fieldLine(name, one)).join('') : fieldLine(name, value);
};

const fieldLine = (name: string, value: number | string): string => {
  const text = String(value);
  validateHeaderValue(name, text);
  return `${name}: ${text}\r\n`;
};
