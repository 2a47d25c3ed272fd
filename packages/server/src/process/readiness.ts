// SPDX-License-Identifier: Apache-2.0
/** What the server at an address says of itself, asked for once. */
import {get as getPlain} from 'node:http';
import {get as getTls} from 'node:https';
import type {Timers} from '@palisade/apiserver';

/** What /readyz answers by its status; any other one is not a server's. */
const BY_STATUS: Readonly<Record<number, Readiness>> = {200: 'ready', 500: 'not ready'};
/** `silent`: something listens there, and did not answer in time; `none`: nothing does, or no server. */
export type Readiness = 'ready' | 'not ready' | 'silent' | 'none';

/** Never rejects. `timers` must keep the process alive. */
export const readiness = (url: string, timers: Pick<Timers, 'after'>, deadlineMs: number): Promise<Readiness> =>
  new Promise(resolve => {
    const finish = (outcome: Readiness): void => {
      timer.cancel();
      request.destroy();
      resolve(outcome);
    };
    const timer = timers.after(deadlineMs, () => finish('silent'));
    // Nothing secret is sent here; what is sent later is sent to a server whose certificate is checked.
    const options = {agent: false, rejectUnauthorized: false};
    const get = url.startsWith('https:') ? getTls : getPlain;
    const request = get(`${url}/readyz`, options, response => finish(BY_STATUS[response.statusCode ?? 0] ?? 'none'));
    request.on('error', () => finish('none'));
  });
