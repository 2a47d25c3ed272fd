// SPDX-License-Identifier: Apache-2.0
/** HTTP/1.1 or HTTP/2 with prior knowledge: the first bytes of a plaintext connection tell. */
import type {Duplex} from 'node:stream';
import type {Timers} from '@palisade/apiserver';

/** What an HTTP/2 client sends first. Ref: RFC 9113 section 3.4. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** Whether a connection that began with `head` speaks HTTP/2; undefined: more bytes are needed (POST and PRI both begin with P). */
const isHttp2 = (head: Buffer): boolean | undefined => {
  const count = Math.min(head.length, PREFACE.length);
  if (!head.subarray(0, count).equals(PREFACE.subarray(0, count))) return false;
  return count === PREFACE.length ? true : undefined;
};

export type FirstBytesParts = {
  readonly timers: Pick<Timers, 'after'>;
  /** How long the connection may take to tell; then it is closed. */
  readonly withinMs: number;
};

/**
 * Calls `decided` once, when the first bytes tell which protocol it is; they stay in the socket to be read. Never called for a
 * connection that ends before.
 */
export const onProtocol = (
  socket: Duplex,
  {timers, withinMs}: FirstBytesParts,
  decided: (http2: boolean) => void,
): void => {
  let head = Buffer.alloc(0);
  const timer = timers.after(withinMs, () => socket.destroy());
  socket.once('close', () => timer.cancel());
  const onReadable = (): void => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return; // the end of the connection, which closes it
    head = Buffer.concat([head, chunk]);
    const http2 = isHttp2(head);
    if (http2 === undefined) return;
    timer.cancel();
    socket.off('readable', onReadable);
    socket.unshift(head);
    decided(http2);
  };
  socket.on('readable', onReadable);
};
