// SPDX-License-Identifier: Apache-2.0
import {constants, type ServerHttp2Session, type ServerHttp2Stream} from 'node:http2';
import type {Timers} from '@palisade/apiserver';

export type ResetParts = {
  readonly timers: Pick<Timers, 'after'>;
  /** From a client's GOAWAY to the end of what is over for the protocol and still waits for its last bytes to be taken. */
  readonly graceMs: number;
};

/**
 * Ends what Node keeps of an HTTP/2 session though nobody is there for it. A stream that its client has reset with NO_ERROR (as
 * Node's own client does unless told otherwise; with other codes Node ends it) stays while bytes wait, which nobody takes any
 * longer: a watch would go on, and, once the client has left as well, the session too, from which Node reads nothing more.
 */
export const endResetStreams = (session: ServerHttp2Session, {timers, graceMs}: ResetParts): void => {
  const open = new Set<ServerHttp2Stream>();
  session.on('stream', (stream: ServerHttp2Stream) => {
    open.add(stream);
    stream.once('close', () => open.delete(stream));
    stream.once('aborted', () => {
      if (stream.rstCode === constants.NGHTTP2_NO_ERROR) stream.destroy();
    });
  });
  session.once('goaway', () => {
    const timer = timers.after(graceMs, () => {
      for (const stream of open) if (stream.closed) stream.destroy();
    });
    session.once('close', () => timer.cancel());
  });
};
