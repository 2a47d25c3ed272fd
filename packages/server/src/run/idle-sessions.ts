// SPDX-License-Identifier: Apache-2.0
import type {ServerHttp2Session} from 'node:http2';
import type {Timers} from '@palisade/apiserver';

export type IdleParts = {
  readonly timers: Pick<Timers, 'after'>;
  /** How long a session may be without an open stream. */
  readonly idleMs: number;
};

/** Closes a session politely (GOAWAY) that had no open stream for `idleMs`; a watch is an open stream. Ref: RFC 9113 section 6.8. */
export const closeWhenIdle = (session: ServerHttp2Session, {timers, idleMs}: IdleParts): void => {
  let streams = 0;
  let timer = timers.after(idleMs, () => session.close());
  session.on('stream', stream => {
    timer.cancel();
    streams += 1;
    stream.once('close', () => {
      streams -= 1;
      if (streams > 0 || session.closed || session.destroyed) return;
      timer.cancel();
      timer = timers.after(idleMs, () => session.close());
    });
  });
  session.once('close', () => timer.cancel());
};
