// SPDX-License-Identifier: Apache-2.0
/**
 * The driver that needs no privilege: UDP sockets at endpointIp (VXLAN, GENEVE) → outer header off → capture stream → named pipe →
 * `suricata -r`.
 *
 * Suricata starts only at the first packet record, and in file mode all time is packet time: so a filler frame of an experimental
 * EtherType is written at once and then each second. It brings its counters up to date only between batches of frames, so after packets
 * whole batches of fillers follow: the counts in its `stats` events are then those of every packet, soon.
 */
import {join} from 'node:path';
import {pauseUntil} from '../pause.ts';
import type {Timer} from '../ports.ts';
import type {Capture, CaptureCounters, CaptureFactory, CaptureOptions} from './capture.ts';
import {FifoWriter, makeFifo} from './fifo.ts';
import {FrameQueue, pcapHeader} from './frame-queue.ts';
import {workerSwitches} from './kernel/kernel-tables.ts';
import {ThreadLife} from './thread-life.ts';
import {UdpIntake} from './udp-intake.ts';

export const FIFO_FILE = 'packets.fifo';
/** Shortest Ethernet frame without checksum. */
const FILLER_BYTES = 60;
/** IEEE 802 local experimental EtherType 1: no rule looks at it. */
const FILLER_ETHERTYPE = 0x88b5;
const DRAIN_POLL_MS = 20;
/** Ref: suricata 7 source-pcap-file-helper.c, PcapFileDispatch, packet_q_len. */
const READ_BATCH_FRAMES = 64;
/** Beats after a packet with a whole batch: Suricata asks its threads for their counters every 3 s. Ref: suricata 7 counters.c, STATS_WUT_TTS. */
const BATCH_BEATS = 4;

const fillerFrame = (): Buffer => {
  const frame = Buffer.alloc(FILLER_BYTES);
  frame.writeUInt16BE(FILLER_ETHERTYPE, 12);
  return frame;
};

class Relay implements Capture {
  readonly args = ['-r', FIFO_FILE, '--runmode', 'single'];
  readonly config = '';
  readonly endsInput = true;
  readonly keepsPackets = true;
  readonly #options: CaptureOptions;
  readonly #intake: UdpIntake;
  readonly #queue: FrameQueue;
  readonly #filler = fillerFrame();
  readonly #isPacket = (frame: Buffer): boolean => !frame.equals(this.#filler);
  #fifo: FifoWriter | undefined;
  #writing = false;
  #detaching = false;
  #scheduled = false;
  /** Of the write in flight, in whole watch intervals. */
  #stalledMs = 0;
  readonly #life = new ThreadLife();
  #receivedAtBeat = 0;
  #batchBeats = 0;
  #queueDrops = 0;
  #crashDrops = 0;
  #stopDrops = 0;
  #fillerTimer: Timer | undefined;
  #watchTimer: Timer | undefined;

  constructor(options: CaptureOptions) {
    this.#options = options;
    this.#queue = new FrameQueue(options.limits.chunkBytes, options.limits.queueBytesMax);
    this.#intake = new UdpIntake(options, (datagram, start, madeUpHeader) =>
      this.#onFrame(datagram, start, madeUpHeader),
    );
  }

  /** Throws SensorError `address`; nothing is open then. */
  async open(): Promise<this> {
    await this.#intake.open();
    this.#watch();
    return this;
  }

  #onFrame(datagram: Buffer, start: number, madeUpHeader: Buffer | undefined): void {
    if (!this.#queue.push(datagram, start, this.#options.clock.now(), madeUpHeader)) this.#queueDrops++;
    else if (!this.#writing) this.#pumpSoon();
  }

  /** With what comes within `relayBatchMs`: one write, and one wake-up of Suricata, for all of it. */
  #pumpSoon(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#options.timers.after(this.#options.limits.relayBatchMs, () => {
      this.#scheduled = false;
      if (!this.#writing) this.#pump();
    });
  }

  #pump(): void {
    const fifo = this.#fifo;
    const bytes = fifo === undefined ? undefined : this.#queue.next();
    if (fifo === undefined || bytes === undefined || this.#detaching) return;
    this.#writing = true;
    void fifo.write(bytes).then(written => {
      this.#writing = false;
      this.#stalledMs = 0;
      if (!written) return;
      this.#queue.wrote(bytes.length);
      this.#pump();
    });
  }

  async attach(): Promise<void> {
    const path = join(this.#options.folder, FIFO_FILE);
    await makeFifo(path, this.#options.runAs);
    const fifo = await FifoWriter.open(path);
    await fifo.write(pcapHeader());
    this.#queue.beginReader();
    this.#fifo = fifo;
    this.#beat();
  }

  /** One filler now, and each second from now on; a whole batch while packets come, and a little longer. */
  #beat(): void {
    const {received} = this.#intake;
    if (received > this.#receivedAtBeat) this.#batchBeats = BATCH_BEATS;
    this.#receivedAtBeat = received;
    const isBatch = this.#batchBeats > 0 && this.#queue.pendingBytes === 0; // else packets fill the batches
    if (isBatch) this.#batchBeats--;
    const count = isBatch ? READ_BATCH_FRAMES : 1;
    const nowMs = this.#options.clock.now();
    for (let i = 0; i < count; i++) this.#queue.push(this.#filler, 0, nowMs);
    if (!this.#writing) this.#pump();
    this.#fillerTimer = this.#options.timers.after(this.#options.limits.fillerMs, () => this.#beat());
  }

  async detach(): Promise<void> {
    const unread = await this.#takeBack();
    if (unread !== undefined) this.#crashDrops += this.#queue.rewind(unread, this.#isPacket);
  }

  /** The pipe goes; resolves to the bytes that were left in it, undefined when there was none. */
  async #takeBack(): Promise<number | undefined> {
    this.#fillerTimer?.cancel();
    const fifo = this.#fifo;
    if (fifo === undefined) return undefined;
    this.#detaching = true;
    const unread = await fifo.takeUnread();
    this.#fifo = undefined; // only now: the write in flight has been accounted for
    this.#detaching = false;
    await fifo.close();
    return unread;
  }

  async finish(): Promise<void> {
    await this.#intake.drain();
    await this.#closeIntake();
    this.#fillerTimer?.cancel();
    const {limits, log, spec, timers} = this.#options;
    const waiting = (): boolean => this.#fifo !== undefined && (this.#queue.pendingBytes > 0 || this.#writing);
    await pauseUntil(timers, {everyMs: DRAIN_POLL_MS, mostMs: limits.exitTimeoutMs}, async () => !waiting());
    if (!waiting()) return this.#fifo?.end();
    const fields = {endpoint: spec.endpoint, bytes: this.#queue.pendingBytes};
    log.warn(fields, 'Suricata did not read all packets before the stop'); // it may go on until it is ended
  }

  async #closeIntake(): Promise<void> {
    this.#watchTimer?.cancel();
    await this.#intake.close();
  }

  async close(): Promise<void> {
    await this.#closeIntake();
    const unread = (await this.#takeBack()) ?? 0;
    if (unread > 0) this.#stopDrops += this.#queue.rewind(unread, this.#isPacket);
    this.#stopDrops += this.#queue.discard(this.#isPacket);
  }

  #watch(): void {
    const {timers, limits} = this.#options;
    this.#watchTimer = timers.after(limits.watchMs, () => {
      if (this.#writing) this.#stalledMs += limits.watchMs;
      this.#watch();
    });
  }

  counters(): CaptureCounters {
    const {drops: socket, ...taken} = this.#intake.counters();
    const [queue, crash, stop] = [this.#queueDrops, this.#crashDrops, this.#stopDrops];
    return {...taken, drops: {kernel: 0, socket, queue, crash, stop, notCaptured: 0}};
  }

  /** Fillers come all the time, so a thread that reads has moved since the last but one. Of a full pipe that is known of any program. */
  stalledMs(pid: number): number {
    const {clock, limits} = this.#options;
    const stoodStillMs = this.#life.stoodStillMs(clock.now(), pid, workerSwitches(pid));
    return Math.max(this.#stalledMs, stoodStillMs > 2 * limits.fillerMs ? stoodStillMs : 0);
  }
}

export const relayCapture: CaptureFactory = {
  driver: 'relay',
  capabilities: [],
  encapsulations: ['VXLAN', 'GENEVE'],
  note: undefined,
  unusable: async () => undefined,
  decodeVxlan: true, // our header is off: what is decoded is a tunnel of the mirrored network
  open: options => new Relay(options).open(),
};
