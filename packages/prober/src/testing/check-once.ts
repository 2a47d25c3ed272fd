// SPDX-License-Identifier: Apache-2.0
/** One check of a server on loopback, with the time of the machine. */
import type {AddressInfo, Server} from 'node:net';
import {startCheck} from '../checks/start-check.ts';
import {TlsContexts} from '../checks/tls-contexts.ts';
import type {CheckMethod, CheckTarget, CheckTls, HttpMethod, Outcome} from '../port.ts';
import type {Timers} from '../system.ts';

export const realTimers: Timers = {
  after: (delayMs, action) => {
    const timer = setTimeout(action, delayMs);
    return {cancel: () => clearTimeout(timer)};
  },
};

export const HTTP: HttpMethod = {
  ...{type: 'http', version: '1.1', tls: undefined, path: '/', host: undefined, headers: [], expected: [[200, 399]]},
};
export const ANY_TLS: CheckTls = {serverName: undefined, ca: undefined, verify: false};

export const targetOf = (port: number, method: CheckMethod, more: Partial<CheckTarget> = {}): CheckTarget => ({
  ...{id: 'a', group: 'g', namespace: 'n', ip: '127.0.0.1', port, method},
  ...{periodMs: 10_000, timeoutMs: 10_000, delayMs: 0, jitter: 0.1},
  ...more,
});

const contexts = new TlsContexts();

export const checkOnce = (target: CheckTarget): Promise<Outcome> =>
  new Promise(resolve => {
    const ports = {contexts, guard: () => undefined, timers: realTimers};
    let timeOut = realTimers.after(0, () => undefined);
    const check = startCheck(target, ports, outcome => {
      timeOut.cancel();
      resolve(outcome);
    });
    timeOut = realTimers.after(target.timeoutMs, () => check.timeOut(target.timeoutMs));
  });

/** The port that it got. */
export const listen = (server: Server, host = '127.0.0.1'): Promise<number> =>
  new Promise(resolve => {
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port));
  });
