// SPDX-License-Identifier: Apache-2.0
/**
 * Owns the UDP ports of endpoints whose packets Suricata takes from an interface: the kernel then answers no "port unreachable", and counts
 * every datagram that arrives there. One thread for all endpoints of the process; it is there while it owns a port.
 */
import {Worker} from 'node:worker_threads';
import {SensorError} from '../../sensor-error.ts';

export type PortSamples = {
  /** Datagrams that arrived, but for the few that wait for the next look. */
  readonly total: number;
  /** Of those that were looked at. */
  readonly own: number;
  readonly foreign: number;
  readonly malformed: number;
  readonly refused: number;
  readonly lastForeignVni: number | undefined;
  readonly lastRefusedSender: string | undefined;
};
export type PortWish = {
  readonly ip: string;
  readonly vni: number;
  readonly acceptAnyVni: boolean;
  readonly mirrorFrom: readonly string[];
};

export type OwnerSetUp = {readonly wake: SharedArrayBuffer; readonly lookMs: number; readonly bufferBytes: number};
export type OwnerRequest =
  | ({readonly id: number; readonly what: 'open'} & PortWish)
  | {readonly id: number; readonly what: 'count' | 'close'};
type Failure = {
  readonly code: string | undefined;
  readonly message: string;
  readonly port: string | undefined;
};
export type OwnerAnswer =
  | {readonly id: number; readonly samples: PortSamples}
  | {readonly id: number; readonly done: true; readonly failed?: Failure};

export const NO_SAMPLES: PortSamples = {
  total: 0,
  own: 0,
  foreign: 0,
  malformed: 0,
  refused: 0,
  lastForeignVni: undefined,
  lastRefusedSender: undefined,
};
/** Few datagrams wait in it; the kernel drops and counts all others. Ref: linux net/core/sock.c, SOCK_MIN_RCVBUF. */
const BUFFER_BYTES = 2304;

const addressError = (ip: string, {code, message, port}: Failure): SensorError => {
  const at = `UDP ${port ?? ''} at ${ip}`;
  const words: Readonly<Record<string, string>> = {
    EADDRINUSE: `${at} is in use by another program: stop it, or use another endpoint pool`,
    EADDRNOTAVAIL: `${at}: the address is not on this host; choose an endpoint pool with addresses of this host`,
    EACCES: `${at}: not permitted`,
  };
  return new SensorError('address', words[code ?? ''] ?? `${at}: ${message}`);
};

/** `waiting`: for answers, in order. */
type Owned = {samples: PortSamples; ended: string | undefined; readonly waiting: ((failed?: Failure) => void)[]};
type Thread = {readonly worker: Worker; readonly signal: Int32Array};

export type OwnedPorts = {
  /** Some seconds old. */
  readonly samples: () => PortSamples;
  /** Why nobody owns the ports any longer; undefined: they are owned. */
  readonly ended: () => string | undefined;
  /** Those of now are there when it resolves. */
  readonly count: () => Promise<void>;
  /** The last samples are there when it resolves. */
  readonly close: () => Promise<void>;
};

const startWorker = (workerData: OwnerSetUp): Worker => {
  const file = `./port-owner-worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`;
  return new Worker(new URL(file, import.meta.url), {workerData});
};

export class PortOwner {
  readonly #lookMs: number;
  readonly #newWorker: (workerData: OwnerSetUp) => Worker;
  readonly #owned = new Map<number, Owned>();
  #thread: Thread | undefined;
  #next = 1;

  constructor(lookMs: number, newWorker = startWorker) {
    this.#lookMs = lookMs;
    this.#newWorker = newWorker;
  }

  #start(): Thread {
    const wake = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const workerData: OwnerSetUp = {wake, lookMs: this.#lookMs, bufferBytes: BUFFER_BYTES};
    const worker = this.#newWorker(workerData);
    worker.on('message', (answer: OwnerAnswer) => this.#onAnswer(answer));
    worker.on('error', error => this.#fail(worker, error.message));
    worker.on('exit', () => this.#fail(worker, 'its thread ended'));
    return {worker, signal: new Int32Array(wake)};
  }

  #onAnswer(answer: OwnerAnswer): void {
    const owned = this.#owned.get(answer.id);
    if (owned === undefined) return;
    if ('samples' in answer) owned.samples = answer.samples;
    else owned.waiting.shift()?.(answer.failed);
  }

  /** The ports are free then. Nothing of it is lost but the counts from now on. */
  #fail(worker: Worker, message: string): void {
    if (this.#thread?.worker === worker) this.#thread = undefined;
    else return;
    for (const owned of this.#owned.values()) {
      owned.ended = message;
      for (const settle of owned.waiting.splice(0)) settle({code: undefined, message, port: undefined});
    }
  }

  #ask(request: OwnerRequest, owned: Owned): Promise<Failure | undefined> {
    this.#thread ??= this.#start();
    const {worker, signal} = this.#thread;
    return new Promise(resolve => {
      owned.waiting.push(resolve);
      worker.postMessage(request);
      Atomics.store(signal, 0, 1);
      Atomics.notify(signal, 0);
    });
  }

  /** Throws SensorError `address`. */
  async open(wish: PortWish): Promise<OwnedPorts> {
    const id = this.#next++;
    const owned: Owned = {samples: NO_SAMPLES, ended: undefined, waiting: []};
    this.#owned.set(id, owned);
    const failed = await this.#ask({id, what: 'open', ...wish}, owned);
    if (failed !== undefined) {
      await this.#forget(id);
      throw addressError(wish.ip, failed);
    }
    return {
      samples: () => owned.samples,
      ended: () => owned.ended,
      count: async () => {
        if (this.#owned.has(id) && this.#thread !== undefined) await this.#ask({id, what: 'count'}, owned);
      },
      close: async () => {
        if (!this.#owned.has(id)) return;
        if (this.#thread !== undefined) await this.#ask({id, what: 'close'}, owned);
        await this.#forget(id);
      },
    };
  }

  async #forget(id: number): Promise<void> {
    this.#owned.delete(id);
    if (this.#owned.size > 0) return;
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.worker.terminate();
  }
}
