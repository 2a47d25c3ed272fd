// SPDX-License-Identifier: Apache-2.0
import {isSensorError, type RuleSetSpec, refusalForLog, type SuricataSensorHost} from '@palisade/sensor';
import type {Logger} from '../process/logger.ts';

/** Of a host that is being closed. */
const CLOSING: ReadonlySet<string> = new Set(['aborted', 'closed']);
const NOT_TAKEN = 'rule set reload failed, the previous rule set stays active';

/** The rule files of --rules, put in force on all sensors, live; a refused set leaves the previous one active, and every refused rule is logged. */
export const reloadRules = async (
  host: Pick<SuricataSensorHost, 'setRules'>,
  spec: RuleSetSpec,
  log: Pick<Logger, 'info' | 'error'>,
): Promise<void> => {
  try {
    const {version, rules} = await host.setRules(spec);
    log.info({version, rules}, 'rule set reloaded');
  } catch (error) {
    if (!isSensorError(error)) return log.error({err: error}, NOT_TAKEN);
    if (CLOSING.has(error.code)) return;
    for (const {words, fields} of refusalForLog(error)) log.error(fields, `${NOT_TAKEN}: ${words}`);
  }
};
