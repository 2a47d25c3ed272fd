// SPDX-License-Identifier: Apache-2.0
/** One Suricata process: spawned, its log read, `Engine started` awaited, ended in order. */
import type {ChildProcess} from 'node:child_process';
import {ENGINE_LOG_LINES_MAX} from '../limits.ts';
import type {Timers} from '../ports.ts';
import {SensorError, systemCode} from '../sensor-error.ts';
import {type EngineLogLine, isEngineStarted, LineSplitter, parseEngineLogLine} from './engine-log.ts';
import {type Capability, type Launcher, launch} from './launch.ts';

export type {RunAs} from './launch.ts';
export type ExitInfo = {
  readonly code: number | null;
  readonly signal: string | null /** Last errors of the log. */;
  readonly words: string;
};

export type SpawnOptions = {
  readonly path: string;
  readonly args: readonly string[];
  /** The working folder; entered before the user changes. */
  readonly folder: string;
  readonly launcher: Launcher;
  /** What it keeps of the server's rights; default: none. */
  readonly capabilities?: readonly Capability[] | undefined;
  /** How late its timed sleeps may end; undefined: as ours. */
  readonly timerSlackNs?: number | undefined;
  /** Files by which it enters control groups; default: none. */
  readonly cgroupProcs?: readonly string[] | undefined;
  readonly timers: Timers;
  readonly onLog: (line: EngineLogLine) => void;
};

/** After the exit, how long its log is still read when something keeps the pipe open. */
const LOG_GRACE_MS = 200;

/** How a process ended, in words. */
export const describeExit = (exit: ExitInfo): string => {
  if (exit.code === null && exit.signal === null) return exit.words; // it did not run
  const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
  return exit.words === '' ? how : `${how}: ${exit.words}`;
};

export class SuricataProcess {
  readonly #child: ChildProcess;
  readonly #timers: Timers;
  readonly #recent: EngineLogLine[] = [];
  #startedMark = false;
  #onStarted: (() => void) | undefined;
  #exit: ExitInfo | undefined;
  /** Resolves when the process is gone and its log is read. Never rejects. */
  readonly exited: Promise<ExitInfo>;

  constructor(options: SpawnOptions) {
    this.#timers = options.timers;
    const {path, args, folder, launcher, capabilities = [], timerSlackNs, cgroupProcs} = options;
    this.#child = launch(launcher, {path, args, folder, capabilities, timerSlackNs, cgroupProcs});
    const onLine = (text: string): void => {
      const line = parseEngineLogLine(text);
      if (line === undefined) return;
      this.#recent.push(line);
      if (this.#recent.length > ENGINE_LOG_LINES_MAX) this.#recent.shift();
      if (isEngineStarted(line)) {
        this.#startedMark = true;
        this.#onStarted?.();
      }
      options.onLog(line);
    };
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      const splitter = new LineSplitter(onLine);
      stream?.setEncoding('utf8');
      stream?.on('data', (chunk: string) => splitter.push(chunk));
      stream?.on('end', () => splitter.end());
    }
    this.exited = new Promise(resolve => {
      const done = (code: number | null, signal: string | null, extra: string): void => {
        if (this.#exit !== undefined) return;
        this.#exit = {code, signal, words: [this.lastWords(), extra].filter(text => text !== '').join('; ')};
        resolve(this.#exit);
      };
      this.#child.on('close', (code, signal) => done(code, signal, ''));
      this.#child.on('exit', (code, signal) => this.#timers.after(LOG_GRACE_MS, () => done(code, signal, '')));
      this.#child.on('error', error => {
        // A failed spawn gives only 'error'; a failed kill leaves the process running, and 'close' still comes.
        if (this.#child.pid === undefined)
          done(null, null, `cannot run ${path}: ${systemCode(error) ?? error.message}`);
      });
    });
  }

  get pid(): number | undefined {
    return this.#exit === undefined ? this.#child.pid : undefined;
  }

  get running(): boolean {
    return this.#exit === undefined;
  }

  /** The last errors of its log, in order; other text only when there is no error. */
  lastWords(): string {
    const errors = this.#recent.filter(line => line.level === 'error');
    const lines = errors.length > 0 ? errors : this.#recent.filter(line => line.level === 'text');
    return lines
      .slice(-3)
      .map(line => line.message)
      .join('; ');
  }

  /** Resolves at `Engine started`. Throws SensorError `start-failed`, `start-timeout`, `aborted`; the caller then ends the process. */
  async started(timeoutMs: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => settle(new SensorError('aborted', 'the start was cancelled'));
      const settle = (error?: SensorError): void => {
        timer.cancel();
        signal.removeEventListener('abort', onAbort);
        this.#onStarted = undefined;
        if (error === undefined) resolve();
        else reject(error);
      };
      const timer = this.#timers.after(timeoutMs, () =>
        settle(
          new SensorError('start-timeout', `Suricata did not start within ${timeoutMs / 1000} s${this.#wordsSuffix()}`),
        ),
      );
      signal.addEventListener('abort', onAbort);
      this.#onStarted = () => settle();
      void this.exited.then(exit =>
        settle(new SensorError('start-failed', `Suricata ended before it was ready: ${describeExit(exit)}`)),
      );
      if (signal.aborted) onAbort();
      else if (this.#startedMark) settle();
    });
  }

  #wordsSuffix(): string {
    const words = this.lastWords();
    return words === '' ? '' : `: ${words}`;
  }

  /** Waits `timeoutMs` for it to end by itself, then SIGTERM, then SIGKILL. */
  async end(timeoutMs: number, alreadyAsked: boolean): Promise<ExitInfo> {
    for (const signal of alreadyAsked
      ? ([undefined, 'SIGTERM', 'SIGKILL'] as const)
      : (['SIGTERM', 'SIGKILL'] as const)) {
      if (this.#exit !== undefined) return this.#exit;
      if (signal !== undefined) this.#signal(signal);
      if (signal === 'SIGKILL') break;
      if (await this.#endsWithin(timeoutMs)) break;
    }
    return this.exited;
  }

  kill(): void {
    if (this.#exit === undefined) this.#signal('SIGKILL');
  }

  /** To the whole group, so that nothing a wrapper started stays. */
  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch (error) {
      if (systemCode(error) !== 'ESRCH') throw error; // gone between the check and the signal
    }
  }

  #endsWithin(timeoutMs: number): Promise<boolean> {
    return new Promise(resolve => {
      const timer = this.#timers.after(timeoutMs, () => resolve(false));
      void this.exited.then(() => {
        timer.cancel();
        resolve(true);
      });
    });
  }
}
