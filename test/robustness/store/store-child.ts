// SPDX-License-Identifier: Apache-2.0
/** A process that has a store open (store-faults-child.ts), and does what it is asked. */
import {type ChildProcessByStdio, spawn} from 'node:child_process';
import {createInterface} from 'node:readline';
import type {Readable, Writable} from 'node:stream';
import {fileURLToPath} from 'node:url';

const CHILD = fileURLToPath(new URL('./store-faults-child.ts', import.meta.url));

export class Child implements AsyncDisposable {
  readonly pid: number;
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<void>;

  /** `limits`: shell commands that run before the program, in its process. `env`: in addition to that of the test. */
  constructor(limits = ':', env: Readonly<Record<string, string>> = {}) {
    const command = `${limits}; exec "$0" "$1"`;
    this.#process = spawn('bash', ['-c', command, process.execPath, CHILD], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {...process.env, ...env},
    });
    this.pid = this.#process.pid ?? 0;
    this.#ended = new Promise(resolve => this.#process.once('close', () => resolve()));
    this.#lines = createInterface({input: this.#process.stdout})[Symbol.asyncIterator]();
  }

  async ask(line: string): Promise<string> {
    this.#process.stdin.write(`${line}\n`);
    return (await this.#lines.next()).value;
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.stdin.end();
    await this.#ended;
  }
}
