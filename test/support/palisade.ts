// SPDX-License-Identifier: Apache-2.0
/** The real `palisade` command as child processes, for tests: a server until disposed, or one command to its end. */
import {type ChildProcess, spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {createInterface} from 'node:readline';

export const PALISADE = resolve('node_modules/.bin/palisade');
/** Bound on every wait for a process that names no other. */
const WAIT_MS = 45_000;

export type Ready = {
  ready: true;
  pid: number;
  http: string;
  https?: string;
  grpc?: string;
  console?: string;
  kubeconfig: string;
};
export type Finished = {readonly code: number | null; readonly stdout: string; readonly stderr: string};

export type Scratch = {readonly dir: string; readonly [Symbol.dispose]: () => void};

export const scratch = (): Scratch => {
  const dir = mkdtempSync(join(tmpdir(), 'palisade-test-'));
  return {dir, [Symbol.dispose]: () => rmSync(dir, {recursive: true, force: true})};
};

const collect = (child: ChildProcess): {stdout: () => string; stderr: () => string} => {
  let [out, err] = ['', ''];
  child.stdout?.on('data', chunk => {
    out += String(chunk);
  });
  child.stderr?.on('data', chunk => {
    err += String(chunk);
  });
  return {stdout: () => out, stderr: () => err};
};

/** Runs a command to its end. */
export const run = (
  args: readonly string[],
  opts: {env?: Record<string, string>; cwd?: string; command?: string; limitMs?: number} = {},
): Promise<Finished> =>
  new Promise((done, fail) => {
    const child = spawn(opts.command ?? PALISADE, args, {
      env: {...process.env, ...opts.env},
      cwd: opts.cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const text = collect(child);
    const timer = setTimeout(() => child.kill('SIGKILL'), opts.limitMs ?? WAIT_MS);
    child.once('error', fail);
    child.once('close', code => {
      clearTimeout(timer);
      done({code, stdout: text.stdout(), stderr: text.stderr()});
    });
  });

export type RunningServer = {
  readonly ready: Ready;
  readonly child: ChildProcess;
  readonly stderr: () => string;
  /** SIGTERM (or another signal) and the exit code; null after a kill. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** `palisade serve` with the given flags, once it printed its ready line. Rejects with its stderr when it ends before. */
export const serve = (args: readonly string[], opts: {env?: Record<string, string>} = {}): Promise<RunningServer> =>
  new Promise((done, fail) => {
    const child = spawn(PALISADE, ['serve', ...args], {
      env: {...process.env, ...opts.env},
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const text = collect(child);
    const ended = new Promise<number | null>(resolve => child.once('exit', code => resolve(code)));
    const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return ended;
    };
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail(new Error(`the server was not ready in time: ${text.stderr()}`));
    }, WAIT_MS);
    void ended.then(code => fail(new Error(`exit ${code}: ${text.stderr()}`)));
    createInterface({input: child.stdout}).once('line', line => {
      clearTimeout(timer);
      done({
        ready: JSON.parse(line) as Ready,
        child,
        stderr: text.stderr,
        stop,
        [Symbol.asyncDispose]: async () => void (await stop()),
      });
    });
  });

/** Flags of a server of its own: free port, no credentials, quiet. */
export const quiet = (dir: string): string[] => [
  '--data',
  join(dir, 'data'),
  '--http',
  '127.0.0.1:0',
  '--auth',
  'none',
  '--log-level',
  'warn',
];
