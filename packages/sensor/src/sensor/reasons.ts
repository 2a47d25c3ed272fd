// SPDX-License-Identifier: Apache-2.0
/** The `reasons` of a sensor's health: each readable on its own, saying what to do. */

import {PACKET_ALERTS_MAX} from '../limits.ts';
import type {SensorError} from '../sensor-error.ts';

const given = (texts: readonly (string | undefined)[]): string[] => texts.filter(text => text !== undefined);
const when = (count: number, text: string): string | undefined => (count > 0 ? `${count} ${text}` : undefined);

/** What makes the sensor DEGRADED, worst first; empty when all is well. */
export const troubles = (of: {
  readonly down: string | undefined;
  /** It runs and does not read. */
  readonly reading: string | undefined;
  /** Of the way in. */
  readonly capture: string | undefined;
  readonly rulesMissing: string | undefined;
  readonly packetLoss: string | undefined;
  readonly undecoded: string | undefined;
  /** Many packets. */
  readonly notInspectable: string | undefined;
  readonly allRefused: string | undefined;
  readonly allForeign: string | undefined;
  readonly records: string | undefined;
  /** Suricata's words. */
  readonly diskFull: string | undefined;
  readonly diskLow: string | undefined;
  /** Of the event file, while it is not known what it cost. */
  readonly eventFile: string | undefined;
  /** Why the sensor is not watched. */
  readonly unwatched: string | undefined;
}): string[] =>
  given([
    of.down,
    of.reading,
    of.capture,
    of.rulesMissing,
    of.packetLoss,
    of.undecoded,
    of.notInspectable,
    of.allRefused,
    of.allForeign,
    of.records,
    of.diskFull === undefined ? undefined : `disk full: ${of.diskFull}; alerts are being lost until there is space`,
    of.diskLow,
    of.eventFile,
    of.unwatched,
  ]);

/** Why a newer set is not in force. One that its settings refuse leaves those of the previous set, too. */
export const refusalReason = ({code, message}: SensorError): string =>
  code === 'rule-settings'
    ? `the newest rule set was refused, the previous rules and settings (variables, includes, thresholds) stay active: ${message}`
    : `the newest rule set was refused, the previous one stays active: ${message}`;

/** What is to be known although the sensor does its work. */
export const warnings = (of: {
  /** Of the set that is in force. */
  readonly rulesLeftOut: string | undefined;
  /** Why a newer set is not in force, as `refusalReason` says it. */
  readonly refusedRules: string | undefined;
  readonly someForeign: string | undefined;
  readonly someNotInspectable: string | undefined;
  readonly rotation: string | undefined;
  readonly eventFile: string | undefined;
  readonly trafficLeftOut: number;
  readonly alertsLost: number;
  /** Alerts of packets that more rules matched than Suricata keeps alerts of. */
  readonly alertsDiscarded: number;
  readonly figures: string | undefined;
}): string[] =>
  given([
    of.rulesLeftOut,
    of.refusedRules,
    of.someForeign,
    of.someNotInspectable,
    of.rotation,
    of.eventFile,
    when(of.trafficLeftOut, 'traffic records were skipped while the disk was nearly full'),
    when(
      of.alertsLost,
      'alerts that Suricata counted were not found in its log: its disk was full, or another program changed the file; see the server log',
    ),
    when(
      of.alertsDiscarded,
      `alerts were discarded by Suricata, because more than ${PACKET_ALERTS_MAX} rules matched one packet: disable rules that match ordinary traffic`,
    ),
    of.figures,
  ]);
