// SPDX-License-Identifier: Apache-2.0
/** What a sensor says of itself, from what its parts know just now. */
import type {SuricataAlerts, TrafficSampling} from '@palisade/ids-wire';
import type {CaptureCounters} from '../capture/capture.ts';
import {NO_ENGINE_ALERTS} from '../eve/engine-alerts.ts';
import type {EveDamage} from '../eve/eve-damage.ts';
import type {EveRotation} from '../eve/eve-rotation.ts';
import type {RecordPump} from '../eve/record-pump.ts';
import {ZERO_COUNTERS} from '../eve/tally.ts';
import type {Figures} from '../loss/figures.ts';
import {type PacketSums, packetFigures} from '../loss/packet-totals.ts';
import type {SensorHealth, SensorSpec, SensorStatus} from '../ports.ts';
import type {RuleSet} from '../rules/rule-set.ts';
import {unknownTo} from '../threat-id.ts';
import type {DiskWatch} from './disk-watch.ts';
import {engineFacts} from './engine-facts.ts';
import type {LossWatch} from './loss-watch.ts';
import {troubles, warnings} from './reasons.ts';
import type {SensorContext} from './sensor-context.ts';
import type {Supervisor} from './supervisor.ts';

export type HealthParts = {
  readonly context: SensorContext;
  readonly spec: SensorSpec;
  /** It was READY once. */
  readonly isReady: boolean;
  readonly rules: RuleSet;
  readonly supervisor: Supervisor | undefined;
  readonly pump: RecordPump | undefined;
  readonly loss: LossWatch;
  readonly disk: DiskWatch;
  readonly damage: EveDamage;
  readonly rotation: EveRotation;
  /** Suricata runs and does not read. */
  readonly reading: string | undefined;
  /** Of this run of the server. */
  readonly captured: CaptureCounters;
  /** The same, with what Suricata itself dropped. */
  readonly sums: PacketSums;
  readonly figures: Figures | undefined;
  /** Of the way in. */
  readonly captureProblem: string | undefined;
  /** Why the sensor is not watched. */
  readonly unwatched: string | undefined;
  /** Why a newer rule set is not in force. */
  readonly refusedRules: string | undefined;
};

const seriousOf = (parts: HealthParts): string[] => {
  const {supervisor, pump, loss, disk, damage, spec} = parts;
  return troubles({
    down: supervisor?.downReason,
    reading: parts.reading,
    capture: parts.captureProblem,
    rulesMissing: supervisor?.rulesMissing,
    packetLoss: loss.problem,
    undecoded: loss.undecoded,
    notInspectable: loss.notInspectable?.many === true ? loss.notInspectable.words : undefined,
    allRefused: loss.allRefused,
    allForeign: loss.allForeign(spec.vni),
    records: pump?.problem?.message,
    diskFull: supervisor?.diskFull,
    diskLow: disk.problem(spec.trafficLogs),
    eventFile: pump?.tally.isUnsure === true ? damage.problem : undefined,
    unwatched: parts.unwatched,
  });
};

const minorOf = (parts: HealthParts): string[] => {
  const {pump, loss, damage, rotation, rules, spec} = parts;
  return warnings({
    rulesLeftOut: rules.leftOut.refusedInShort,
    refusedRules: parts.refusedRules,
    someForeign: loss.someForeign(spec.vni),
    someNotInspectable: loss.notInspectable?.many === false ? loss.notInspectable.words : undefined,
    rotation: rotation.problem,
    eventFile: pump?.tally.isUnsure === true ? undefined : damage.problem,
    trafficLeftOut: pump?.tally.trafficLeftOut ?? 0,
    alertsLost: pump?.tally.counters.lost ?? 0,
    alertsDiscarded: pump?.tally.engineAlerts.discarded ?? 0,
    figures: parts.figures?.problem,
  });
};

const statusOf = ({isReady, supervisor}: HealthParts, serious: boolean): SensorStatus => {
  if (!isReady) return 'STARTING';
  if (supervisor?.hasFailed === true) return 'FAILED';
  return serious ? 'DEGRADED' : 'READY';
};

const suricataAlertsOf = ({pump}: HealthParts): SuricataAlerts => {
  const {counted, discarded, suppressed} = pump?.tally.engineAlerts ?? NO_ENGINE_ALERTS;
  return {counted, discarded, suppressed};
};

const samplingOf = ({context, spec, pump}: HealthParts): TrafficSampling | undefined => {
  const oneOf = context.trafficSample();
  const flowsLeftOut = pump?.tally.flows.sampledOut ?? 0;
  return (spec.trafficLogs && oneOf > 1) || flowsLeftOut > 0 ? {oneOf, flowsLeftOut} : undefined;
};

export const healthOf = (parts: HealthParts): Omit<SensorHealth, 'ruleSet'> => {
  const {context, spec, rules, supervisor, pump, loss} = parts;
  const {report, leftOut} = rules;
  const serious = seriousOf(parts);
  return {
    status: statusOf(parts, serious.length > 0),
    reasons: [...serious, ...minorOf(parts)],
    driver: context.capture.driver,
    pid: supervisor?.pid,
    restarts: supervisor?.restarts ?? 0,
    ruleSetVersion: rules.version,
    rulesLoaded: supervisor?.loaded.loaded ?? 0,
    rulesFailed: report.refused.count,
    rulesSkipped: report.skipped.count,
    refusedRules: leftOut.refused,
    skippedRules: leftOut.skipped,
    homeNet: context.homeNet,
    packets: packetFigures(parts.figures?.totals(parts.sums) ?? parts.sums, parts.captured),
    packetLossRatio: loss.ratio,
    lossPerMinute: parts.figures?.minutes ?? [],
    blind: parts.figures?.blind.intervals ?? [],
    blindSeconds: parts.figures?.blind.totalSeconds ?? 0,
    alerts: pump?.tally.counters ?? ZERO_COUNTERS,
    suricataAlerts: suricataAlertsOf(parts),
    trafficSampling: samplingOf(parts),
    ...engineFacts(context, rules, supervisor),
    unknownExceptions: unknownTo(rules, spec.threatExceptions),
  };
};
