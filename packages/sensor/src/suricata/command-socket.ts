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
const ANSWER_WORDS_MAX = 200;

type Answer = {readonly return?: unknown; readonly message?: unknown};
export type Command = {readonly command: string; readonly arguments?: Readonly<Record<string, unknown>>};

/** Undefined: it is no JSON object. */
const toAnswer = (text: string): Answer | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};

/** What Suricata says is a text, or a value of the command's own. */
const wordsOf = (message: unknown): string =>
  typeof message === 'string' ? message : JSON.stringify(message ?? 'refused').slice(0, ANSWER_WORDS_MAX);

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
      if (!text.endsWith('\n')) return; // not complete yet
      const answer = toAnswer(text);
      if (answer === undefined) return fail(`the answer is not a JSON object: ${text.slice(0, ANSWER_WORDS_MAX)}`);
      text = '';
      if (answer.return !== 'OK') return fail(wordsOf(answer.message));
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

/** `7.0.10`, or as it calls itself. Throws SensorError `command-failed`. */
export const engineVersion = async (folder: string, timers: Timers, timeoutMs: number): Promise<string> => {
  const message = wordsOf(await sendCommand(folder, {command: 'version'}, timers, timeoutMs));
  return /^\d[\w.-]*/.exec(message)?.[0] ?? message;
};

export type RuleStats = {readonly loaded: number; readonly failed: number; readonly skipped: number};

/** Throws SensorError `command-failed`. */
const firstOf = async (command: string, folder: string, timers: Timers, timeoutMs: number) => {
  const message = await sendCommand(folder, {command}, timers, timeoutMs);
  const first: unknown = Array.isArray(message) ? message[0] : undefined;
  const unexpected = (): SensorError =>
    new SensorError('command-failed', `Suricata's command "${command}": unexpected answer ${JSON.stringify(message)}`);
  if (typeof first !== 'object' || first === null) throw unexpected();
  return {first: first as Readonly<Record<string, unknown>>, unexpected};
};

/** What Suricata says is in force; older versions do not count skipped rules. Throws SensorError `command-failed`. */
export const ruleStats = async (folder: string, timers: Timers, timeoutMs: number): Promise<RuleStats> => {
  const {first, unexpected} = await firstOf('ruleset-stats', folder, timers, timeoutMs);
  const {rules_loaded: loaded, rules_failed: failed, rules_skipped: skipped = 0} = first;
  if (typeof loaded !== 'number' || typeof failed !== 'number' || typeof skipped !== 'number') throw unexpected();
  return {loaded, failed, skipped};
};

/** When Suricata loaded the rules that it has, in its words, to the microsecond. Throws SensorError `command-failed`. */
export const rulesLoadedAt = async (folder: string, timers: Timers, timeoutMs: number): Promise<string> => {
  const {first, unexpected} = await firstOf('ruleset-reload-time', folder, timers, timeoutMs);
  if (typeof first['last_reload'] !== 'string') throw unexpected();
  return first['last_reload'];
};
