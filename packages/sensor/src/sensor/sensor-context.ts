// SPDX-License-Identifier: Apache-2.0
import type {EvidenceKind} from '@palisade/ids-wire';
import type {CaptureFactory} from '../capture/capture.ts';
import type {Cgroups} from '../cgroup/cgroups.ts';
import type {Gate} from '../gate.ts';
import type {SensorLimits} from '../limits.ts';
import type {Machine} from '../loss/ways-out.ts';
import type {Clock, Log, Random, Timers} from '../ports.ts';
import type {RecordSink} from '../record-sink.ts';
import type {RuleSet} from '../rules/rule-set.ts';
import type {SuricataBinary} from '../suricata/binary.ts';
import type {Landlock} from '../suricata/landlock.ts';
import type {Launcher} from '../suricata/launch.ts';
import type {RunAs} from '../suricata/process.ts';

/** What all sensors of a host share. */
export type SensorContext = {
  readonly dir: string;
  readonly suricata: SuricataBinary;
  readonly capture: CaptureFactory;
  readonly runAs: RunAs | undefined;
  readonly launcher: Launcher;
  readonly landlock: Landlock;
  readonly cgroups: Cgroups;
  readonly sink: RecordSink;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
  readonly limits: SensorLimits;
  readonly startGate: Gate;
  readonly evidence: EvidenceKind;
  /** 1 of so many flows makes a traffic record. */
  readonly trafficSample: () => number;
  readonly acceptAnyVni: boolean;
  readonly mirrorFrom: readonly string[];
  readonly captureInterfaces: readonly string[];
  /** For what is advised. */
  readonly machine: Machine;
  /** As it is shown. */
  readonly homeNet: readonly string[];
  readonly configOf: (set: RuleSet) => string;
};
