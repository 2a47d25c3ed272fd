// SPDX-License-Identifier: Apache-2.0
import type {CheckTarget, Outcome} from '../port.ts';
import {Attempt} from './attempt.ts';
import {checkTcp, checkTls} from './connections.ts';
import {checkGrpc} from './grpc.ts';
import {checkHttp} from './http.ts';
import type {CheckPorts} from './open-socket.ts';
import {checkWebSocket} from './web-socket.ts';

export type RunningCheck = Pick<Attempt, 'timeOut' | 'cancel'>;

/** Calls `onEnd` once, maybe before it returns. The time-out is the caller's. Never throws. */
export const startCheck = (target: CheckTarget, ports: CheckPorts, onEnd: (outcome: Outcome) => void): RunningCheck => {
  const attempt = new Attempt(onEnd);
  try {
    start(attempt, target, ports);
  } catch (error) {
    attempt.failBy(error);
  }
  return attempt;
};

const start = (attempt: Attempt, target: CheckTarget, ports: CheckPorts): void => {
  const {method} = target;
  switch (method.type) {
    case 'tcp':
      checkTcp(attempt, target, ports);
      break;
    case 'tls':
      checkTls(attempt, target, method, ports);
      break;
    case 'http':
      checkHttp(attempt, target, method, ports);
      break;
    case 'web-socket':
      checkWebSocket(attempt, target, method, ports);
      break;
    case 'grpc':
      checkGrpc(attempt, target, method, ports);
      break;
  }
};
