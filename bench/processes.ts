// SPDX-License-Identifier: Apache-2.0
/** Child processes of a bench: started, waited for, ended by PID. */
import {type ChildProcess, spawn} from 'node:child_process';
import {openSync, readdirSync, readFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {setTimeout as delay} from 'node:timers/promises';

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address === null || typeof address === 'string' ? reject(new Error('no port')) : resolve(address.port),
      );
    });
  });

export const start = (name: string, command: string, args: readonly string[], logFile: string): ChildProcess => {
  const log = openSync(logFile, 'w');
  const child = spawn(command, args, {stdio: ['ignore', log, log]});
  child.once('error', error => console.error(`${name}: ${error.message}`));
  return child;
};

export async function until(what: string, ready: () => Promise<boolean>, limitMs: number): Promise<number> {
  const began = performance.now();
  for (;;) {
    if (await ready().catch(() => false)) return performance.now() - began;
    if (performance.now() - began > limitMs) throw new Error(`${what}: not ready after ${limitMs} ms`);
    await delay(10);
  }
}

/** Sends the signal and waits for the end: the exit code; null after a kill. */
export async function endBy(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = new Promise<void>(resolve => child.once('exit', () => resolve()));
    child.kill(signal);
    await gone;
  }
  return child.exitCode;
}

export async function end(child: ChildProcess): Promise<void> {
  const forced = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await endBy(child, 'SIGTERM');
  clearTimeout(forced);
}

export const rssMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1024;

const TICK_MS = 10;
/** User and system time of a process or thread, from its `stat` in /proc. Ref: proc_pid_stat(5), fields 14 and 15. */
const cpuMsIn = (stat: string): number => {
  const fields = stat.replace(/^.*\) /s, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
};
/** That the process has used, of all its threads. */
export const cpuMs = (pid: number): number => cpuMsIn(readFileSync(`/proc/${pid}/stat`, 'utf8'));
/** That the threads of this process with this name have used. */
export const threadCpuMs = (name: string): number =>
  readdirSync('/proc/self/task')
    .map(id => readFileSync(`/proc/self/task/${id}/stat`, 'utf8'))
    .filter(stat => stat.includes(`(${name})`))
    .reduce((sum, stat) => sum + cpuMsIn(stat), 0);

export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
