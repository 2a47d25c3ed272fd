// SPDX-License-Identifier: Apache-2.0
import type {ServerHttp2Session} from 'node:http2';
import type {Socket} from 'node:net';
import type {Timers} from '@palisade/apiserver';
import type {OpenStreams} from './open-streams.ts';

export type IdleParts = {
  readonly timers: Pick<Timers, 'after'>;
  /** How long a session may be without an open stream, and then how long it may take to end. */
  readonly idleMs: number;
};

/**
 * Closes a session politely (GOAWAY) that had no open stream for `idleMs`; a watch is an open stream. Ref: RFC 9113 section 6.8.
 * One that is not gone after as long again is cut off with its socket: where a client vanishes in the midst of a write, Node now and
 * then neither ends that write nor looks at the socket any more, and both would stay until the server stops.
 */
export const closeWhenIdle = (
  session: ServerHttp2Session,
  streams: OpenStreams,
  socket: Socket,
  {timers, idleMs}: IdleParts,
): void => {
  const cutOff = (): void => {
    session.destroy();
    socket.destroy();
  };
  const close = (): void => {
    timer = timers.after(idleMs, cutOff);
    session.close();
  };
  let timer = timers.after(idleMs, close);
  streams.tell({
    busy: () => timer.cancel(),
    idle: () => {
      timer.cancel();
      timer = timers.after(idleMs, close);
    },
  });
  session.once('close', () => timer.cancel());
};
