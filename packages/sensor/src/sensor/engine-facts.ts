// SPDX-License-Identifier: Apache-2.0
/** The part of a sensor's health that is about its Suricata: what it is, what it may do, how old its rules are. */
import type {SensorHealth} from '../ports.ts';
import type {RuleSet} from '../rules/rule-set.ts';
import {rulesAge} from '../rules/source/rules-age.ts';
import type {SensorContext} from './sensor-context.ts';
import type {Supervisor} from './supervisor.ts';

export const engineFacts = (
  {capture, runAs, suricata, landlock, cgroups, clock}: SensorContext,
  rules: RuleSet,
  supervisor: Supervisor | undefined,
): Pick<SensorHealth, 'engineVersion' | 'rulesUpdated' | 'rulesAgeDays' | 'confinement' | 'notes'> => {
  const age = rulesAge(rules.ages, clock.now(), rules.changedAtMs);
  return {
    engineVersion: supervisor?.version ?? suricata.version,
    rulesUpdated: age.updated,
    rulesAgeDays: age.days,
    confinement: {
      uid: runAs?.uid ?? process.getuid?.(),
      landlock: landlock.missing === undefined,
      memoryMaxBytes: cgroups.limits.memoryMax,
      cpuMaxCores: cgroups.limits.cpuMax,
    },
    notes: [capture.note, landlock.missing, ...cgroups.missing, ...age.notes].filter(note => note !== undefined),
  };
};
