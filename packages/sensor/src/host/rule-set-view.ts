// SPDX-License-Identifier: Apache-2.0
/** Rule sets and their updates as people and programs are shown them. */
import type {EndpointRulesMessage, RuleBindingMessage, RuleSetMessage, RuleSetUpdateMessage} from '@palisade/ids-wire';
import type {SensorHealth} from '../ports.ts';
import {NO_RULES} from '../rule-report.ts';
import {leftOutOf} from '../rules/refused-rules.ts';
import {SensorError} from '../sensor-error.ts';
import type {RulePlan} from './rule-plan.ts';
import type {CompiledSet, SetOutcome} from './rule-sets.ts';

/** Without its resource name, which depends on who asks. */
export type RuleSetView = Omit<RuleSetMessage, 'name'>;
export type RuleSetUpdate = RuleSetUpdateMessage;

/** Suricata's own count does not outlive it. */
export const endpointRulesOf = (
  endpoint: string,
  {status, pid, ruleSetVersion, rulesLoaded}: Pick<SensorHealth, 'status' | 'pid' | 'ruleSetVersion' | 'rulesLoaded'>,
): EndpointRulesMessage => ({endpoint, status, ruleSetVersion, rulesLoaded: pid === undefined ? 0 : rulesLoaded});

const timeOf = (ms: number | undefined): string => (ms === undefined ? '' : new Date(ms).toISOString());

const bindingsOf = (name: string, {bindings}: RulePlan): RuleBindingMessage[] =>
  bindings
    .filter(({set}) => set === name)
    .map(({location, endpoint}) => (endpoint === undefined ? {location: location ?? ''} : {endpoint}));

export const viewOfSet = (
  {id, name, vars, rules}: CompiledSet,
  plan: RulePlan,
  endpoints: readonly EndpointRulesMessage[],
): RuleSetView => {
  const {current, refused} = rules;
  const report = current?.report ?? NO_RULES;
  return {
    ruleSetId: id,
    variables: vars,
    version: current?.version ?? '',
    versionTime: timeOf(current?.verifiedAtMs),
    readTime: timeOf(rules.readAtMs),
    sources: rules.spec.sources.map(({at}) => at),
    bindings: bindingsOf(name, plan),
    rulesGiven: report.given,
    rulesActive: report.loaded,
    rulesRefused: report.refused.count,
    rulesSkipped: report.skipped.count,
    rulesDisabled: current?.disabled ?? 0,
    refused: refused?.message ?? '',
    refusedRules: leftOutOf(refused?.refusal?.report ?? report).refused,
    endpoints,
  };
};

export const updateOf = (
  {id, previousVersion, status}: SetOutcome & {readonly error?: undefined},
  endpoints: readonly EndpointRulesMessage[],
): RuleSetUpdate => ({
  ruleSetId: id,
  previousVersion,
  version: status.version,
  changed: status.version !== previousVersion,
  rulesActive: status.rules,
  rulesRefused: status.report.refused.count,
  endpoints,
});

/** Throws SensorError that names every set that was refused, and those that were not. */
export const allOrFailure = (outcomes: readonly SetOutcome[]): readonly (SetOutcome & {error?: undefined})[] => {
  const taken = outcomes.filter(outcome => outcome.error === undefined);
  const errors = outcomes.flatMap(({error}) => error ?? []);
  const [first] = errors;
  if (first === undefined) return taken;
  if (outcomes.length === 1) throw first;
  const others = taken.length === 0 ? '' : `; updated: ${taken.map(({id}) => id).join(', ')}`;
  throw new SensorError(first.code, `${errors.map(({message}) => message).join('; ')}${others}`, {cause: first});
};
