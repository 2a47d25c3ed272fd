// SPDX-License-Identifier: Apache-2.0
/**
 * A watch over a WebSocket: one message for each event, text for JSON, binary for protobuf.
 * Ref: kubernetes v1.36 apiserver/pkg/endpoints/handlers/watch.go HandleWS.
 */
import type {ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import type {WatchAnswer} from '../../answer/answer.ts';
import type {Timers} from '../../base/time.ts';
import {handshakeOf} from '../../request/handshake.ts';
import type {HttpRequest, HttpResponse} from '../exchange.ts';
import {END_GRACE_MS, ResponseSink, type WatchResponseOptions} from '../watch-response.ts';
import {CLOSE, ClientFrames, closeFrame, messageFrame, pongFrame} from './frames.ts';

const NEWLINE = 0x0a;
const LENGTH_BYTES = 4;

/** The events of a stream of lines, each with its newline. */
const lines = (bytes: Buffer): Buffer[] => {
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, at) + 1;
    found.push(bytes.subarray(at, end === 0 ? bytes.length : end));
    at += found.at(-1)?.length ?? 0;
  }
  return found;
};

/** The events of a stream of lengths and what is so long, without the lengths. */
const counted = (bytes: Buffer): Buffer[] => {
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at + LENGTH_BYTES;
    at = start + bytes.readUInt32BE(at);
    found.push(bytes.subarray(start, at));
  }
  return found;
};

const framings = {
  text: new WeakMap<Buffer, Buffer>(),
  binary: new WeakMap<Buffer, Buffer>(),
};

/** Frames of what a watch writes, the same buffer for the same bytes. Whole events are written. */
const framesOf =
  (kind: 'text' | 'binary') =>
  (bytes: Buffer): Buffer => {
    let frames = framings[kind].get(bytes);
    if (frames === undefined) {
      const events = kind === 'text' ? lines(bytes) : counted(bytes);
      frames = Buffer.concat(events.map(event => messageFrame(kind, event)));
      framings[kind].set(bytes, frames);
    }
    return frames;
  };

/** Ends the connection even if the client takes nothing any more. */
const leaveSoon = (socket: Socket, timers: Timers): void => {
  socket.destroySoon();
  const cut = timers.after(END_GRACE_MS, () => socket.destroy());
  socket.once('close', () => cut.cancel());
};

/**
 * Answers pings and the client's close; says so when the client is gone. While one pong waits for the client to read, further
 * pings have none (RFC 6455 section 5.5.3).
 */
const listenTo = (socket: Socket, timers: Timers, onGone: () => void): void => {
  const frames = new ClientFrames();
  let isPonging = false;
  const pong = (payload: Buffer): void => {
    if (isPonging || !socket.writable) return;
    isPonging = true;
    socket.write(pongFrame(payload), () => {
      isPonging = false;
    });
  };
  const leave = (status: number): void => {
    onGone();
    if (socket.writable) socket.end(closeFrame(status));
    leaveSoon(socket, timers);
  };
  const hear = (chunk: Buffer): void => {
    for (const word of frames.push(chunk)) {
      if (word.type === 'ping') {
        pong(word.payload);
        continue;
      }
      socket.off('data', hear);
      socket.resume();
      leave(word.type === 'close' ? CLOSE.normal : CLOSE.protocolError);
    }
  };
  socket.on('data', hear);
  socket.once('end', () => leaveSoon(socket, timers));
};

/** For a request whose socket was handed over (`isUpgraded`). */
export const openWatchSocket = (
  request: HttpRequest,
  response: HttpResponse,
  answer: WatchAnswer,
  options: WatchResponseOptions & {readonly byCredential: boolean},
): void => {
  const socket = request.socket as Socket;
  if (socket.destroyed) return; // while it was found out who asks: nothing would tell it again
  const {isOpen, text} = handshakeOf(request.headers, options.byCredential);
  response.statusCode = isOpen ? 101 : Number(text.split(' ')[1]);
  socket.write(text);
  if (!isOpen) {
    leaveSoon(socket, options.timers);
    return;
  }
  const kind = answer.contentType.startsWith('application/json') ? 'text' : 'binary';
  const channel = {outlet: socket, frame: framesOf(kind), end: () => void socket.end(closeFrame(CLOSE.normal))};
  const handle = answer.open(new ResponseSink(response, channel, options));
  (response as ServerResponse).once('close', () => handle.gone());
  listenTo(socket, options.timers, () => handle.gone());
  handle.start();
};
