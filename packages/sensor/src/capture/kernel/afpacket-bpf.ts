// SPDX-License-Identifier: Apache-2.0
/**
 * The driver that needs CAP_NET_RAW alone: Suricata reads the real interfaces with its own AF_PACKET capture and a filter for the
 * endpoint's address, ports and VNI, and takes the outer headers off itself.
 *
 * The UDP ports have an owner that reads next to nothing (port-owner.ts). What arrived there and is not in Suricata's count is of a foreign
 * VNI, malformed, of a refused sender, or came while no Suricata ran; the few datagrams that are looked at say which.
 */
import {pauseUntil} from '../../pause.ts';
import type {Timer} from '../../ports.ts';
import {messageOf, SensorError} from '../../sensor-error.ts';
import {whyNoCapabilities} from '../../suricata/launch.ts';
import type {Capture, CaptureCounters, CaptureFactory, CaptureOptions, EngineCapture} from '../capture.ts';
import {AF_PACKET_ARGS, afPacketConfig} from './af-packet-config.ts';
import {bpfFilter} from './bpf-filter.ts';
import {type Chosen, chooseInterfaces, LOOPBACK, whyNoInterface} from './choose-interfaces.ts';
import {EngineGap} from './engine-gap.ts';
import {countPacketSockets, parseInterfaceTable, readTable, workerSwitches} from './kernel-tables.ts';
import {whyNoPacketSocket} from './packet-socket.ts';
import {type OwnedPorts, PortOwner, type PortSamples} from './port-owner.ts';
import {untilRingIsRead} from './ring-read.ts';

/** Ethernet, IPv4, UDP, VXLAN; GENEVE with options has more. */
const OUTER_BYTES = 14 + 20 + 8 + 8;
const SOCKET_POLL_MS = 20;
/** How often the owner of the ports looks: it is the cost of a driver that reads nothing. */
const LOOK_MS = 2_000;

type Split = {readonly foreign: number; readonly malformed: number; readonly refused: number; readonly own: number};

/**
 * What the packets are that Suricata did not see. `down`: of all that arrived, those that came while no Suricata ran. Of the datagrams that
 * were looked at the shares are those of all; where none of them says more, they are of a foreign VNI.
 */
export const splitOf = (missed: number, down: number, samples: PortSamples): Split => {
  const {foreign, malformed, refused, own} = samples;
  const others = foreign + malformed + refused;
  const ownPart = own === 0 ? 0 : Math.min(Math.round((down * own) / (own + others)), missed);
  const rest = missed - ownPart;
  if (others === 0) return {own: ownPart, foreign: rest, malformed: 0, refused: 0};
  const malformedPart = Math.round((rest * malformed) / others);
  const refusedPart = Math.min(Math.round((rest * refused) / others), rest - malformedPart);
  return {own: ownPart, malformed: malformedPart, refused: refusedPart, foreign: rest - malformedPart - refusedPart};
};

/**
 * Packets of the endpoint that arrive on an interface that Suricata does not read: all that were looked at are the endpoint's own, and most
 * of what arrived is not in Suricata's count. `before`: what was taken for such packets already, which stays so.
 */
export const unseenOf = (
  missed: Split,
  inspected: number,
  {own, foreign, malformed, refused}: PortSamples,
  packetsMin: number,
  before: number,
): {readonly isUnseen: boolean; readonly notCaptured: number; readonly foreign: number} => {
  const isUnseen =
    own > 0 && foreign + malformed + refused === 0 && missed.foreign > inspected && missed.foreign >= packetsMin;
  const notCaptured = isUnseen ? missed.foreign : Math.min(before, missed.foreign);
  return {isUnseen, notCaptured, foreign: missed.foreign - notCaptured};
};

class AfPacketBpf implements Capture {
  readonly args = AF_PACKET_ARGS;
  readonly endsInput = false;
  readonly keepsPackets = false;
  readonly #options: CaptureOptions;
  readonly #ports: OwnedPorts;
  #interfaces: readonly string[];
  readonly #gap: EngineGap;
  #open = true;
  /** Suricata was started, and may not read yet. */
  #spawned = false;
  /** Packets that had arrived when Suricata stopped reading; undefined: it reads. */
  #downFrom: number | undefined = 0;
  /** Packets that arrived while no Suricata read, until it last did. */
  #arrivedDown = 0;
  /** Not in Suricata's count when it was last seen reading. */
  #missingBefore = 0;
  #crashNoted = true;
  /** Packet sockets on this host before Suricata was spawned. */
  #socketsBefore = 0;
  /** What arrives does not come over these interfaces. */
  #unseen = false;
  #notCaptured = 0;
  #cut: string | undefined;
  #timer: Timer | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: CaptureOptions, ports: OwnedPorts, interfaces: Chosen) {
    const {limits} = options;
    this.#options = options;
    this.#ports = ports;
    this.#interfaces = interfaces.interfaces;
    this.#sayLeft(interfaces);
    this.#gap = new EngineGap(limits.engineLagMs);
    this.#watch();
  }

  get config(): string {
    const {spec, acceptAnyVni, mirrorFrom} = this.#options;
    const filter = bpfFilter(spec.ip, acceptAnyVni ? undefined : spec.vni, mirrorFrom);
    return afPacketConfig(
      this.#interfaces.map(name => ({name, filter})),
      spec.vni,
    );
  }

  #sayLeft({interfaces, left}: Chosen): void {
    const {log, spec} = this.#options;
    if (left.length === 0) return;
    const fields = {endpoint: spec.endpoint, read: interfaces, notRead: left};
    log.warn(fields, 'too many interfaces, some not read: name the one of the mirror with --capture-interface');
  }

  /** Those that nobody named may come and go, as those of containers do. */
  async #chooseAgain(): Promise<void> {
    const {spec, captureInterfaces} = this.#options;
    if (captureInterfaces.length > 0) return;
    this.#interfaces = (await chooseInterfaces(spec.ip)).interfaces;
  }

  async attach(): Promise<void> {
    this.#cut = undefined;
    await this.#look();
    if (this.#cut !== undefined) await this.#chooseAgain();
    if (this.#cut !== undefined)
      throw new SensorError('start-failed', `${this.#cut}: bring it back, or name others with --capture-interface`);
    this.#socketsBefore = countPacketSockets(await readTable('packet'));
    this.#spawned = true;
  }

  /** Its threads open their sockets soon after it says that it started. */
  async started(): Promise<void> {
    const {timers, limits} = this.#options;
    const expected = this.#socketsBefore + this.#interfaces.length;
    const isReading = async (): Promise<boolean> => countPacketSockets(await readTable('packet')) >= expected; // of others, too: it is a short wait at most
    await pauseUntil(timers, {everyMs: SOCKET_POLL_MS, mostMs: limits.intakeDrainMs}, isReading);
    await this.#ports.count();
    this.#arrivedDown = this.#down();
    this.#downFrom = undefined;
    this.#gap.runs(true, this.#options.clock.now());
  }

  async detach(): Promise<void> {
    await this.#ports.count();
    this.#goDown();
    await this.#chooseAgain();
    await this.#look();
  }

  #goDown(): void {
    const nowMs = this.#options.clock.now();
    const {total} = this.#ports.samples();
    this.#spawned = false;
    this.#gap.sample(nowMs, total);
    this.#gap.runs(false, nowMs);
    this.#downFrom ??= total;
  }

  #down(): number {
    return this.#arrivedDown + (this.#downFrom === undefined ? 0 : this.#ports.samples().total - this.#downFrom);
  }

  /** Suricata stops reading when it is asked to end, so it gets time for what is in its ring. */
  async finish(pid: number | undefined): Promise<void> {
    const {timers, limits} = this.#options;
    if (this.#spawned && pid !== undefined) await untilRingIsRead(pid, timers, limits.intakeDrainMs);
    this.#timer?.cancel();
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    this.#timer?.cancel();
    await this.#looking;
    this.#goDown();
    await this.#ports.close();
    await this.#look();
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

  /** A packet socket gets what goes over the loopback twice; Suricata decodes one of them. */
  get #copies(): number {
    return this.#interfaces.every(name => name === LOOPBACK) ? 2 : 1;
  }

  counters(engine: EngineCapture): CaptureCounters {
    const samples = this.#ports.samples();
    const {packets, bytes, reports} = engine;
    const kernelDrops = Math.ceil(engine.kernelDrops / this.#copies);
    const missing = this.#gap.missed(this.#options.clock.now(), packets + kernelDrops, reports);
    this.#noteCrash(missing);
    const missed = splitOf(missing, this.#down(), samples);
    const {lossPacketsMin} = this.#options.limits;
    const unseen = unseenOf(missed, packets, samples, lossPacketsMin, this.#notCaptured);
    const {notCaptured, foreign} = unseen;
    const lost = missed.own;
    this.#unseen = unseen.isUnseen;
    this.#notCaptured = notCaptured;
    return {
      received: packets + kernelDrops + lost + notCaptured,
      bytes: Math.max(bytes - packets * OUTER_BYTES, 0),
      drops: {kernel: kernelDrops, socket: 0, queue: 0, crash: lost, stop: 0, notCaptured},
      malformed: missed.malformed,
      foreignVni: foreign,
      lastForeignVni: samples.lastForeignVni,
      refusedSender: missed.refused,
      lastRefusedSender: samples.lastRefusedSender,
      notInspectable: engine.unknownInner,
    };
  }

  /** What Suricata had not counted when it ended counts as if it had come later. */
  #noteCrash(missing: number): void {
    if (this.#downFrom === undefined) {
      this.#missingBefore = missing;
      this.#crashNoted = false;
      return;
    }
    if (this.#crashNoted) return;
    this.#crashNoted = true;
    const since = this.#down() - this.#arrivedDown;
    this.#arrivedDown += Math.max(missing - this.#missingBefore - since, 0);
  }

  stalledMs(pid: number): number {
    return this.#gap.stalledMs(this.#options.clock.now(), workerSwitches(pid));
  }

  cut(): string | undefined {
    return this.#cut;
  }

  problem(): string | undefined {
    if (this.#cut !== undefined)
      return `no packets arrive: ${this.#cut}; bring it back, or name others with --capture-interface`;
    const ended = this.#ports.ended();
    if (ended !== undefined)
      return `the UDP ports of the endpoint are not held any longer (${ended}): its packets are inspected, but others are not counted, and senders hear that the port is unreachable; restart the server`;
    return this.#unseen
      ? `packets arrive, but not at ${this.#interfaces.join(', ')}: name the interface that they arrive on with --capture-interface`
      : undefined;
  }
}

const owner = new PortOwner(LOOK_MS);

export const afpacketBpfCapture: CaptureFactory = {
  driver: 'afpacket-bpf',
  capabilities: ['net_raw'],
  encapsulations: ['VXLAN', 'GENEVE'],
  decodeVxlan: true, // of the mirror itself, and of tunnels inside it
  note: undefined,
  unusable: async wish =>
    (await whyNoCapabilities(wish.launcher, ['net_raw'])) ??
    (await whyNoInterface(wish.captureInterfaces)) ??
    (await whyNoPacketSocket(wish)),
  open: async options => {
    const {spec, acceptAnyVni, mirrorFrom, captureInterfaces} = options;
    const interfaces =
      captureInterfaces.length > 0 ? {interfaces: captureInterfaces, left: []} : await chooseInterfaces(spec.ip);
    const ports = await owner.open({ip: spec.ip, vni: spec.vni, acceptAnyVni, mirrorFrom});
    return new AfPacketBpf(options, ports, interfaces);
  },
};
