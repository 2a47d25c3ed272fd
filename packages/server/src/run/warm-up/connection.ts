// SPDX-License-Identifier: Apache-2.0
/** The client of the rehearsal: HTTP/1.1 written by hand over one socket, as cheap as a client can be. */
import {connect as connectPlain, type Socket} from 'node:net';
import {connect as connectTls} from 'node:tls';

export type Target = {readonly port: number; readonly tls: boolean; readonly token: string};
export type Call = {
  readonly method: string;
  readonly path: string;
  readonly type?: string | undefined;
  readonly body?: string | undefined;
};

const HEAD_END = Buffer.from('\r\n\r\n');

const open = ({port, tls}: Target): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const at = {host: '127.0.0.1', port};
    const socket: Socket = tls
      ? connectTls({...at, rejectUnauthorized: false, ALPNProtocols: ['http/1.1']}, () => resolve(socket))
      : connectPlain(at, () => resolve(socket));
    socket.once('error', reject);
  });

/** One request at a time; every answer has a Content-Length, but that of a watch, which `stream` only counts. */
export class Connection {
  readonly #socket: Socket;
  readonly #head: string;
  #pending: {resolve: (code: number) => void; reject: (error: Error) => void} | undefined;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  /** Bytes of the whole answer; 0 while its head is not there. */
  #wanted = 0;

  private constructor(socket: Socket, token: string) {
    this.#socket = socket;
    this.#head = `Host: localhost\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\nUser-Agent: rehearsal\r\n`;
    socket.on('data', chunk => this.#take(chunk as Buffer));
    socket.on('close', () => this.#pending?.reject(new Error('the connection ended')));
  }

  static async open(target: Target): Promise<Connection> {
    return new Connection(await open(target), target.token);
  }

  /** Resolves with the status code when the whole answer is there; rejects when the connection ends before. */
  request(call: Call): Promise<number> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) return reject(new Error('the connection has ended'));
      this.#pending = {resolve, reject};
      this.#write(call);
    });
  }

  /** Begins a watch; what it sends is read and dropped until `close`. */
  stream(path: string): void {
    this.#socket.removeAllListeners('data');
    this.#socket.resume();
    this.#write({method: 'GET', path});
  }

  /** Resolves when the socket is closed. Idempotent. */
  close(): Promise<void> {
    return new Promise(resolve => {
      if (this.#socket.closed) return resolve();
      this.#socket.once('close', () => resolve());
      this.#socket.destroy();
    });
  }

  #write({method, path, type, body}: Call): void {
    const content =
      body === undefined
        ? ''
        : `Content-Type: ${type ?? 'application/json'}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    this.#socket.write(`${method} ${path} HTTP/1.1\r\n${this.#head}${content}\r\n${body ?? ''}`);
  }

  #take(chunk: Buffer): void {
    this.#kept.push(chunk);
    this.#keptBytes += chunk.length;
    if (this.#wanted === 0) {
      const text = this.#kept.length === 1 ? chunk : Buffer.concat(this.#kept);
      const end = text.indexOf(HEAD_END);
      if (end < 0) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(text.toString('latin1', 0, end));
      this.#wanted = end + HEAD_END.length + Number(length?.[1] ?? 0);
    }
    if (this.#keptBytes < this.#wanted) return;
    const code = Number(this.#kept[0]?.toString('latin1', 9, 12));
    this.#kept = [];
    this.#keptBytes = 0;
    this.#wanted = 0;
    this.#pending?.resolve(code);
  }
}
