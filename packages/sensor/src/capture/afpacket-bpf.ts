// SPDX-License-Identifier: Apache-2.0
/**
 * The driver that needs CAP_NET_RAW alone: Suricata reads the real interfaces with its own AF_PACKET capture and a filter for the
 * endpoint's address, ports and VNI, and takes the outer headers off itself.
 *
 * The UDP ports have an owner that reads next to nothing (port-owner.ts). What arrived there and is not in Suricata's count is of a foreign
 * VNI, malformed, of a refused sender, or came while no Suricata ran; the few datagrams that are looked at say which.
 */
import {networkInterfaces} from 'node:os';
import type {Timer} from '../ports.ts';
import {messageOf, SensorError} from '../sensor-error.ts';
import {whyNoCapabilities} from '../suricata/launch.ts';
import {AF_PACKET_ARGS, afPacketConfig} from './af-packet-config.ts';
import {bpfFilter} from './bpf-filter.ts';
import type {Capture, CaptureCounters, CaptureFactory, CaptureOptions, EngineCapture} from './capture.ts';
import {EngineGap} from './engine-gap.ts';
import {parseDefaultRoutes, parseInterfaceTable, readTable, workerSwitches} from './kernel-tables.ts';
import {type OwnedPorts, PortOwner, type PortSamples} from './port-owner.ts';

/** Ethernet, IPv4, UDP, VXLAN; GENEVE with options has more. */
const OUTER_BYTES = 14 + 20 + 8 + 8;
const LOOPBACK = 'lo';
/** How often the owner of the ports looks: it is the cost of a driver that reads nothing. */
const LOOK_MS = 2_000;

/** Where packets to the address may come from. */
export const interfacesFor = (ip: string, defaultRoutes: readonly string[]): readonly string[] => {
  if (ip.startsWith('127.')) return [LOOPBACK];
  const holders = Object.entries(networkInterfaces())
    .filter(([, addresses]) => addresses?.some(({address}) => address === ip))
    .map(([name]) => name);
  return [...new Set([LOOPBACK, ...defaultRoutes, ...holders])];
};

type Split = {readonly foreign: number; readonly malformed: number; readonly refused: number; readonly own: number};

/** What the packets are that Suricata did not see, by the samples; without a sample of another kind, of a foreign VNI. */
export const splitOf = (missed: number, {foreign, malformed, refused, own}: PortSamples): Split => {
  const others = foreign + malformed + refused;
  if (others === 0) return {foreign: own === 0 ? missed : 0, malformed: 0, refused: 0, own: own === 0 ? 0 : missed};
  const malformedPart = Math.round((missed * malformed) / others);
  const refusedPart = Math.min(Math.round((missed * refused) / others), missed - malformedPart);
  return {malformed: malformedPart, refused: refusedPart, foreign: missed - malformedPart - refusedPart, own: 0};
};

class AfPacketBpf implements Capture {
  readonly args = AF_PACKET_ARGS;
  readonly config: string;
  readonly endsInput = false;
  readonly #options: CaptureOptions;
  readonly #ports: OwnedPorts;
  readonly #interfaces: readonly string[];
  readonly #gap: EngineGap;
  #open = true;
  #running = false;
  #cut: string | undefined;
  #timer: Timer | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: CaptureOptions, ports: OwnedPorts, interfaces: readonly string[]) {
    const {spec, acceptAnyVni, mirrorFrom, limits} = options;
    this.#options = options;
    this.#ports = ports;
    this.#interfaces = interfaces;
    this.#gap = new EngineGap(limits.engineLagMs);
    const filter = bpfFilter(spec.ip, acceptAnyVni ? undefined : spec.vni, mirrorFrom);
    this.config = afPacketConfig(
      interfaces.map(name => ({name, filter})),
      spec.vni,
    );
    this.#watch();
  }

  async attach(): Promise<void> {
    this.#cut = undefined;
    await this.#look();
    if (this.#cut !== undefined)
      throw new SensorError('start-failed', `${this.#cut}: bring it back, or name others with --capture-interface`);
    this.#running = true;
    this.#gap.runs(true, this.#options.clock.now());
  }

  async detach(): Promise<void> {
    this.#running = false;
    this.#gap.runs(false, this.#options.clock.now());
    await this.#look();
  }

  /** Suricata stops reading when it is asked to end, so it gets time for what is in its ring. */
  async finish(): Promise<void> {
    const {timers, limits} = this.#options;
    if (this.#running) await new Promise<void>(done => timers.after(limits.intakeDrainMs, done));
    this.#timer?.cancel();
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    this.#running = false;
    this.#timer?.cancel();
    await this.#looking;
    await this.#ports.close();
    await this.#look();
    this.#gap.runs(false, this.#options.clock.now());
  }

  #watch(): void {
    const {timers, limits, log, spec} = this.#options;
    this.#timer = timers.after(limits.watchMs, () => {
      this.#looking = this.#look()
        .catch((error: unknown) =>
          log.warn({endpoint: spec.endpoint, error: messageOf(error)}, 'capture interfaces not readable'),
        )
        .finally(() => {
          if (this.#open) this.#watch();
        });
    });
  }

  async #look(): Promise<void> {
    const table = await readTable('dev');
    const gone = this.#interfaces.filter(name => parseInterfaceTable(table, name) === undefined);
    if (gone.length > 0) this.#cut ??= `the capture interface ${gone.join(', ')} is not there`;
    this.#gap.sample(this.#options.clock.now(), this.#ports.samples().total);
  }

  counters(engine: EngineCapture): CaptureCounters {
    const samples = this.#ports.samples();
    const missed = splitOf(this.#gap.missed(this.#options.clock.now(), engine), samples);
    const {packets, bytes, kernelDrops} = engine;
    return {
      received: packets + kernelDrops + missed.own,
      bytes: Math.max(bytes - packets * OUTER_BYTES, 0),
      drops: {kernel: kernelDrops, socket: 0, queue: 0, crash: missed.own, stop: 0},
      malformed: missed.malformed,
      foreignVni: missed.foreign,
      lastForeignVni: samples.lastForeignVni,
      refusedSender: missed.refused,
    };
  }

  stalledMs(pid: number): number {
    return this.#gap.stalledMs(this.#options.clock.now(), workerSwitches(pid));
  }

  cut(): string | undefined {
    return this.#cut;
  }

  problem(): string | undefined {
    return this.#cut === undefined
      ? undefined
      : `no packets arrive: ${this.#cut}; bring it back, or name others with --capture-interface`;
  }
}

const owner = new PortOwner(LOOK_MS);

export const afpacketBpfCapture: CaptureFactory = {
  driver: 'afpacket-bpf',
  capabilities: ['net_raw'],
  encapsulations: ['VXLAN', 'GENEVE'],
  decodeVxlan: true, // of the mirror itself, and of tunnels inside it
  note: undefined,
  unusable: ({launcher}) => whyNoCapabilities(launcher, ['net_raw']),
  open: async options => {
    const {spec, acceptAnyVni, mirrorFrom, captureInterfaces} = options;
    const interfaces =
      captureInterfaces.length > 0
        ? captureInterfaces
        : interfacesFor(spec.ip, parseDefaultRoutes(await readTable('route')));
    const ports = await owner.open({ip: spec.ip, vni: spec.vni, acceptAnyVni, mirrorFrom});
    return new AfPacketBpf(options, ports, interfaces);
  },
};
