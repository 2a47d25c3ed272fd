// SPDX-License-Identifier: Apache-2.0
/** The right to a stream of records, kept as long as the stream lasts: the credential, the impersonation and the permission. */
import type {LostRight, OpenRights} from '@palisade/apiserver';
import type {RecordKind} from '@palisade/ids-wire';
import {type Caller, usersIn} from '../auth.ts';
import {RpcError} from '../rpc-error.ts';
import {demandRecords} from './record-query.ts';

export type RightCheck = {
  /** Why the stream has to end; undefined as long as the right is there. */
  readonly lost: () => RpcError | undefined;
  readonly cancel: () => void;
};

/** Calls `onLost` once, when the right is gone or cannot be checked. */
export const checkRight = (
  rights: OpenRights,
  stream: {readonly caller: Caller; readonly name: string; readonly kind: RecordKind},
  onLost: () => void,
): RightCheck => {
  const {caller, name, kind} = stream;
  const key = caller.rightKey();
  if (key === undefined) return {lost: () => undefined, cancel: () => {}};
  let lost: RpcError | undefined;
  const kept = rights.keep({
    key: JSON.stringify(['ids', key, kind, name]),
    path: `/v1/${name}/${kind}`,
    users: usersIn(caller),
    check: () => whyLost(caller, name, kind),
    end: ({reason, error}) => {
      lost = endOf(reason === 'unverified' ? CANNOT_BE_CHECKED : error);
      onLost();
    },
  });
  return {lost: () => lost, cancel: () => kept.release()};
};

const whyLost = async (caller: Caller, name: string, kind: RecordKind): Promise<LostRight | undefined> => {
  try {
    await demandRecords(await caller.renew(), name, kind);
    return undefined;
  } catch (error) {
    const code = error instanceof RpcError ? error.code : undefined;
    if (code === 'UNAUTHENTICATED') return {reason: 'unauthenticated', error: CREDENTIAL_GONE};
    if (code === 'PERMISSION_DENIED') return {reason: 'forbidden', error};
    throw error;
  }
};

const CREDENTIAL_GONE = new RpcError('UNAUTHENTICATED', 'its credential is no longer valid');
const CANNOT_BE_CHECKED = new RpcError('UNAVAILABLE', 'the permission cannot be checked; try again');

const endOf = (error: unknown): RpcError => {
  const {code, message} = error instanceof RpcError ? error : CANNOT_BE_CHECKED;
  return new RpcError(code, `stream ended: ${message}`);
};
