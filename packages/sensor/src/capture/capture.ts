// SPDX-License-Identifier: Apache-2.0
/** The capture port: how packets of one endpoint get into its Suricata. One implementation per driver. */

import type {SensorLimits} from '../limits.ts';
import type {CaptureDriver, Clock, Log, SensorSpec, Timers} from '../ports.ts';
import type {Capability} from '../suricata/launch.ts';
import type {RunAs} from '../suricata/process.ts';

/**
 * `kernel`: the packet ring of Suricata's own capture was full; `socket`: the kernel's receive buffer was; `queue`: ours was; `crash`: lost
 * when Suricata crashed, or while it was down; `stop`: left at a stop.
 */
export type CaptureDrops = {
  readonly kernel: number;
  readonly socket: number;
  readonly queue: number;
  readonly crash: number;
  readonly stop: number;
};

/** What Suricata counts of its own capture, summed over its runs since `open`. Ref: Suricata 7 source-af-packet.c. */
export type EngineCapture = {
  /** With those that it dropped. */
  readonly kernelPackets: number;
  readonly kernelDrops: number;
};

/** Since `open`. */
export type CaptureCounters = {
  /** Mirrored packets that arrived, but those dropped in `socket`. */
  readonly received: number;
  /** Of the inner frames of `received`. */
  readonly bytes: number;
  readonly drops: CaptureDrops;
  readonly malformed: number;
  /** Packets that carry the VNI of somebody else; neither received nor dropped. Undefined: this driver cannot count them. */
  readonly foreignVni: number | undefined;
  /** That of the last of them, where it is known. */
  readonly lastForeignVni: number | undefined;
  /** Packets of senders that `--mirror-from` does not name; neither received nor dropped. Undefined: this driver cannot count them. */
  readonly refusedSender: number | undefined;
  /** The address of the last of them, where it is known. */
  readonly lastRefusedSender?: string | undefined;
};

/**
 * Order of calls: `attach` → spawn Suricata with `args` → … → process gone → `detach` → `attach` (restart) … → `finish` or `close`.
 * The intake is open from `open` to `finish`/`close`; while no Suricata runs, packets wait in the queue.
 */
export interface Capture {
  /** Suricata's arguments that name this capture. */
  readonly args: readonly string[];
  /** Makes the way in; after it Suricata may be spawned in the folder. */
  attach(): Promise<void>;
  /** The process is gone: what it did not read is kept for the next one. */
  detach(): Promise<void>;
  /** Stops the intake, hands everything taken in to the running Suricata (if any), then ends its input. Bounded in time. */
  finish(): Promise<void>;
  /** Frees everything at once, after Suricata's end; what no Suricata has taken is dropped and counted. Idempotent. */
  close(): Promise<void>;
  counters(engine: EngineCapture): CaptureCounters;
  /** How long Suricata has read nothing although packets wait; 0 when nothing waits. */
  stalledMs(): number;
}

export type CaptureOptions = {
  readonly spec: SensorSpec;
  readonly folder: string;
  readonly runAs: RunAs | undefined;
  /** Takes packets whatever their VNI. */
  readonly acceptAnyVni: boolean;
  /** Words of `parseMirrorFrom` without faults; empty: any sender. */
  readonly mirrorFrom: readonly string[];
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly limits: SensorLimits;
};

export type CaptureFactory = {
  readonly driver: CaptureDriver;
  /** What Suricata needs for it. */
  readonly capabilities: readonly Capability[];
  /** Suricata decodes VXLAN in the frames that it gets. */
  readonly decodeVxlan: boolean;
  /** Opens the intake. Throws SensorError `address`; nothing stays then. */
  readonly open: (options: CaptureOptions) => Promise<Capture>;
};
