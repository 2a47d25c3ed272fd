// SPDX-License-Identifier: Apache-2.0
/** What to do about dropped packets, with the figures of this host. */
import type {DropCause} from '@palisade/ids-wire';
import type {CaptureDriver} from '../ports.ts';

/** What the host grants this process. */
export type Machine = {
  /** Undefined: not readable, as in a network namespace of its own. */
  readonly rmemMaxBytes: number | undefined;
  readonly cores: number;
  /** The driver was named by the user; otherwise it is the best one that works here. */
  readonly driverNamed: boolean;
  /** CAP_NET_ADMIN. */
  readonly netAdmin: boolean;
  /** CAP_NET_RAW. */
  readonly netRaw: boolean;
};
export const UNKNOWN_MACHINE: Machine = {
  rmemMaxBytes: undefined,
  cores: 0,
  driverNamed: false,
  netAdmin: false,
  netRaw: false,
};

/** The relay takes two to three times the processor time of Suricata's own capture. Ref: contracts of the data plane, section 2.3. */
const driverText = (driver: CaptureDriver, {driverNamed, netAdmin, netRaw}: Machine): string | undefined => {
  if (driver !== 'relay' || (netAdmin && netRaw && !driverNamed)) return undefined;
  if (netRaw && driverNamed)
    return `start the server with --driver ${netAdmin ? 'afpacket' : 'afpacket-bpf'}, which this process may use`;
  return 'give the server CAP_NET_ADMIN and CAP_NET_RAW for the driver afpacket';
};

const joined = (texts: readonly (string | undefined)[]): string => {
  const given = texts.filter(text => text !== undefined);
  return given.length < 2 ? given.join('') : `${given.slice(0, -1).join(', ')}, or ${given.at(-1)}`;
};

const bufferText = (machine: Machine, wantedBytes: number): string | undefined => {
  const {rmemMaxBytes} = machine;
  if (rmemMaxBytes !== undefined && rmemMaxBytes >= wantedBytes) return undefined;
  const from = rmemMaxBytes === undefined ? '' : `from ${rmemMaxBytes} `;
  return `raise net.core.rmem_max ${from}to ${wantedBytes} and restart the server`;
};

export type WaysOut = Readonly<Record<DropCause, string>>;

/** `socketBufferBytes`: what the capture asks the kernel for. */
export const waysOut = (driver: CaptureDriver, machine: Machine, socketBufferBytes: number): WaysOut => {
  const {cores} = machine;
  const onCores = cores === 0 ? '' : ` (this host has ${cores} ${cores === 1 ? 'core' : 'cores'})`;
  const less = 'mirror less traffic';
  const other = driverText(driver, machine);
  const engineTime = `give Suricata more processor time${onCores}`;
  return {
    kernel: joined([less, 'use fewer rules', engineTime]),
    socket: joined([
      bufferText(machine, socketBufferBytes),
      other,
      less,
      `give the server more processor time${onCores}`,
    ]),
    queue: joined([other, less, 'use fewer rules', engineTime]),
    crash: 'see the server log for the cause',
    stop: 'see the server log for the cause',
    notCaptured: 'name the interface that they arrive on with --capture-interface',
    engine: 'mirror less traffic, or spread it over several endpoints',
  };
};
