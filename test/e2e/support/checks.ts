// SPDX-License-Identifier: Apache-2.0
/**
 * Runs a program of another language that reports by JSON lines on stdout: {"check": name, "ok": bool, "detail"?} for each thing it
 * tried, {"ask": word} when its parent has to act; "done" on its stdin answers. Exit code 0 only when every check passed.
 */
import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';
import {expect} from 'vitest';

/** Bound on one run of a program that names no other. */
const RUN_MS = 120_000;

type Line = {readonly check?: string; readonly ok?: boolean; readonly detail?: string; readonly ask?: string};

export type Report = {
  readonly code: number | null;
  readonly stderr: string;
  readonly checks: ReadonlyMap<string, Line>;
  readonly lines: readonly string[];
};

export const runChecks = (
  file: string,
  args: readonly string[],
  opts: {answer?: (ask: string) => Promise<void>; env?: Record<string, string>; limitMs?: number} = {},
): Promise<Report> =>
  new Promise((done, fail) => {
    const child = spawn(file, args, {env: {...process.env, ...opts.env}, stdio: ['pipe', 'pipe', 'pipe']});
    const checks = new Map<string, Line>();
    const lines: string[] = [];
    let stderr = '';
    child.stderr.on('data', chunk => {
      stderr += String(chunk);
    });
    const reply = async (ask: string): Promise<void> => {
      if (opts.answer === undefined) throw new Error(`the program asked for ${ask}`);
      await opts.answer(ask);
      child.stdin.write('done\n');
    };
    const timer = setTimeout(() => child.kill('SIGKILL'), opts.limitMs ?? RUN_MS);
    const giveUp = (error: unknown): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      fail(error);
    };
    createInterface({input: child.stdout}).on('line', text => {
      lines.push(text);
      if (!text.startsWith('{')) return; // kept in `lines`, shown when a check is missing
      const line = JSON.parse(text) as Line;
      if (line.ask !== undefined) reply(line.ask).catch(giveUp);
      else if (line.check !== undefined) checks.set(line.check, line);
    });
    child.once('error', giveUp);
    child.once('close', code => {
      clearTimeout(timer);
      done({code, stderr, checks, lines});
    });
  });

/** Fails unless the program ran the check and it passed; the message is the program's own. */
export const expectCheck = (report: Report | undefined, name: string): void => {
  const found = report?.checks.get(name);
  const context =
    report === undefined
      ? 'the program did not run'
      : `${report.lines.slice(-5).join('\n')}\n${report.stderr.slice(-2000)}`;
  expect(found, `no report of ${name}: ${context}`).toBeDefined();
  expect(found, found?.detail).toMatchObject({ok: true});
};
