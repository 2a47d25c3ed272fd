// SPDX-License-Identifier: Apache-2.0
/** The server of `make demo`: started, stopped, and found again when an earlier demo left it up. */
import {type ChildProcess, spawn} from 'node:child_process';
import {closeSync, openSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import type {Readable} from 'node:stream';
import {livenessOf} from '@palisade/engine/process-mark';

export type DemoServer = {
  readonly http: string;
  readonly kubeconfig: string;
  readonly pid: number;
  /** Its address; absent: it is switched off. */
  readonly console?: string;
};

const START_MS_MAX = 30_000;
const PROBE_MS_MAX = 2_000;

/**
 * `data`: its folder. `log`: the file for what it reports when it may outlive this process, whose output ends then. `options`: more
 * options of `palisade serve`.
 */
export const startServer = (of: {
  palisade: string;
  data: string;
  log: string | undefined;
  options?: readonly string[];
}): Promise<{child: ChildProcess; ready: DemoServer}> =>
  new Promise((resolve, reject) => {
    const stderr = of.log === undefined ? 'inherit' : openSync(of.log, 'a');
    const child = spawn(
      of.palisade,
      [
        'serve',
        '--data',
        of.data,
        '--http',
        '127.0.0.1:0',
        '--auth',
        'none',
        '--log-level',
        'warn',
        ...(of.options ?? []),
      ],
      {
        stdio: ['ignore', 'pipe', stderr],
        detached: of.log !== undefined,
      },
    );
    if (typeof stderr === 'number') closeSync(stderr);
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.removeAllListeners();
      child.kill();
      reject(new Error(of.log === undefined ? why : `${why}: see ${of.log}`));
    };
    const timer = setTimeout(() => fail(`the server was not ready after ${START_MS_MAX / 1000} s`), START_MS_MAX);
    child.once('error', error => fail(`the server could not be started (${error.message})`));
    child.once('exit', code => fail(`the server ended with exit code ${code} before it was ready`));
    createInterface({input: child.stdout as Readable}).once('line', line => {
      try {
        const ready = JSON.parse(line) as DemoServer;
        clearTimeout(timer);
        child.removeAllListeners();
        resolve({child, ready});
      } catch {
        fail(`the server's first line is not its ready line (${line})`);
      }
    });
  });

export const stopServer = (child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> =>
  new Promise(done => {
    if (child.exitCode !== null || child.signalCode !== null) return done();
    child.once('exit', () => done());
    child.kill(signal);
  });

/** The server that works in the folder; undefined when there is none, or only what one that was killed left behind. */
export async function serverLeftUp(data: string): Promise<{readonly pid: number} | undefined> {
  try {
    const {http, pid, process} = JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')) as {
      http: string;
      pid: number;
      process?: unknown;
    };
    if (livenessOf(pid, process) !== 'running') return undefined;
    await fetch(`${http}/readyz`, {signal: AbortSignal.timeout(PROBE_MS_MAX)});
    return {pid};
  } catch {
    return undefined;
  }
}
