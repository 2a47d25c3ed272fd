// SPDX-License-Identifier: Apache-2.0
/**
 * The rule set that is in force on all sensors of a host, compiled in the background at the start and replaced when it is asked for.
 * I1 A set that is refused changes nothing; at the start it leaves the one that was last in force, which `active-rules.json` names, if that
 *    one was made from the same files: rules that the user has replaced by others are no stand-in for them.
 * I2 One compilation at a time.
 */
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import type {Log} from '../ports.ts';
import {replaceFile} from '../replace-file.ts';
import {NO_RULES, type RuleReport} from '../rule-report.ts';
import {isSensorError, messageOf, SensorError, systemCode} from '../sensor-error.ts';
import {refusalForLog, reportForLog} from './refused-rules.ts';
import {type CompileOptions, compileRuleSet, loadRuleSet, type RuleSet} from './rule-set.ts';
import type {RuleSetSpec} from './sources.ts';

export type RuleSetStatus = {
  readonly version: string;
  /** In force. */
  readonly rules: number;
  /** Of the set in force. */
  readonly report: RuleReport;
  /** The newest refused set, if the one in force is older. */
  readonly refused: string | undefined;
};

export type RulesInForceOptions = {
  /** Data folder of all sensors. */
  readonly dir: string;
  /** Of the start. */
  readonly spec: RuleSetSpec;
  /** Its signal aborts when the host is closed. */
  readonly compile: CompileOptions;
  readonly log: Log;
  /** As of SensorHostOptions. */
  readonly reportsRefusal: boolean;
};

const ACTIVE_FILE = 'active-rules.json';
type Active = {readonly version: string; readonly spec: RuleSetSpec};

export class RulesInForce {
  readonly #options: RulesInForceOptions;
  #current: RuleSet | undefined;
  #refused: SensorError | undefined;
  #unavailable: string | undefined;
  /** The compilation under way. */
  #compiling: Promise<void>;

  /** Begins to compile. */
  constructor(options: RulesInForceOptions) {
    this.#options = options;
    this.#compiling = this.#first();
  }

  /** Undefined until the first is compiled, or if there is no set. */
  get current(): RuleSet | undefined {
    return this.#current;
  }

  /** Why the newest set was refused. */
  get refused(): string | undefined {
    return this.#refused?.message;
  }

  /** Why there is no set; undefined: there is one, or it is being compiled. */
  get unavailable(): string | undefined {
    return this.#unavailable;
  }

  status(): RuleSetStatus {
    return {
      version: this.#current?.version ?? '',
      rules: this.#current?.report.loaded ?? 0,
      report: this.#current?.report ?? NO_RULES,
      refused: this.refused,
    };
  }

  /** Resolves when nothing is being compiled; never rejects. */
  settled(): Promise<void> {
    return this.#compiling;
  }

  /** Resolves when a set is in force, be it an older one. Rejects with SensorError if there is no set. */
  async ready(): Promise<RuleSetStatus> {
    await this.#compiling;
    if (this.#current === undefined)
      throw this.#refused ?? new SensorError('engine-missing', this.#unavailable ?? 'no rule set');
    return this.status();
  }

  async #first(): Promise<void> {
    const {spec, compile} = this.#options;
    try {
      this.#current = await compileRuleSet(spec, compile);
      this.#warnOf(this.#current);
      await this.#writeActive(this.#current, spec);
    } catch (error) {
      this.#refused = refusal(error);
      if (compile.signal.aborted) return; // nobody asks for rules any longer
      this.#current = await this.#last(spec);
      this.#reportRefusal(this.#refused);
    }
  }

  #reportRefusal(refused: SensorError): void {
    const {log, reportsRefusal} = this.#options;
    const parts = refusalForLog(refused);
    if (this.#current !== undefined) {
      const inForce = this.#current.version;
      for (const {words, fields} of parts)
        log.error({...fields, inForce}, `the previous rule set stays active: ${words}`);
      return;
    }
    this.#unavailable = refused.message;
    const {code, message, refusal} = refused;
    if (reportsRefusal) log.error({code}, `no rule set: ${refusal?.words ?? message}`);
    else for (const {words, fields} of parts) log.error(fields, `no rule set: ${words}`);
  }

  #warnOf({indented, warnings, report}: RuleSet): void {
    const {log} = this.#options;
    for (const {words, fields} of reportForLog(report)) log.warn(fields, `rules are not active: ${words}`);
    if (warnings.length > 0) log.warn({warnings}, 'rules may not act as configured');
    if (indented.length === 0) return;
    const lines = indented.map(({file, line}) => `${file}, line ${line}`);
    log.warn({lines}, 'indented rules are not active, as Suricata skips them: remove the indentation');
  }

  async #last(spec: RuleSetSpec): Promise<RuleSet | undefined> {
    const {dir, compile, log} = this.#options;
    try {
      const active = JSON.parse(await readFile(join(dir, ACTIVE_FILE), 'utf8')) as Active;
      if (!isDeepStrictEqual(active.spec, spec)) {
        log.warn({made: active.spec}, 'previous rule set not used, it was made from other files');
        return undefined;
      }
      return await loadRuleSet(active.version, compile);
    } catch (error) {
      const fields = {error: messageOf(error)};
      if (systemCode(error) !== 'ENOENT') log.warn(fields, 'previous rule set not usable');
      return undefined;
    }
  }

  #writeActive({version}: RuleSet, spec: RuleSetSpec): Promise<void> {
    const active: Active = {version, spec};
    return replaceFile(join(this.#options.dir, ACTIVE_FILE), JSON.stringify(active));
  }

  /** Compiles, and lets `apply` bring a right set to the sensors. Throws SensorError (`rule-error` with every refused rule). */
  async replace(spec: RuleSetSpec, apply: (rules: RuleSet) => Promise<void>): Promise<RuleSetStatus> {
    const turn = this.#compiling.then(() => this.#replace(spec, apply));
    this.#compiling = turn.catch(() => {}); // reported to the caller
    await turn;
    return this.status();
  }

  async #replace(spec: RuleSetSpec, apply: (rules: RuleSet) => Promise<void>): Promise<void> {
    const inForce = this.#current === undefined ? [] : [this.#current.version];
    try {
      const rules = await compileRuleSet(spec, this.#options.compile, inForce);
      await apply(rules);
      this.#current = rules;
      this.#warnOf(rules);
      await this.#writeActive(rules, spec);
      this.#refused = undefined;
      this.#unavailable = undefined;
    } catch (error) {
      this.#refused = refusal(error);
      throw this.#refused;
    }
  }
}

const refusal = (error: unknown): SensorError =>
  isSensorError(error)
    ? error
    : new SensorError('rule-file', `The rule set could not be built: ${messageOf(error)}`, {cause: error});
