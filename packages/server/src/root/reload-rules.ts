// SPDX-License-Identifier: Apache-2.0
import {isSensorError, type RulePlan, refusalForLog, type SensorError, type SuricataSensorHost} from '@palisade/sensor';
import type {Logger} from '../process/logger.ts';
import type {NotTaken} from './reload.ts';

type Log = Pick<Logger, 'info' | 'error'>;

/** Of a host that is being closed. */
const CLOSING: ReadonlySet<string> = new Set(['aborted', 'closed']);
const NOT_TAKEN = 'rule set reload failed, the previous rule set stays active';
const DEFAULT_SET = 'default';

const reasonOf = ({refusal, message}: SensorError): string => refusal?.words ?? message;

const logRefused = (error: SensorError, log: Log): void => {
  if (CLOSING.has(error.code)) return;
  for (const {words, fields} of refusalForLog(error)) log.error(fields, `${NOT_TAKEN}: ${words}`);
};

/**
 * The rules, put in force on all sensors, live; a set that is refused leaves its previous version active, and every refused rule is logged.
 * Resolves to the reasons of those that are not in force; undefined: all of them are.
 */
export const reloadRules = async (
  host: Pick<SuricataSensorHost, 'setRulePlan'>,
  plan: RulePlan,
  log: Log,
): Promise<NotTaken | undefined> => {
  try {
    const outcomes = await host.setRulePlan(plan);
    for (const {id, ...outcome} of outcomes) {
      if (outcome.error !== undefined) logRefused(outcome.error, log);
      else {
        const {version, rules} = outcome.status;
        log.info({version, rules, ...(id === DEFAULT_SET ? {} : {set: id})}, 'rule set reloaded');
      }
    }
    const reasons = outcomes.flatMap(({id, error}) => (error === undefined ? [] : [[id, reasonOf(error)] as const]));
    return reasons.length === 0 ? undefined : {reasons: Object.fromEntries(reasons)};
  } catch (error) {
    if (isSensorError(error)) logRefused(error, log);
    else log.error({err: error}, NOT_TAKEN);
    return {reasons: {rules: isSensorError(error) ? reasonOf(error) : String(error)}};
  }
};
