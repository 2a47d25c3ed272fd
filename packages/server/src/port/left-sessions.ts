// SPDX-License-Identifier: Apache-2.0
import type {ServerHttp2Session} from 'node:http2';
import type {Timers} from '@palisade/apiserver';
import type {OpenStreams} from './open-streams.ts';

export type LeftParts = {
  readonly timers: Pick<Timers, 'after'>;
  /** From a client's GOAWAY to the end of what is over for the protocol and still waits for its last bytes to be taken. */
  readonly graceMs: number;
};

/**
 * Ends what Node keeps of an HTTP/2 session though its client has said goodbye: a stream that is over for the protocol stays while
 * bytes wait, and with it the session, from which Node reads nothing more.
 */
export const endStreamsOfLeft = (
  session: ServerHttp2Session,
  streams: OpenStreams,
  {timers, graceMs}: LeftParts,
): void => {
  session.once('goaway', () => {
    const timer = timers.after(graceMs, () => {
      for (const stream of streams) if (stream.closed) stream.destroy();
    });
    session.once('close', () => timer.cancel());
  });
};
