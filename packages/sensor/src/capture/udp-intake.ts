// SPDX-License-Identifier: Apache-2.0
/** The UDP sockets of an endpoint, one for each encapsulation: mirrored packets out of datagrams, and an account of all that arrived. */
import {createSocket, type Socket} from 'node:dgram';
import {pause} from '../pause.ts';
import type {Timer} from '../ports.ts';
import {messageOf, SensorError, systemCode} from '../sensor-error.ts';
import type {CaptureCounters, CaptureOptions} from './capture.ts';
import {ENCAPSULATIONS, type Encapsulation} from './encapsulation.ts';
import {senderFilter} from './mirror-from.ts';
import {readUdpSockets} from './udp-table.ts';

const PORTS = ENCAPSULATIONS.map(({port}) => port);
const DRAIN_POLL_MS = 20;

/** `start`: where the frame begins in the datagram; `madeUpHeader` goes in front of it. */
export type OnFrame = (datagram: Buffer, start: number, madeUpHeader: Buffer | undefined) => void;

/** Of the sockets alone. */
export type IntakeCounters = Pick<
  CaptureCounters,
  'received' | 'bytes' | 'malformed' | 'lastForeignVni' | 'lastRefusedSender'
> & {readonly foreignVni: number; readonly refusedSender: number; readonly drops: number};

const addressError = (ip: string, {name, port}: Encapsulation, error: unknown): SensorError => {
  const at = `UDP ${port} (${name}) at ${ip}`;
  const words: Readonly<Record<string, string>> = {
    EADDRINUSE: `${at} is in use by another program: stop it, or use another endpoint pool`,
    EADDRNOTAVAIL: `${at}: the address is not on this host; choose an endpoint pool with addresses of this host`,
    EACCES: `${at}: not permitted`,
  };
  return new SensorError('address', words[systemCode(error) ?? ''] ?? `${at}: ${messageOf(error)}`, {cause: error});
};

const bindSocket = (socket: Socket, ip: string, encapsulation: Encapsulation): Promise<void> =>
  new Promise((resolve, reject) => {
    const refuse = (error: Error): void => reject(addressError(ip, encapsulation, error));
    socket.once('error', refuse);
    socket.bind({address: ip, port: encapsulation.port, exclusive: true}, () => {
      socket.off('error', refuse);
      resolve();
    });
  });

export class UdpIntake {
  readonly #options: CaptureOptions;
  readonly #onFrame: OnFrame;
  readonly #mayAccept: ((address: string) => boolean) | undefined;
  readonly #sockets: readonly {readonly socket: Socket; readonly encapsulation: Encapsulation}[];
  #isOpen = true;
  #received = 0;
  #bytes = 0;
  #malformed = 0;
  #foreignVni = 0;
  #lastForeignVni: number | undefined;
  #refusedSender = 0;
  #lastRefusedSender: string | undefined;
  #kernelDrops = 0;
  #timer: Timer | undefined;

  constructor(options: CaptureOptions, onFrame: OnFrame) {
    this.#options = options;
    this.#onFrame = onFrame;
    this.#mayAccept = senderFilter(options.mirrorFrom);
    this.#sockets = ENCAPSULATIONS.map(encapsulation => {
      const socket = createSocket({type: 'udp4', recvBufferSize: options.limits.socketBufferBytes});
      socket.on('message', (datagram, {address}) => this.#take(datagram, address, encapsulation));
      return {socket, encapsulation};
    });
  }

  /** Throws SensorError `address`; no socket is open then. */
  async open(): Promise<void> {
    const {spec, log} = this.#options;
    try {
      for (const {socket, encapsulation} of this.#sockets) await bindSocket(socket, spec.ip, encapsulation);
    } catch (error) {
      this.#isOpen = false;
      for (const {socket} of this.#sockets) socket.close();
      throw error;
    }
    for (const {socket} of this.#sockets)
      socket.on('error', error => log.error({endpoint: spec.endpoint, error: error.message}, 'capture socket failed'));
    this.#watch();
  }

  #take(datagram: Buffer, sender: string, {parse}: Encapsulation): void {
    if (this.#mayAccept !== undefined && !this.#mayAccept(sender)) {
      this.#refusedSender++;
      this.#lastRefusedSender = sender;
      return;
    }
    const inner = parse(datagram);
    if (inner === undefined) {
      this.#malformed++;
      return;
    }
    const {vni, start, madeUpHeader} = inner;
    if (vni !== this.#options.spec.vni && !this.#options.acceptAnyVni) {
      this.#foreignVni++;
      this.#lastForeignVni = vni;
      return;
    }
    this.#received++;
    this.#bytes += datagram.length - start;
    this.#onFrame(datagram, start, madeUpHeader);
  }

  /** Packets that were handed to `onFrame`. */
  get received(): number {
    return this.#received;
  }

  counters(): IntakeCounters {
    return {
      received: this.#received,
      bytes: this.#bytes,
      malformed: this.#malformed,
      foreignVni: this.#foreignVni,
      lastForeignVni: this.#lastForeignVni,
      refusedSender: this.#refusedSender,
      lastRefusedSender: this.#lastRefusedSender,
      drops: this.#kernelDrops,
    };
  }

  /** Datagrams that were read from the sockets. */
  #taken(): number {
    return this.#received + this.#malformed + this.#foreignVni + this.#refusedSender;
  }

  /** Until the kernel's receive buffers are empty, so that nothing sent before the stop is lost. Bounded in time. */
  async drain(): Promise<void> {
    const {limits, timers, spec} = this.#options;
    for (let waited = 0; this.#isOpen && waited < limits.intakeDrainMs; waited += DRAIN_POLL_MS) {
      const before = this.#taken();
      await this.#readKernel();
      const state = await readUdpSockets(spec.ip, PORTS);
      if (state === undefined || (state.queuedBytes === 0 && before === this.#taken())) return;
      await pause(timers, DRAIN_POLL_MS);
    }
  }

  /** Idempotent. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#readKernel();
    this.#timer?.cancel();
    await Promise.all(this.#sockets.map(({socket}) => new Promise<void>(resolve => socket.close(() => resolve()))));
  }

  /** The drops column counts from the socket's birth. */
  async #readKernel(): Promise<void> {
    const {spec, log} = this.#options;
    try {
      const state = await readUdpSockets(spec.ip, PORTS);
      if (state !== undefined) this.#kernelDrops = state.drops;
    } catch (error) {
      log.warn({endpoint: spec.endpoint, error: messageOf(error)}, 'kernel drop counter not readable');
    }
  }

  #watch(): void {
    this.#timer = this.#options.timers.after(this.#options.limits.watchMs, () => {
      void this.#readKernel().then(() => {
        if (this.#isOpen) this.#watch();
      });
    });
  }
}
