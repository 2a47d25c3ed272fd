// SPDX-License-Identifier: Apache-2.0
/** Packet counts of an endpoint that can be added up over the runs of the server. */
import type {PacketFigures} from '@palisade/ids-wire';
import type {CaptureCounters} from '../capture/capture.ts';
import {DROP_CAUSES, type Drops, droppedOf} from '../sensor/loss-watch.ts';

export type PacketSums = {
  /** All that arrived for the endpoint, with those that were dropped anywhere. */
  readonly received: number;
  readonly bytes: number;
  readonly drops: Drops;
  readonly malformed: number;
  readonly foreignVni: number;
  readonly refusedSender: number;
  /** Of `received`, and not in `drops`. */
  readonly notInspectable: number;
};

export const NO_PACKETS: PacketSums = {
  received: 0,
  bytes: 0,
  drops: {kernel: 0, socket: 0, queue: 0, crash: 0, stop: 0, notCaptured: 0, engine: 0},
  malformed: 0,
  foreignVni: 0,
  refusedSender: 0,
  notInspectable: 0,
};

/** The capture does not see what its socket dropped. */
export const sumsOf = (captured: CaptureCounters, engine: number): PacketSums => ({
  received: captured.received + captured.drops.socket,
  bytes: captured.bytes,
  drops: {...captured.drops, engine},
  malformed: captured.malformed,
  foreignVni: captured.foreignVni ?? 0,
  refusedSender: captured.refusedSender ?? 0,
  notInspectable: captured.notInspectable ?? 0,
});

export const addSums = (a: PacketSums, b: PacketSums): PacketSums => ({
  received: a.received + b.received,
  bytes: a.bytes + b.bytes,
  drops: Object.fromEntries(DROP_CAUSES.map(cause => [cause, a.drops[cause] + b.drops[cause]])) as Drops,
  malformed: a.malformed + b.malformed,
  foreignVni: a.foreignVni + b.foreignVni,
  refusedSender: a.refusedSender + b.refusedSender,
  notInspectable: a.notInspectable + b.notInspectable,
});

/** Why a driver cannot give a figure. */
const NOT_COUNTED = {
  foreignVni: 'the kernel drops packets with another VNI before this driver can count them',
  refusedSender: 'packets of other senders are dropped before this driver can count them',
} as const;
const MALFORMED = 'the kernel drops packets that are no VXLAN before this driver can count them';

/** As they are shown. `captured`: has what the driver can count. */
export const packetFigures = (
  total: PacketSums,
  captured: Pick<CaptureCounters, 'foreignVni' | 'refusedSender' | 'notInspectable' | 'malformedInPart'>,
): PacketFigures => {
  const {foreignVni, refusedSender, notInspectable, ...rest} = total;
  const absent: readonly (readonly [string, string])[] = [
    ...Object.entries(NOT_COUNTED).filter(([name]) => captured[name as keyof typeof NOT_COUNTED] === undefined),
    ...(captured.malformedInPart === true ? [['malformed', MALFORMED] as const] : []),
  ];
  return {
    ...rest,
    dropped: droppedOf(rest.drops),
    ...(captured.foreignVni === undefined ? {} : {foreignVni}),
    ...(captured.refusedSender === undefined ? {} : {refusedSender}),
    ...(captured.notInspectable === undefined ? {} : {notInspectable}),
    ...(absent.length === 0 ? {} : {notCounted: Object.fromEntries(absent)}),
  };
};
