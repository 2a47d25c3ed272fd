// SPDX-License-Identifier: Apache-2.0
/** The capture port: how packets of one endpoint get into its Suricata. One implementation per driver. */

import type {SensorLimits} from '../limits.ts';
import type {CaptureDriver, Clock, Log, SensorSpec, Timers} from '../ports.ts';
import type {Capability, Launcher} from '../suricata/launch.ts';
import type {RunAs} from '../suricata/process.ts';

/**
 * `kernel`: the packet ring of Suricata's own capture was full; `socket`: the kernel's receive buffer was; `queue`: ours was; `crash`: lost
 * when Suricata crashed, or while it was down; `stop`: left at a stop; `notCaptured`: arrived on an interface that Suricata does not read.
 */
export type CaptureDrops = {
  readonly kernel: number;
  readonly socket: number;
  readonly queue: number;
  readonly crash: number;
  readonly stop: number;
  readonly notCaptured: number;
};

/** What Suricata counts of its own capture, summed over its runs since `open`. Ref: Suricata 7 source-af-packet.c. */
export type EngineCapture = {
  /** With those that it dropped. */
  readonly kernelPackets: number;
  readonly kernelDrops: number;
  /** Those that it decoded, as they came: with their outer headers where it takes these off itself. */
  readonly packets: number;
  readonly bytes: number;
  /** Of `packets`: VXLAN with a frame inside that it does not look into. */
  readonly unknownInner: number;
  /** How often it has reported all these. */
  readonly reports: number;
};

/** Since `open`. */
export type CaptureCounters = {
  /** Mirrored packets that arrived, but those dropped in `socket`. */
  readonly received: number;
  /** Of the inner frames of `received`. */
  readonly bytes: number;
  readonly drops: CaptureDrops;
  readonly malformed: number;
  /** Others are dropped before this driver can count them. */
  readonly malformedInPart?: boolean | undefined;
  /** Packets that carry the VNI of somebody else; neither received nor dropped. Undefined: this driver cannot count them. */
  readonly foreignVni: number | undefined;
  /** That of the last of them, where it is known. */
  readonly lastForeignVni: number | undefined;
  /** Packets of senders that `--mirror-from` does not name; neither received nor dropped. Undefined: this driver cannot count them. */
  readonly refusedSender: number | undefined;
  /** The address of the last of them, where it is known. */
  readonly lastRefusedSender?: string | undefined;
  /** Of `received`: Suricata cannot look into them with this driver, others can. Absent: there are no such packets. */
  readonly notInspectable?: number | undefined;
};

/**
 * Order of calls: `attach` → spawn Suricata with `args` → `started` → … → process gone → `detach` → `attach` (restart) … → `finish` or `close`.
 * The intake is open from `open` to `finish`/`close`.
 */
export interface Capture {
  /** Suricata's arguments that name this capture. */
  readonly args: readonly string[];
  /** Sections of suricata.yaml that are this capture's own. */
  readonly config: string;
  /** After `finish` Suricata ends by itself; otherwise it has to be asked to. */
  readonly endsInput: boolean;
  /** What arrives while no Suricata runs waits for the next one; otherwise it is dropped and counted. */
  readonly keepsPackets: boolean;
  /** Makes the way in; after it Suricata may be spawned in the folder. */
  attach(): Promise<void>;
  /** Suricata reads. */
  started?(): void | Promise<void>;
  /** The process is gone: what it did not read is kept for the next one. */
  detach(): Promise<void>;
  /**
   * Stops the intake, hands everything taken in to the running Suricata (if any; its process is `pid`), then ends its input. Bounded in
   * time.
   */
  finish(pid: number | undefined): Promise<void>;
  /** Frees everything at once, after Suricata's end; what no Suricata has taken is dropped and counted. Idempotent. */
  close(): Promise<void>;
  counters(engine: EngineCapture): CaptureCounters;
  /** How long Suricata, the process `pid`, has read nothing although packets wait; 0 when nothing waits. */
  stalledMs(pid: number): number;
  /** Why Suricata gets no packets until it is started again; undefined: it does. */
  cut?(): string | undefined;
  /** What is wrong with the way in, with the way out; undefined: nothing. */
  problem?(): string | undefined;
}

export type CaptureOptions = {
  readonly spec: SensorSpec;
  readonly folder: string;
  /** Data folder of all sensors: what is made outside it is named after it. */
  readonly dataDir: string;
  readonly runAs: RunAs | undefined;
  /** Takes packets whatever their VNI. */
  readonly acceptAnyVni: boolean;
  /** Words of `parseMirrorFrom` without faults; empty: any sender. */
  readonly mirrorFrom: readonly string[];
  /** Interfaces that mirrored packets arrive on; empty: chosen by the driver. */
  readonly captureInterfaces: readonly string[];
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly limits: SensorLimits;
};

/** What a host wants of its driver. */
export type CaptureWish = {
  readonly launcher: Launcher;
  readonly dataDir: string;
  /** The Suricata program; undefined: the usual one. */
  readonly suricata: string | undefined;
  readonly timers: Timers;
  readonly acceptAnyVni: boolean;
  readonly mirrorFrom: readonly string[];
  readonly captureInterfaces: readonly string[];
};

export type Encapsulation = 'VXLAN' | 'GENEVE';

export type CaptureFactory = {
  readonly driver: CaptureDriver;
  /** What Suricata needs for it. */
  readonly capabilities: readonly Capability[];
  readonly encapsulations: readonly Encapsulation[];
  /** Suricata decodes VXLAN in the frames that it gets. */
  readonly decodeVxlan: boolean;
  /** What is to be known of it although all is well. */
  readonly note: string | undefined;
  /** Why it cannot be used here, with the way out, as found out by trying; undefined: it can. */
  readonly unusable: (wish: CaptureWish) => Promise<string | undefined>;
  /** Opens the intake. Throws SensorError `address`; nothing stays then. */
  readonly open: (options: CaptureOptions) => Promise<Capture>;
};
