// SPDX-License-Identifier: Apache-2.0
/**
 * One question to Suricata's unix command socket: connect, version handshake, one command, one answer, close.
 * Ref: Suricata 7 unix-manager.c, protocol version 0.2 (a JSON object a line each way).
 */
import {open} from 'node:fs/promises';
import {connect} from 'node:net';
import {join} from 'node:path';
import type {Timers} from '../ports.ts';
import {SensorError} from '../sensor-error.ts';
import {COMMAND_SOCKET} from './config.ts';

const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

type Answer = {readonly return?: unknown; readonly message?: unknown};
export type Command = {readonly command: string; readonly arguments?: Readonly<Record<string, unknown>>};

const ask = (path: string, command: Command, timers: Timers, timeoutMs: number): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const socket = connect(path);
    let text = '';
    let greeted = false;
    const end = (finish: () => void): void => {
      timer.cancel();
      socket.destroy();
      finish();
    };
    const fail = (why: string, cause?: unknown): void =>
      end(() => reject(new SensorError('command-failed', `Suricata's command "${command.command}": ${why}`, {cause})));
    const timer = timers.after(timeoutMs, () => fail(`no answer within ${timeoutMs} ms`));
    socket.setEncoding('utf8');
    socket.on('error', error => fail(error.message, error));
    socket.on('close', () => fail('the connection was closed before the answer'));
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > ANSWER_BYTES_MAX) return fail('the answer is too long');
      let answer: Answer;
      try {
        answer = JSON.parse(text) as Answer;
      } catch {
        return; // not complete yet
      }
      text = '';
      if (answer.return !== 'OK') return fail(String(answer.message ?? 'refused'));
      if (greeted) return end(() => resolve(answer.message));
      greeted = true;
      socket.write(`${JSON.stringify(command)}\n`);
    });
    socket.write('{"version":"0.2"}\n');
  });

/** The answer's `message`. Throws SensorError `command-failed`. The folder is held open, so its path may be of any length. */
export const sendCommand = async (
  folder: string,
  command: Command,
  timers: Timers,
  timeoutMs: number,
): Promise<unknown> => {
  const handle = await open(folder, 'r');
  try {
    return await ask(join('/proc/self/fd', String(handle.fd), COMMAND_SOCKET), command, timers, timeoutMs);
  } finally {
    await handle.close();
  }
};

export type RuleStats = {readonly loaded: number; readonly failed: number};

/** What Suricata says is in force. Throws SensorError `command-failed`. */
export const ruleStats = async (folder: string, timers: Timers, timeoutMs: number): Promise<RuleStats> => {
  const message = await sendCommand(folder, {command: 'ruleset-stats'}, timers, timeoutMs);
  const first = (Array.isArray(message) ? message[0] : undefined) as
    | {rules_loaded?: unknown; rules_failed?: unknown}
    | undefined;
  if (typeof first?.rules_loaded !== 'number' || typeof first.rules_failed !== 'number')
    throw new SensorError(
      'command-failed',
      `Suricata's command "ruleset-stats": unexpected answer ${JSON.stringify(message)}`,
    );
  return {loaded: first.rules_loaded, failed: first.rules_failed};
};
