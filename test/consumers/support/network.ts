// SPDX-License-Identifier: Apache-2.0
/** A network namespace with a server and its consumers: nothing leaves the machine, and ports are free. A program within asks for the test. */
import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {end, start} from '../../../bench/processes.ts';
import type {Answers, Ask, Answer as Line} from './protocol.ts';

const WITHIN = fileURLToPath(new URL('./within.ts', import.meta.url));

const why = (command: string, args: readonly string[]): string => {
  try {
    execFileSync(command, [...args], {stdio: 'pipe'});
    return '';
  } catch (error) {
    return String((error as {stderr?: unknown}).stderr ?? error).trim() || String(error);
  }
};

/** Why there can be no network namespace here; empty: there can be. */
export const whyNoNetwork = ((): string => {
  if (process.getuid?.() !== 0) return 'a network namespace needs root';
  return (
    why('unshare', ['-n', 'ip', 'link', 'set', 'lo', 'up']) && 'unshare -n or ip (Debian: iproute2) does not work here'
  );
})();

/** Why a command does not work in a network namespace of its own; empty: it does. */
export const whyNotWithin = (command: string, ...args: readonly string[]): string =>
  whyNoNetwork || why('unshare', ['-n', command, ...args]);

type Waiting = {readonly done: (value: unknown) => void; readonly fail: (error: Error) => void};

export class Network implements AsyncDisposable {
  readonly #within: ChildProcess;
  readonly #children: ChildProcess[] = [];
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;

  private constructor() {
    const script = `ip link set lo up && exec "$0" "${WITHIN}"`;
    this.#within = spawn('unshare', ['-n', 'sh', '-c', script, process.execPath], {stdio: ['pipe', 'pipe', 'inherit']});
    if (this.#within.stdout === null) return;
    createInterface({input: this.#within.stdout}).on('line', text => {
      const line = JSON.parse(text) as Line;
      const waiting = this.#waiting.get(line.id);
      this.#waiting.delete(line.id);
      if (line.error === undefined) waiting?.done(line.value);
      else waiting?.fail(new Error(line.error));
    });
    this.#within.once('exit', () => {
      for (const {fail} of this.#waiting.values()) fail(new Error('the program within the network ended'));
    });
  }

  static async open(): Promise<Network> {
    const network = new Network();
    await network.ask('listen', {host: '127.0.0.1', port: 0, says: ''}); // the namespace is there
    return network;
  }

  ask<K extends Ask['does']>(does: K, args: Omit<Extract<Ask, {does: K}>, 'does' | 'id'>): Promise<Answers[K]> {
    const id = this.#next++;
    return new Promise((done, fail) => {
      this.#waiting.set(id, {done: value => done(value as Answers[K]), fail});
      this.#within.stdin?.write(`${JSON.stringify({id, does, ...args})}\n`);
    });
  }

  get pid(): string {
    return String(this.#within.pid);
  }

  /** A command within, to its end: what it printed. */
  run(command: string, ...args: readonly string[]): string {
    return execFileSync('nsenter', ['-t', this.pid, '-n', command, ...args], {encoding: 'utf8', stdio: 'pipe'});
  }

  /** A program within, until the network is closed; `dir` gets its log. */
  start(name: string, dir: string, command: string, args: readonly string[]): {child: ChildProcess; log: () => string} {
    const file = join(dir, `${name}.log`);
    const child = start(name, 'nsenter', ['-t', this.pid, '-n', command, ...args], file);
    this.#children.push(child);
    return {child, log: () => (existsSync(file) ? readFileSync(file, 'utf8') : '')};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children.toReversed()) await end(child);
    await end(this.#within);
  }
}

/** A cable between two networks: names of its ends and their addresses. */
export const connectNetworks = (a: Network, addressA: string, b: Network, addressesB: readonly string[]): void => {
  a.run('ip', 'link', 'add', 'wire', 'type', 'veth', 'peer', 'name', 'wire', 'netns', b.pid);
  a.run('ip', 'address', 'add', addressA, 'dev', 'wire');
  for (const address of addressesB) b.run('ip', 'address', 'add', address, 'dev', 'wire');
  for (const network of [a, b]) network.run('ip', 'link', 'set', 'wire', 'up');
};
