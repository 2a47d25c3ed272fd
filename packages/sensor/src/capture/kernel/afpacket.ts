// SPDX-License-Identifier: Apache-2.0
/**
 * The fast driver: a VXLAN device of the kernel for each endpoint takes the outer header off, Suricata reads the device with its own
 * AF_PACKET capture, and no packet passes through this process.
 *
 * The device is there from `open` to `close`, also while Suricata is restarted: what comes then is counted by the kernel and lost. It takes
 * its VNI at every address of the host; packets of other VNIs are dropped by the kernel uncounted. Somebody else may delete it or set it
 * down: then Suricata's socket is dead for good, so it is ended, the device is made again, and Suricata started again.
 */
import {pauseUntil} from '../../pause.ts';
import type {Timer} from '../../ports.ts';
import {messageOf, SensorError} from '../../sensor-error.ts';
import {capabilityNames, missingCapabilities, whyNoCapabilities} from '../../suricata/launch.ts';
import type {Capture, CaptureCounters, CaptureFactory, CaptureOptions, CaptureWish, EngineCapture} from '../capture.ts';
import {VXLAN_PORT} from '../vxlan.ts';
import {AF_PACKET_ARGS, afPacketConfig} from './af-packet-config.ts';
import {EngineGap} from './engine-gap.ts';
import {addDevice, type DeviceOwner, deviceName, deviceOwner, findIp, isOwnAddress, removeDevice} from './ip-link.ts';
import {
  countPacketSockets,
  type InterfaceCounts,
  parseInterfaceTable,
  readTable,
  workerSwitches,
} from './kernel-tables.ts';
import {untilRingIsRead} from './ring-read.ts';

/** The kernel counts received bytes behind it. Ref: linux eth_type_trans. */
const ETHERNET_HEADER_BYTES = 14;
const SOCKET_POLL_MS = 20;
const NOTHING: InterfaceCounts = {bytes: 0, packets: 0, errors: 0};

const addressError = (ip: string, vni: number, error: unknown): SensorError => {
  const words = messageOf(error);
  const at = `VXLAN device for VNI ${vni} at ${ip}`;
  const reason = words.includes('specified VNI already exists')
    ? `a device on this host, perhaps of another server, has the VNI ${vni} already: delete the device if nobody needs it, or start the server with --driver afpacket-bpf or relay`
    : words.includes('Address already in use')
      ? `UDP ${VXLAN_PORT} is in use by another program, and the kernel needs it at all addresses of the host: stop it, or start the server with --driver afpacket-bpf or relay`
      : words;
  return new SensorError('address', `${at}: ${reason}`, {cause: error});
};

class AfPacket implements Capture {
  readonly args = AF_PACKET_ARGS;
  readonly config: string;
  readonly endsInput = false;
  readonly keepsPackets = false;
  readonly #options: CaptureOptions;
  readonly #owner: DeviceOwner;
  readonly #name: string;
  readonly #gap: EngineGap;
  #index: number;
  #open = true;
  /** Of devices that are gone. */
  #before = NOTHING;
  #now = NOTHING;
  /** Suricata's socket was seen on the device in this run. */
  #attached = false;
  #running = false;
  #cut: string | undefined;
  #stopDrops = 0;
  #crashDrops = 0;
  #timer: Timer | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: CaptureOptions, owner: DeviceOwner, index: number) {
    this.#options = options;
    this.#owner = owner;
    this.#name = deviceName(owner, options.spec.vni);
    this.#index = index;
    this.#gap = new EngineGap(options.limits.engineLagMs);
    this.config = afPacketConfig([{name: this.#name}], options.spec.vni);
    this.#watch();
  }

  async attach(): Promise<void> {
    await this.#look();
    if (this.#cut !== undefined) await this.#inTurn(() => this.#makeAgain());
    this.#running = true;
  }

  /** Its threads open their socket soon after it says that it started. */
  async started(): Promise<void> {
    const {timers, limits, clock} = this.#options;
    await pauseUntil(timers, {everyMs: SOCKET_POLL_MS, mostMs: limits.intakeDrainMs}, async () => {
      await this.#look();
      return this.#attached;
    });
    this.#gap.runs(true, clock.now());
  }

  async #makeAgain(): Promise<void> {
    const {spec, log} = this.#options;
    await removeDevice(this.#name);
    this.#before = this.#total();
    this.#now = NOTHING;
    this.#index = await addDevice(this.#owner, spec.vni, spec.ip);
    log.warn({endpoint: spec.endpoint, device: this.#name, why: this.#cut}, 'capture device was made again');
    this.#cut = undefined;
  }

  async detach(): Promise<void> {
    this.#running = false;
    this.#attached = false;
    this.#gap.runs(false, this.#options.clock.now());
    await this.#look();
  }

  /** Suricata stops reading when it is asked to end, so it gets time for what is in its ring. */
  async finish(pid: number | undefined): Promise<void> {
    const {timers, limits} = this.#options;
    if (this.#attached && pid !== undefined) await untilRingIsRead(pid, timers, limits.intakeDrainMs);
    this.#timer?.cancel();
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    this.#running = false;
    this.#timer?.cancel();
    try {
      await this.#look();
    } finally {
      this.#gap.runs(false, this.#options.clock.now());
      await removeDevice(this.#name);
    }
  }

  #watch(): void {
    const {timers, limits, log, spec} = this.#options;
    this.#timer = timers.after(limits.watchMs, () => {
      void this.#look()
        .catch((error: unknown) =>
          log.warn({endpoint: spec.endpoint, error: messageOf(error)}, 'capture device not readable'),
        )
        .finally(() => {
          if (this.#open) this.#watch();
        });
    });
  }

  /** One at a time: a device that is being made again is not looked at. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  #look(): Promise<void> {
    return this.#inTurn(() => this.#read());
  }

  /** The kernel's counts, and whether Suricata's socket is still on the device. */
  async #read(): Promise<void> {
    const [devices, sockets] = await Promise.all([readTable('dev'), readTable('packet')]);
    const counts = parseInterfaceTable(devices, this.#name);
    const hasSocket = countPacketSockets(sockets, this.#index) > 0;
    if (counts === undefined) this.#cut ??= `the device ${this.#name} was removed`;
    else if (this.#attached && this.#running && !hasSocket)
      this.#cut ??= `the device ${this.#name} was set down or replaced`;
    if (counts !== undefined && counts.packets >= this.#now.packets) this.#now = counts;
    if (this.#running && hasSocket) this.#attached = true;
    this.#gap.sample(this.#options.clock.now(), this.#total().packets);
  }

  #total(): InterfaceCounts {
    const [before, now] = [this.#before, this.#now];
    return {
      bytes: before.bytes + now.bytes,
      packets: before.packets + now.packets,
      errors: before.errors + now.errors,
    };
  }

  counters(engine: EngineCapture): CaptureCounters {
    const {bytes, packets, errors} = this.#total();
    const missed = this.#gap.missed(this.#options.clock.now(), engine.kernelPackets, engine.reports);
    if (this.#open) this.#crashDrops = missed;
    else this.#stopDrops = Math.max(missed - this.#crashDrops, 0);
    const [crash, stop] = [this.#crashDrops, this.#stopDrops];
    return {
      received: packets,
      bytes: bytes + packets * ETHERNET_HEADER_BYTES,
      drops: {kernel: engine.kernelDrops, socket: 0, queue: 0, crash, stop, notCaptured: 0},
      malformed: errors,
      malformedInPart: true,
      foreignVni: undefined,
      lastForeignVni: undefined,
      refusedSender: 0, // --mirror-from is refused with this driver
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
      : `no packets arrive: ${this.#cut} by somebody else; it is being made again, and Suricata restarted`;
  }
}

/** Made, set up and removed again: what is permitted is found out by doing it. */
const tryDevice = async (dataDir: string): Promise<string | undefined> => {
  const owner = await deviceOwner(dataDir);
  let words = '';
  for (let vni = PROBE_VNI_LAST; vni > PROBE_VNI_LAST - PROBES; vni--) {
    try {
      await addDevice(owner, vni, '127.0.0.1');
      await removeDevice(deviceName(owner, vni));
      return undefined;
    } catch (error) {
      words = messageOf(error);
      if (!words.includes('already exists')) break;
    }
  }
  return words.includes('Address already in use')
    ? `UDP ${VXLAN_PORT} is in use by another program of this host`
    : `the kernel does not make a VXLAN device: ${words}`;
};

/** VNIs that the probe takes: an endpoint gets one of the highest last. */
const PROBE_VNI_LAST = 0xff_ff_ff;
const PROBES = 8;

const unusable = async ({launcher, dataDir, acceptAnyVni, mirrorFrom}: CaptureWish): Promise<string | undefined> => {
  const elsewhere = 'use --driver afpacket-bpf or relay';
  if (acceptAnyVni) return `a device of the kernel takes one VNI only, so not with --accept-any-vni: ${elsewhere}`;
  if (mirrorFrom.length > 0) return `a device of the kernel takes any sender, so not with --mirror-from: ${elsewhere}`;
  if (findIp() === undefined) return 'the program ip is missing: install the package iproute2';
  const missing = await missingCapabilities(['net_admin'], launcher.runAs === undefined ? 'CapAmb' : 'CapEff');
  if (missing.length > 0)
    return `the server lacks ${capabilityNames(missing)}: start it as root, or give it that as an ambient capability`;
  return (await whyNoCapabilities(launcher, ['net_raw'])) ?? (await tryDevice(dataDir));
};

export const afpacketCapture: CaptureFactory = {
  driver: 'afpacket',
  capabilities: ['net_raw'],
  encapsulations: ['VXLAN'],
  decodeVxlan: true, // the outer header is off: what is decoded is a tunnel of the mirrored network
  note: 'driver afpacket takes VXLAN only, no GENEVE, and the kernel drops packets of other VNIs without counting them; to take or count them, use --driver afpacket-bpf or relay',
  unusable,
  open: async options => {
    const {spec, dataDir} = options;
    if (!(await isOwnAddress(spec.ip).catch(() => false)))
      throw new SensorError(
        'address',
        `UDP ${VXLAN_PORT} at ${spec.ip}: the address is not on this host; choose an endpoint pool with addresses of this host`,
      );
    const owner = await deviceOwner(dataDir);
    try {
      return new AfPacket(options, owner, await addDevice(owner, spec.vni, spec.ip));
    } catch (error) {
      throw addressError(spec.ip, spec.vni, error);
    }
  },
};
