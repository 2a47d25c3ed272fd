// SPDX-License-Identifier: Apache-2.0
/** An answer over HTTP/1.1: a short one leaves as one piece of bytes, a long one as it comes. Ref: RFC 9112 sections 6 and 7. */
import {EventEmitter} from 'node:events';
import {STATUS_CODES, validateHeaderName, validateHeaderValue} from 'node:http';
import type {Socket} from 'node:net';
import type {Headers, WholeResponse} from '@palisade/apiserver';

/** What an answer needs of its connection. */
export type AnsweringConnection = {
  readonly socket: Socket;
  /** Lines that every head has: `Date`, and that the connection stays. */
  commonFields(): string;
  /** All of the answer is with the socket. */
  answered(mayStay: boolean): void;
};

/** A body up to this many bytes is copied behind its head. */
const COPIED_BYTES_MAX = 64 * 1024;
const LAST_CHUNK = '0\r\n\r\n';
const NO_FIELDS: Headers = Object.freeze({});

type Written = (error?: Error | null) => void;

export class Http1Response extends EventEmitter implements WholeResponse {
  statusCode = 200;
  /** Fields can be added no longer. */
  headersSent = false;
  /** Nothing more is taken: all was sent, or the connection is gone. */
  destroyed = false;
  /** The body is framed as chunks. Known when the head is out. */
  chunkedEncoding = false;
  readonly #connection: AnsweringConnection;
  #fields = NO_FIELDS;
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
    return !this.#hasEnded && !this.destroyed && this.socket.writable;
  }

  /** Bytes that wait for the client. */
  get writableLength(): number {
    return this.socket.writableLength;
  }

  setHeader(name: string, value: number | string | readonly string[]): this {
    validateHeaderName(name);
    this.#fields = {...this.#fields, [name]: value};
    return this;
  }

  /** Fields that were set before are sent too; `headers` go before those of the same name, in whatever case. */
  writeHead(code: number, headers: Headers = NO_FIELDS): this {
    const given = new Set(this.#fields === NO_FIELDS ? [] : Object.keys(headers).map(name => name.toLowerCase()));
    const before = Object.entries(this.#fields).filter(([name]) => !given.has(name.toLowerCase()));
    this.statusCode = code;
    this.#fields = before.length === 0 ? headers : {...Object.fromEntries(before), ...headers};
    this.headersSent = true;
    return this;
  }

  flushHeaders(): void {
    if (!this.#isHeadOut && !this.destroyed) this.socket.write(this.#head(undefined), 'latin1');
  }

  /** False: `drain` tells when more is taken. */
  write(bytes: Buffer | string, written?: Written): boolean {
    const {socket} = this;
    if (this.#hasEnded || !this.#isTaken()) return false;
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
    if (this.#hasEnded || !this.#isTaken()) return this;
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

  destroy(error?: Error): this {
    this.socket.destroy(error);
    return this;
  }

  /** Nobody takes what is written any longer. */
  gone(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }

  /** A client that ended its side of the connection waits for nothing. */
  #isTaken(): boolean {
    if (this.destroyed) return false;
    if (!this.socket.writable) this.socket.destroy();
    return this.socket.writable;
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

  /** Of a body of so many bytes, or of one that is as long as its field says, or comes in chunks. */
  #head(bytes: number | undefined): string {
    const code = this.statusCode;
    let head = `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? 'unknown'}\r\n`;
    let hasLength = this.#isBodiless;
    for (const [name, value] of Object.entries(this.#fields)) {
      head += typeof value === 'object' ? value.map(one => fieldLine(name, one)).join('') : fieldLine(name, value);
      const lower = name.toLowerCase();
      if (lower === 'content-length') hasLength = true;
      else if (lower === 'connection') this.#mayStay = false;
    }
    if (!hasLength) head += bytes === undefined ? 'Transfer-Encoding: chunked\r\n' : `Content-Length: ${bytes}\r\n`;
    this.chunkedEncoding = !hasLength && bytes === undefined;
    this.headersSent = true;
    this.#isHeadOut = true;
    return `${head}${this.#mayStay ? this.#connection.commonFields() : ''}\r\n`;
  }
}

/** Throws for a value that would end the line. */
const fieldLine = (name: string, value: number | string): string => {
  const text = String(value);
  validateHeaderValue(name, text);
  return `${name}: ${text}\r\n`;
};
