// SPDX-License-Identifier: Apache-2.0
import {type EndpointName, formatOperationName, type OperationVerb} from '@palisade/ids-wire';
import {type Caller, usersOf} from '../auth.ts';
import type {OperationRecord} from '../model/operation-record.ts';
import type {Clock, Log, Random} from '../system.ts';

const toHex = (bytes: Uint8Array): string => Array.from(bytes, b => b.toString(16).padStart(2, '0')).join('');

/** `operation-{unix ms}-{13 hex}-{8 hex}-{8 hex}`, as Cloud IDS names them. */
export const newOperation = (
  deps: {readonly clock: Clock; readonly random: Random},
  verb: OperationVerb,
  at: EndpointName,
  target: string,
): OperationRecord => {
  const nowMs = deps.clock.now();
  const hex = toHex(deps.random.bytes(15));
  const operationId = `operation-${Math.trunc(nowMs)}-${hex.slice(0, 13)}-${hex.slice(13, 21)}-${hex.slice(21, 29)}`;
  const name = formatOperationName({project: at.project, location: at.location, operationId});
  return {name, verb, target, createTimeMs: nowMs, requestedCancellation: false};
};

/** Who set what going; once per request, replays too. */
export const logAccepted = (deps: {readonly log: Log}, caller: Caller, {verb, target, name}: OperationRecord): void =>
  deps.log.info({...usersOf(caller), verb, endpoint: target, operation: name}, 'ids: request accepted');
