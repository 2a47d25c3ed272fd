// SPDX-License-Identifier: Apache-2.0
/** Mirrored packets that raise alerts, by a seed: each is a flow of its own and raises one alert; sources come again within 5 s. */
import {createSocket} from 'node:dgram';
import {setTimeout as delay} from 'node:timers/promises';
import {hit} from '../../sensor/lab/rules.ts';
import type {Verdict} from './judge.ts';

const VXLAN_PORT = 4789;
const NAMES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
/** With severity LOW and the exception of `ENDPOINT`; rules of test/sensor/lab/rules.ts. */
const NOT_STORED: Readonly<Record<string, Verdict>> = {'1:5': 'filtered', '1:7': 'filtered', '2:1': 'excepted'};
export const verdictOf = (threat: string): Verdict => NOT_STORED[threat] ?? 'stored';
export const ENDPOINT = {severity: 'LOW', threatExceptions: ['2:1'], trafficLogs: true};

const SOURCES = 200;
/** Half of the packets come from so few. */
const BUSY_SOURCES = 4;
const PAUSE_MS = 10;

export type Target = {readonly ip: string; readonly vni: number};

const datagramOf = (random: () => number, vni: number): Buffer => {
  const below = (n: number): number => Math.floor(random() * n);
  const source = below(random() < 0.5 ? BUSY_SOURCES : SOURCES);
  const pair = {client: `10.20.${source >> 7}.${(source & 127) + 1}`, server: `10.9.0.${2 + below(2)}`};
  const frame = hit(NAMES[below(NAMES.length)] ?? '', pair, 1024 + below(60_000));
  const header = Buffer.alloc(8);
  header.writeUInt8(0x08, 0);
  header.writeUInt32BE(vni * 256, 4);
  return Buffer.concat([header, frame]);
};

export class Load {
  sent = 0;
  #stopped = false;
  readonly #done: Promise<void>;

  /** `burstMax`: packets of a hundredth of a second, at most. */
  constructor(to: Target, random: () => number, burstMax: number) {
    this.#done = this.#run(to, random, burstMax);
  }

  async #run({ip, vni}: Target, random: () => number, burstMax: number): Promise<void> {
    const socket = createSocket('udp4');
    socket.on('error', () => undefined); // nobody is there while the server is dead
    while (!this.#stopped) {
      const burst = 1 + Math.floor(random() ** 3 * burstMax);
      for (let i = 0; i < burst; i++) {
        socket.send(datagramOf(random, vni), VXLAN_PORT, ip);
        this.sent++;
      }
      await delay(PAUSE_MS);
    }
    await new Promise<void>(resolve => socket.close(() => resolve()));
  }

  /** Resolves when the last packet is out. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }
}

/** Exactly so many packets, at a rate that nobody drops. */
export const sendExactly = async (to: Target, random: () => number, count: number): Promise<void> => {
  const socket = createSocket('udp4');
  for (let i = 0; i < count; i++) {
    await new Promise<void>((resolve, reject) =>
      socket.send(datagramOf(random, to.vni), VXLAN_PORT, to.ip, error => (error === null ? resolve() : reject(error))),
    );
    if (i % 20 === 19) await delay(PAUSE_MS);
  }
  await new Promise<void>(resolve => socket.close(() => resolve()));
};
