// SPDX-License-Identifier: Apache-2.0
/** The right to a stream, looked at again as long as the stream lasts: the credential, the impersonation and the permission. */
import type {RecordKind} from '@palisade/ids-wire';
import type {Caller} from '../auth.ts';
import {FOLLOW_CHECK_MS} from '../limits.ts';
import {RpcError} from '../rpc-error.ts';
import {type Log, messageOf, type Timers} from '../system.ts';
import {demandRecords} from './record-query.ts';

export type RightCheck = {
  /** Why the stream has to end; undefined as long as the right is there. */
  readonly lost: () => RpcError | undefined;
  readonly cancel: () => void;
};

/** Calls `onLost` once, when the right is gone or cannot be looked at. */
export const checkRight = (
  timers: Timers,
  stream: {readonly caller: Caller; readonly name: string; readonly kind: RecordKind; readonly log: Log},
  onLost: () => void,
): RightCheck => {
  let lost: RpcError | undefined;
  let isOver = false;
  const check = async (): Promise<void> => {
    try {
      await demandRecords(await stream.caller.renew(), stream.name, stream.kind);
    } catch (error) {
      lost = reasonOf(error);
      if (!(error instanceof RpcError))
        stream.log.error({name: stream.name, err: messageOf(error)}, 'ids: permission check failed');
    }
    if (isOver) return;
    if (lost === undefined) timer = next();
    else onLost();
  };
  const next = () => timers.after(FOLLOW_CHECK_MS, () => void check());
  let timer = next();
  return {
    lost: () => lost,
    cancel: () => {
      isOver = true;
      timer.cancel();
    },
  };
};

const reasonOf = (error: unknown): RpcError => {
  const {code, message} =
    error instanceof RpcError
      ? error
      : {code: 'UNAVAILABLE' as const, message: 'the permission cannot be checked; try again'};
  return new RpcError(code, `stream ended: ${message}`);
};
