// SPDX-License-Identifier: Apache-2.0

export type {RuleView} from './catalog/rule-view.ts';
export type {ResourceLimits} from './cgroup/cgroup-files.ts';
export {NOBODY, type SensorHostOptions} from './host/options.ts';
export {
  type EndpointVars,
  type RuleBinding,
  type RulePlan,
  rulePlanFaults,
} from './host/rule-plan.ts';
export type {RuleSetUpdate, RuleSetView} from './host/rule-set-view.ts';
export type {SetOutcome} from './host/rule-sets.ts';
export type {SwitchChange} from './host/rule-switches.ts';
export {createSensorHost, type SuricataSensorHost} from './host/sensor-host.ts';
export {findSensorUser} from './host/sensor-user.ts';
export {SENSOR_LIMITS, type SensorLimits} from './limits.ts';
export {checkRules, type RuleCheck} from './offline/check-rules.ts';
export {type Inspection, inspectCapture} from './offline/inspect-capture.ts';
export type {OfflineOptions} from './offline/workshop.ts';
export type {
  CaptureDriver,
  Clock,
  Log,
  Random,
  SensorHealth,
  SensorSpec,
  SensorStatus,
  Timer,
  Timers,
} from './ports.ts';
export * from './record-sink.ts';
export type {RuleFault, RuleReport} from './rule-report.ts';
export {BUNDLED_RULES} from './rules/bundled.ts';
export {
  refusalForLog,
  ruleFaultLines,
  skippedRuleLines,
  skippedRulesCounted,
} from './rules/refused-rules.ts';
export {DEFAULT_RULE_POLICY, type RulePolicy} from './rules/rule-policy.ts';
export type {RuleSetStatus} from './rules/rules-in-force.ts';
export {settingFaults, thresholdFaults} from './rules/set-settings.ts';
export {checkRuleFiles} from './rules/source/read-sources.ts';
export {
  plainRuleSet,
  plainSource,
  type RuleChange,
  type RuleMatch,
  type RuleSetSpec,
  type RuleSource,
} from './rules/sources.ts';
export type {Counted} from './sensor/sensor.ts';
export {isSensorError, SENSOR_ERRORS, SensorError, type SensorErrorCode} from './sensor-error.ts';
export {SIGNATURE_SEVERITIES, severityOf} from './severity.ts';
export type {RunAs} from './suricata/process.ts';
export {normaliseException, threatIdOf} from './threat-id.ts';
