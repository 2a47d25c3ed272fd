// SPDX-License-Identifier: Apache-2.0
/** A hostile peer: it reads what it is asked, answers each connection with bytes that were made up, and ends it. */
import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {type AddressInfo, createServer, type Socket} from 'node:net';

/** Ref: RFC 6455, section 1.3. */
const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** In an answer: what a WebSocket server has to say of the key that it was sent. */
export const ACCEPT = '{accept}';

const withAccept = (answer: Buffer, asked: Buffer): Buffer => {
  if (!answer.includes(ACCEPT)) return answer;
  const [, key = ''] = /sec-websocket-key: (\S+)/i.exec(asked.toString('latin1')) ?? [];
  const accept = createHash('sha1').update(`${key}${WEBSOCKET_GUID}`).digest('base64');
  return Buffer.from(answer.toString('latin1').replaceAll(ACCEPT, accept), 'latin1');
};

export class Peer {
  static #opened: Promise<Peer> | undefined;
  readonly port: number;
  /** For connections from now on. */
  answer: Buffer = Buffer.alloc(0);

  private constructor(port: number) {
    this.port = port;
  }

  /** One for all targets: each tries one input at a time. */
  static ofThread(): Promise<Peer> {
    Peer.#opened ??= Peer.#open();
    return Peer.#opened;
  }

  static async #open(): Promise<Peer> {
    const server = createServer({noDelay: true}, socket => answerOn(socket, () => peer.answer));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    server.unref();
    const peer = new Peer((server.address() as AddressInfo).port);
    return peer;
  }
}

/** At the first bytes of the other side, so that it is heard before it is answered; then the end, in the same packet. */
function answerOn(socket: Socket, answer: () => Buffer): void {
  socket.on('error', () => undefined);
  socket.once('data', asked => {
    socket.end(withAccept(answer(), asked as Buffer));
    socket.resume(); // what is unread would make a reset of the end
  });
}
