// SPDX-License-Identifier: Apache-2.0
import type {EvidenceKind} from '@palisade/ids-wire';
import type {SensorLimits} from '../limits.ts';
import type {Clock, Timers} from '../ports.ts';
import type {SuricataBinary} from '../suricata/binary.ts';
import type {PatternMatcher} from '../suricata/config.ts';
import type {Launcher} from '../suricata/launch.ts';
import type {RunAs} from '../suricata/process.ts';
import type {RulePolicy} from './rule-policy.ts';

/** What a rule set is compiled with. */
export type CompileOptions = {
  /** Folder of all rule sets. */
  readonly dir: string;
  /** Folder of what was fetched from URLs; made if absent. */
  readonly cacheDir: string;
  readonly clock: Clock;
  readonly suricata: SuricataBinary;
  readonly runAs: RunAs | undefined;
  /** How Suricata is run to verify; default: as `runAs`. */
  readonly launcher?: Launcher | undefined;
  readonly homeNet: string;
  /** Variables that rules use, by name; they replace ours of that name. */
  readonly vars: Readonly<Record<string, string>>;
  /** Absolute paths of files with parts of suricata.yaml that we do not own. */
  readonly includes: readonly string[];
  readonly decodeVxlan: boolean;
  /** What Suricata writes of its alerts; default: none of their packets. */
  readonly evidence?: EvidenceKind | undefined;
  /** `auto`: by the number of rules. */
  readonly patternMatcher: PatternMatcher | 'auto';
  readonly policy: RulePolicy;
  readonly timers: Timers;
  readonly limits: SensorLimits;
  /** Ends a verification under way. */
  readonly signal: AbortSignal;
};
