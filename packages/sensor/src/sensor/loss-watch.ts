// SPDX-License-Identifier: Apache-2.0
/**
 * Judges how many of the packets that were sent to an endpoint nobody has inspected.
 *
 * I1 more than `lossRatioMax` of the last `lossWindowMs` is a problem at once, also where they were lost in a few seconds of it; it ends when
 * they are older. I2 a steady loss above `lossSteadyRatioMax` is one, too, when each of the last `lossSteadyWindows` windows had it.
 * I3 fewer than `lossPacketsMin` packets are no problem: of a handful of packets a single one is a large share.
 * Ref: contracts of the data plane, section 7, "overload".
 */
import type {CaptureCounters, CaptureDrops} from '../capture/capture.ts';
import type {SensorLimits} from '../limits.ts';
import type {WaysOut} from '../loss/ways-out.ts';

/** `engine`: Suricata had no memory for their flow, session or segment. */
export type Drops = CaptureDrops & {readonly engine: number};
export const DROP_CAUSES = [
  'kernel',
  'socket',
  'queue',
  'crash',
  'stop',
  'notCaptured',
  'engine',
] as const satisfies readonly (keyof Drops)[];

/** Totals since the start. `received` has those that were dropped later, so all but `socket`. */
export type PacketTotals = Pick<
  CaptureCounters,
  'received' | 'foreignVni' | 'lastForeignVni' | 'refusedSender' | 'lastRefusedSender' | 'notInspectable'
> & {
  readonly drops: Drops;
  /** Suricata could not decode them; without those of `notInspectable`. */
  readonly undecoded: number;
};

export type LossLimits = Pick<
  SensorLimits,
  | 'watchMs'
  | 'lossWindowMs'
  | 'lossRatioMax'
  | 'lossSteadyRatioMax'
  | 'lossSteadyWindows'
  | 'lossPacketsMin'
  | 'undecodedRatioMax'
>;

const NOTHING: PacketTotals = {
  received: 0,
  drops: {kernel: 0, socket: 0, queue: 0, crash: 0, stop: 0, notCaptured: 0, engine: 0},
  undecoded: 0,
  foreignVni: 0,
  lastForeignVni: undefined,
  refusedSender: 0,
};

const PLACES: Readonly<Record<keyof Drops, string>> = {
  kernel: 'in the packet ring of the kernel',
  socket: 'in the receive buffer of the kernel',
  queue: 'waiting for Suricata',
  crash: 'when Suricata crashed',
  stop: 'when Suricata was stopped',
  notCaptured: 'on an interface that Suricata does not read',
  engine: 'in Suricata, which has no memory left for flows',
};

export const droppedOf = (drops: Drops): number => DROP_CAUSES.reduce((sum, cause) => sum + drops[cause], 0);

type Loss = {
  /** All that arrived, and what was received in an earlier window and is known to be dropped only now. */
  readonly offered: number;
  readonly drops: Drops;
  readonly dropped: number;
  readonly undecoded: number;
  readonly notInspectable: number;
  readonly foreign: number;
  readonly lastForeignVni: number | undefined;
  readonly refused: number;
  readonly lastRefusedSender: string | undefined;
};

const between = (before: PacketTotals, after: PacketTotals): Loss => {
  const drops = Object.fromEntries(
    DROP_CAUSES.map(cause => [cause, after.drops[cause] - before.drops[cause]]),
  ) as Drops;
  const dropped = droppedOf(drops);
  return {
    drops,
    dropped,
    offered: Math.max(after.received - before.received + drops.socket, dropped),
    undecoded: after.undecoded - before.undecoded,
    notInspectable: (after.notInspectable ?? 0) - (before.notInspectable ?? 0),
    foreign: (after.foreignVni ?? 0) - (before.foreignVni ?? 0),
    lastForeignVni: after.lastForeignVni,
    refused: (after.refusedSender ?? 0) - (before.refusedSender ?? 0),
    lastRefusedSender: after.lastRefusedSender,
  };
};

const ratioOf = (part: number, offered: number): number =>
  part <= 0 ? 0 : Math.min(part / Math.max(offered, part), 1);

const foreignWayOut = (vni: number): string =>
  `set the mirror to VNI ${vni}, or start the server with --accept-any-vni`;

const percent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`;

export class LossWatch {
  readonly #limits: LossLimits;
  readonly #waysOut: WaysOut;
  readonly #windowLooks: number;
  /** One each look, the newest last; those of the windows that are judged. */
  readonly #totals: PacketTotals[] = [NOTHING];

  /** `waysOut`: what to do, by the cause of most drops. */
  constructor(limits: LossLimits, waysOut: WaysOut) {
    this.#limits = limits;
    this.#waysOut = waysOut;
    this.#windowLooks = Math.max(1, Math.round(limits.lossWindowMs / limits.watchMs));
  }

  /** Every `watchMs`, with the totals. */
  look(now: PacketTotals): void {
    this.#totals.push(now);
    if (this.#totals.length > this.#windowLooks * this.#limits.lossSteadyWindows + 1) this.#totals.shift();
  }

  /** Of the window that ended `windowsAgo` windows ago; of the time since the start where that is shorter. */
  #lossOf(windowsAgo: number): Loss {
    const last = this.#totals.length - 1 - windowsAgo * this.#windowLooks;
    const after = this.#totals[last] ?? NOTHING;
    return between(this.#totals[Math.max(last - this.#windowLooks, 0)] ?? NOTHING, after);
  }

  /** Share of the packets of the last window that nobody inspected, 0 to 1, with 4 digits. */
  get ratio(): number {
    const {dropped, offered} = this.#lossOf(0);
    return Math.round(ratioOf(dropped, offered) * 1e4) / 1e4;
  }

  /** Undefined: all is well. */
  get problem(): string | undefined {
    const {lossRatioMax, lossPacketsMin} = this.#limits;
    const {drops, dropped, offered} = this.#lossOf(0);
    if (dropped < lossPacketsMin) return undefined;
    const ratio = ratioOf(dropped, offered);
    if (ratio <= lossRatioMax && !this.#isSteady()) return undefined;
    const most = DROP_CAUSES.reduce((worst, cause) => (drops[cause] > drops[worst] ? cause : worst));
    return `packets dropped: ${percent(ratio)} of the last ${this.#seconds} (${dropped} of ${offered}), most of them ${PLACES[most]}: ${this.#waysOut[most]}`;
  }

  #isSteady(): boolean {
    const {lossSteadyRatioMax, lossSteadyWindows} = this.#limits;
    if (this.#totals.length <= this.#windowLooks * lossSteadyWindows) return false;
    return Array.from({length: lossSteadyWindows}, (_, ago) => this.#lossOf(ago)).every(
      ({dropped, offered}) => ratioOf(dropped, offered) > lossSteadyRatioMax,
    );
  }

  /** Of packets that arrived and are not what they should be. Undefined: all is well. */
  get undecoded(): string | undefined {
    const {undecodedRatioMax, lossPacketsMin} = this.#limits;
    const {undecoded, offered} = this.#lossOf(0);
    const ratio = ratioOf(undecoded, offered);
    if (undecoded < lossPacketsMin || ratio <= undecodedRatioMax) return undefined;
    return `packets that Suricata cannot decode: ${percent(ratio)} of the last ${this.#seconds} (${undecoded} of ${offered}); check that the mirror sends whole packets as Ethernet frames`;
  }

  /** Of packets whose frame Suricata does not look into with this driver. `many`: they are a trouble, not only to be known. */
  get notInspectable(): {readonly many: boolean; readonly words: string} | undefined {
    const {undecodedRatioMax, lossPacketsMin} = this.#limits;
    const {notInspectable, offered} = this.#lossOf(0);
    if (notInspectable <= 0) return undefined;
    const ratio = ratioOf(notInspectable, offered);
    return {
      many: notInspectable >= lossPacketsMin && ratio > undecodedRatioMax,
      words: `packets that Suricata cannot inspect with this driver: ${percent(ratio)} of the last ${this.#seconds} (${notInspectable} of ${offered}) are frames in VXLAN that are neither IP nor VLAN, such as MPLS, PPPoE or NSH; to inspect them, start the server with --driver afpacket or relay`,
    };
  }

  /** Every packet of the last window comes from a sender that `--mirror-from` does not name. */
  get allRefused(): string | undefined {
    const {refused, foreign, offered, lastRefusedSender} = this.#lossOf(0);
    if (offered + foreign > 0 || refused < this.#limits.lossPacketsMin) return undefined;
    return `no packet comes from a network of --mirror-from: all ${refused} of the last ${this.#seconds} have other senders, the newest ${lastRefusedSender ?? 'unknown'}; send the mirror from a listed address, or add this sender to --mirror-from`;
  }

  /** `vni`: that of the endpoint. Every packet of the last window has another one: the mirror is set up for another endpoint. */
  allForeign(vni: number): string | undefined {
    const {foreign, offered, lastForeignVni} = this.#lossOf(0);
    if (offered > 0 || foreign < this.#limits.lossPacketsMin) return undefined;
    return `no packet has the VNI of this endpoint, ${vni}: all ${foreign} of the last ${this.#seconds} have another VNI, the newest ${lastForeignVni ?? 'unknown'}; ${foreignWayOut(vni)}`;
  }

  /** Some of the packets of the last window have another VNI than `vni`. */
  someForeign(vni: number): string | undefined {
    const {foreign, offered, lastForeignVni} = this.#lossOf(0);
    if (offered === 0 || foreign === 0) return undefined;
    return `packets with a foreign VNI are not inspected: ${foreign} of the last ${this.#seconds}, the newest with ${lastForeignVni ?? 'an unknown one'}; ${foreignWayOut(vni)}`;
  }

  get #seconds(): string {
    return `${this.#limits.lossWindowMs / 1000} s`;
  }
}
