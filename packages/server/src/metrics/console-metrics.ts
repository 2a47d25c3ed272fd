// SPDX-License-Identifier: Apache-2.0
/** Sessions of the console, and what became of sign-ins. */
import {Counter, Gauge, type Registry} from 'prom-client';
import type {SignInMethod} from '../console/sessions.ts';

type ByMethod<T> = Readonly<Record<SignInMethod, T>>;
export type ShownSessions = {
  countOpen(): ByMethod<number>;
  readonly signIns: ByMethod<{readonly succeeded: number; readonly failed: number}>;
};

export const showSessions = (sessions: ShownSessions, registers: Registry[]): void => {
  new Gauge({
    name: 'palisade_console_sessions',
    help: 'Open sessions of the console, by the credential that opened them.',
    labelNames: ['method'],
    registers,
    collect() {
      for (const [method, count] of Object.entries(sessions.countOpen())) this.set({method}, count);
    },
  });
  new Counter({
    name: 'palisade_console_sign_ins_total',
    help: 'Sign-ins to the console, by credential and result.',
    labelNames: ['method', 'result'],
    registers,
    collect() {
      this.reset();
      for (const [method, {succeeded, failed}] of Object.entries(sessions.signIns)) {
        this.inc({method, result: 'succeeded'}, succeeded);
        this.inc({method, result: 'failed'}, failed);
      }
    },
  });
};
