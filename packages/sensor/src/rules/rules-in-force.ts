// SPDX-License-Identifier: Apache-2.0
/**
 * One rule set of a host that is in force on its sensors, compiled in the background at the start and replaced when it is asked for.
 * I1 A set that is refused changes nothing; at the start it leaves the one that was last in force, which its active file names, if that
 *    one was made from the same sources: rules that the user has replaced by others are no stand-in for them.
 * I2 One compilation at a time, of all sets that share a gate.
 */
import {readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import type {Gate} from '../gate.ts';
import type {Log} from '../ports.ts';
import {replaceFile} from '../replace-file.ts';
import {NO_RULES, type RuleReport} from '../rule-report.ts';
import {isSensorError, messageOf, SensorError, systemCode} from '../sensor-error.ts';
import {refusalForLog, reportForLog} from './refused-rules.ts';
import {type CompileOptions, compileRuleSet, loadRuleSet, type RuleSet} from './rule-set.ts';
import {isUrl, shownPlace} from './source/rule-file.ts';
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
  /** The name of the set, and a mark of variables of its own. */
  readonly id: string;
  /** Data folder of all sensors. */
  readonly dir: string;
  /** Of the start. */
  readonly spec: RuleSetSpec;
  /** Its signal aborts when the host is closed. */
  readonly compile: CompileOptions;
  readonly log: Log;
  /** As of SensorHostOptions. */
  readonly reportsRefusal: boolean;
  /** Lets one compilation run at a time. */
  readonly gate: Gate;
  /** Versions of all sets that must not be pruned. */
  readonly keep: () => Promise<readonly string[]>;
};

export const DEFAULT_SET = 'default';
const ACTIVE = 'active-rules';
/** Of the set with this id. */
const activeFile = (id: string): string => (id === DEFAULT_SET ? `${ACTIVE}.json` : `${ACTIVE}.${id}.json`);
const ACTIVE_NAME = new RegExp(`^${ACTIVE}(?:\\.(.+))?\\.json$`);

/** The id of the set whose active file has this name; undefined: it is no active file. */
export const activeId = (name: string): string | undefined => {
  const found = ACTIVE_NAME.exec(name);
  return found === null ? undefined : (found[1] ?? DEFAULT_SET);
};

type Active = {
  readonly version: string;
  readonly spec: RuleSetSpec;
  /** When it took the place of other rules. */
  readonly changedAtMs?: number | undefined;
};

/** Undefined: there is no such file. */
export const readActive = async (dir: string, id: string): Promise<Active | undefined> => {
  try {
    return JSON.parse(await readFile(join(dir, activeFile(id)), 'utf8')) as Active;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/** The set is no longer configured. */
export const forgetActive = (dir: string, id: string): Promise<void> => rm(join(dir, activeFile(id)), {force: true});

export class RulesInForce {
  readonly #options: RulesInForceOptions;
  #spec: RuleSetSpec;
  #readAtMs: number | undefined;
  #current: RuleSet | undefined;
  #refused: SensorError | undefined;
  #unavailable: string | undefined;
  /** The compilation under way. */
  #compiling: Promise<void>;

  /** Begins to compile. */
  constructor(options: RulesInForceOptions) {
    this.#options = options;
    this.#spec = options.spec;
    this.#compiling = this.#first();
  }

  get id(): string {
    return this.#options.id;
  }

  /** The newest that was asked for. */
  get spec(): RuleSetSpec {
    return this.#spec;
  }

  get compile(): CompileOptions {
    return this.#options.compile;
  }

  /** When the sources were read last; undefined before the first time. */
  get readAtMs(): number | undefined {
    return this.#readAtMs;
  }

  /** Undefined until the first is compiled, or if there is no set. */
  get current(): RuleSet | undefined {
    return this.#current;
  }

  /** Why the newest set was refused. */
  get refused(): SensorError | undefined {
    return this.#refused;
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
      refused: this.#refused?.message,
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

  /** Fields of a line of the log. */
  get #which(): object {
    return this.id === DEFAULT_SET ? {} : {set: this.id};
  }

  /** Throws SensorError. */
  async #compile(spec: RuleSetSpec): Promise<RuleSet> {
    const {compile, gate, keep} = this.#options;
    try {
      return await gate.run(compile.signal, async () => {
        this.#sayDownload(spec);
        const rules = await compileRuleSet(spec, compile, await keep());
        this.#readAtMs = compile.clock.now();
        return rules;
      });
    } catch (error) {
      throw refusal(error);
    }
  }

  /** It may take as long as `downloadTimeoutMs`, and a start waits for it. */
  #sayDownload({sources}: RuleSetSpec): void {
    const from = sources.filter(({at}) => isUrl(at)).map(({at}) => shownPlace(at));
    if (from.length > 0) this.#options.log.info({from, ...this.#which}, 'rule download started');
  }

  async #first(): Promise<void> {
    const {compile} = this.#options;
    const spec = this.#spec;
    try {
      const before = await readActive(this.#options.dir, this.id).catch(() => undefined);
      this.#current = this.#dated(await this.#compile(spec), before);
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
        log.error({...fields, ...this.#which, inForce}, `the previous rule set stays active: ${words}`);
      return;
    }
    this.#unavailable = refused.message;
    const {code, message, refusal} = refused;
    if (reportsRefusal) log.error({code, ...this.#which}, `no rule set: ${refusal?.words ?? message}`);
    else for (const {words, fields} of parts) log.error({...fields, ...this.#which}, `no rule set: ${words}`);
  }

  #warnOf({indented, warnings, report}: RuleSet): void {
    const {log} = this.#options;
    for (const {words, fields} of reportForLog(report))
      log.warn({...fields, ...this.#which}, `rules are not active: ${words}`);
    if (warnings.length > 0) log.warn({warnings, ...this.#which}, 'rules may not act as configured');
    if (indented.length === 0) return;
    const lines = indented.map(({file, line}) => `${file}, line ${line}`);
    log.warn({lines, ...this.#which}, 'indented rules are not active, as Suricata skips them: remove the indentation');
  }

  async #last(spec: RuleSetSpec): Promise<RuleSet | undefined> {
    const {dir, compile, log} = this.#options;
    try {
      const active = await readActive(dir, this.id);
      if (active === undefined) return undefined;
      if (!isDeepStrictEqual(active.spec, JSON.parse(JSON.stringify(spec)))) {
        const fields = {made: active.spec, ...this.#which};
        log.warn(fields, 'previous rule set not used, it was made from other files');
        return undefined;
      }
      const found = await loadRuleSet(active.version, spec, compile);
      return found && this.#dated(found, active);
    } catch (error) {
      log.warn({error: messageOf(error), ...this.#which}, 'previous rule set not usable');
      return undefined;
    }
  }

  /** Rules that are in the place of others were changed just now, also by a list that they name. */
  #dated(rules: RuleSet, before: Pick<Active, 'version' | 'changedAtMs'> | undefined): RuleSet {
    if (before === undefined) return rules;
    const isSame = before.version === rules.version;
    return {...rules, changedAtMs: isSame ? before.changedAtMs : this.#options.compile.clock.now()};
  }

  #writeActive({version, changedAtMs}: RuleSet, spec: RuleSetSpec): Promise<void> {
    const active: Active = {version, spec, changedAtMs};
    return replaceFile(join(this.#options.dir, activeFile(this.id)), JSON.stringify(active));
  }

  /** Compiles, and lets `apply` bring a right set to the sensors. Throws SensorError (`rule-error` with every refused rule). */
  async replace(spec: RuleSetSpec, apply: (rules: RuleSet) => Promise<void>): Promise<RuleSetStatus> {
    const turn = this.#compiling.then(() => this.#replace(spec, apply));
    this.#compiling = turn.catch(() => {}); // reported to the caller
    await turn;
    return this.status();
  }

  async #replace(spec: RuleSetSpec, apply: (rules: RuleSet) => Promise<void>): Promise<void> {
    this.#spec = spec;
    try {
      const rules = this.#dated(await this.#compile(spec), this.#current);
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
