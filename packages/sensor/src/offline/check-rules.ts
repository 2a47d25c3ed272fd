// SPDX-License-Identifier: Apache-2.0
import type {RuleReport} from '../rule-report.ts';
import type {RuleLine} from '../rules/rule-files.ts';
import {compileRuleSet} from '../rules/rule-set.ts';
import {isSensorError, type SensorError} from '../sensor-error.ts';
import {inWorkshop, type OfflineOptions} from './workshop.ts';

export type RuleCheck = {
  /** Of Suricata. */
  readonly engine: string;
  readonly report: RuleReport;
  /** Rules that Suricata skips since they are indented. */
  readonly indented: readonly RuleLine[];
  /** Rules that a comment or a list turns off; of a set that is refused, those of a list. */
  readonly disabled: number;
  /** What is not as the user may think. */
  readonly warnings: readonly string[];
  /** Why a server would refuse the set; undefined: it would take it. */
  readonly refused: SensorError | undefined;
};

/** The verdict that a server would give. Throws SensorError without Suricata, and for files that cannot be read. */
export const checkRules = (options: OfflineOptions): Promise<RuleCheck> =>
  inWorkshop(options, async ({compile}) => {
    const engine = compile.suricata.version;
    try {
      const {report, indented, disabled, warnings} = await compileRuleSet(options.rules, {
        ...compile,
        signal: options.signal,
      });
      return {engine, report, indented, disabled, warnings, refused: undefined};
    } catch (error) {
      if (!isSensorError(error) || error.refusal === undefined) throw error;
      const {report} = error.refusal;
      return {
        engine,
        report,
        ...(error.notes ?? {indented: [], warnings: []}),
        disabled: report.disabled,
        refused: error,
      };
    }
  });
