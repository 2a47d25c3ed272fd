// SPDX-License-Identifier: Apache-2.0
/**
 * The socket side of a watch: takes frames, tells when it is full, when it drained and when the client is gone.
 *
 * All watchers of a group are handed the same bytes. Over HTTP/1.1 these are framed as a chunk once, and the chunk goes to
 * every socket as it is: one buffer, one TLS write and no copy per watcher. Over HTTP/2 the stream frames for itself.
 */
import type {ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import type {WatchSink} from '../cache/watcher.ts';
import type {WatchAnswer} from '../verbs/answer.ts';
import type {Headers, HttpResponse} from './exchange.ts';

/** How long a stream that was ended may take to drain before its connection is cut. */
const END_GRACE_MS = 5_000;

/** Where bytes of the body go, and how many of them wait there. */
type Pipe = Pick<WatchSink, 'write' | 'onDrain'>;

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

/** Straight to the socket that belongs to the response, once the head is out. */
const chunkedPipe = (out: ServerResponse, socket: Socket, socketBytesMax: number): Pipe => ({
  write: bytes => {
    if (bytes.length > 0 && socket.writable) socket.write(chunkOf(bytes));
    return socket.writableLength < socketBytesMax;
  },
  onDrain: action => {
    socket.on('drain', action);
    out.once('close', () => socket.off('drain', action)); // the connection may live on
  },
});

const plainPipe = (response: HttpResponse, socketBytesMax: number): Pipe => {
  const out = response as ServerResponse;
  const buffered = (): number => ('stream' in response ? response.stream.writableLength : out.writableLength);
  return {
    write: bytes => {
      out.write(bytes);
      return buffered() < socketBytesMax;
    },
    onDrain: action => {
      out.on('drain', action);
    },
  };
};

export const openWatchResponse = (
  response: HttpResponse,
  answer: WatchAnswer,
  headers: Headers,
  socketBytesMax: number,
): void => {
  headers['Content-Type'] = answer.contentType;
  const out = response as ServerResponse;
  out.writeHead(200, headers as never);
  out.flushHeaders();
  const isChunked = !('stream' in response) && out.chunkedEncoding && out.socket !== null;
  const pipe =
    isChunked && out.socket !== null
      ? chunkedPipe(out, out.socket, socketBytesMax)
      : plainPipe(response, socketBytesMax);
  const sink: WatchSink = {
    ...pipe,
    end: () => {
      out.end();
      const cut = setTimeout(() => out.destroy(), END_GRACE_MS);
      cut.unref();
      out.once('close', () => clearTimeout(cut));
    },
  };
  const handle = answer.open(sink);
  out.once('close', () => handle.gone());
  handle.start();
};
