// SPDX-License-Identifier: Apache-2.0
/**
 * The rule sets of a host, and which of them each endpoint inspects with. Each set is compiled by itself: one that is refused keeps its
 * own previous version and is no matter of the others. A set with variables of some endpoints is compiled when the first of them starts.
 */
import {readdir} from 'node:fs/promises';
import {Gate} from '../gate.ts';
import type {Log} from '../ports.ts';
import type {CompileOptions, RuleSet} from '../rules/rule-set.ts';
import {
  activeId,
  DEFAULT_SET,
  forgetActive,
  type RuleSetStatus,
  RulesInForce,
  readActive,
} from '../rules/rules-in-force.ts';
import {SensorError} from '../sensor-error.ts';
import {chooseRules, type RuleChoice, type RulePlan} from './rule-plan.ts';

export type RuleSetsOptions = {
  readonly plan: RulePlan;
  /** Data folder of all sensors. */
  readonly dir: string;
  readonly compile: CompileOptions;
  readonly log: Log;
  readonly reportsRefusal: boolean;
  /** Versions that sensors run with: also of a set that is no longer configured. */
  readonly inUse: () => readonly string[];
};

/** A set that is compiled, or being compiled. */
export type CompiledSet = {
  readonly id: string;
  /** The configured name. */
  readonly name: string;
  readonly vars: RuleChoice['vars'];
  readonly rules: RulesInForce;
};

/** What became of one set. */
export type SetOutcome = {readonly id: string; readonly previousVersion: string} & (
  | {readonly status: RuleSetStatus; readonly error?: undefined}
  | {readonly error: SensorError}
);

/** Brings rules to the sensors of a set. */
type Apply = (id: string, rules: RuleSet) => Promise<void>;

/** The default set is meant where none is named. */
const inSet = (id: string, error: SensorError): SensorError => {
  if (id === DEFAULT_SET) return error;
  const {code, message, refusal, cause} = error;
  const named = `rule set "${id}": `;
  const details = refusal === undefined ? {} : {refusal: {...refusal, words: `${named}${refusal.words}`}};
  return new SensorError(code, `${named}${message}`, {...details, cause});
};

export class RuleSets {
  readonly #options: RuleSetsOptions;
  readonly #gate = new Gate(1);
  readonly #sets = new Map<string, CompiledSet>();
  readonly #configOf = new WeakMap<RuleSet, CompileOptions>();
  #plan: RulePlan;

  /** Begins to compile every set of the plan. */
  constructor(options: RuleSetsOptions) {
    this.#options = options;
    this.#plan = options.plan;
    for (const set of this.#plan.ruleSets) this.#open({id: set.name, set, vars: {}});
    void this.#forgetOthers();
  }

  get plan(): RulePlan {
    return this.#plan;
  }

  #open({id, set, vars}: RuleChoice): CompiledSet {
    const {dir, compile, log, reportsRefusal} = this.#options;
    const own = {...compile, vars: {...compile.vars, ...vars}};
    const rules = new RulesInForce({
      ...{id, dir, spec: set, compile: own, log, gate: this.#gate, keep: () => this.#versions()},
      reportsRefusal: reportsRefusal && Object.keys(vars).length === 0,
    });
    const compiled = {id, name: set.name, vars, rules};
    this.#sets.set(id, compiled);
    return compiled;
  }

  /** Of all sets: in force, or last in force and perhaps still wanted; and those that a restart of a sensor needs. */
  async #versions(): Promise<string[]> {
    const {dir, inUse} = this.#options;
    const ids = (await readdir(dir)).flatMap(name => activeId(name) ?? []);
    const active = await Promise.all(ids.map(id => readActive(dir, id).catch(() => undefined)));
    const current = [...this.#sets.values()].map(({rules}) => rules.current);
    return [...inUse(), ...[...current, ...active].flatMap(set => set?.version ?? [])];
  }

  /** Marks of sets that are no longer configured. */
  async #forgetOthers(): Promise<void> {
    const {dir, log} = this.#options;
    const names = this.#plan.ruleSets.map(({name}) => name);
    try {
      const ids = (await readdir(dir)).flatMap(name => activeId(name) ?? []);
      for (const id of ids) if (!names.includes(id.split('~')[0] ?? '')) await forgetActive(dir, id);
    } catch (error) {
      log.warn({err: error}, 'marks of former rule sets not removed');
    }
  }

  all(): readonly CompiledSet[] {
    return [...this.#sets.values()];
  }

  find(id: string): CompiledSet | undefined {
    return this.#sets.get(id);
  }

  idOf(endpoint: string): string {
    return chooseRules(this.#plan, endpoint).id;
  }

  /** Of an endpoint; undefined: its set was not asked for yet. */
  seek(endpoint: string): CompiledSet | undefined {
    return this.#sets.get(this.idOf(endpoint));
  }

  /** Of an endpoint that starts. */
  of(endpoint: string): CompiledSet {
    const choice = chooseRules(this.#plan, endpoint);
    const there = this.#sets.get(choice.id);
    const isRetried = there?.rules.unavailable !== undefined && choice.id !== choice.set.name;
    return there === undefined || isRetried ? this.#open(choice) : there;
  }

  /** Resolves when the set has rules, be they older ones. Throws SensorError if it has none. */
  async rulesOf({id, rules}: CompiledSet): Promise<RuleSet> {
    try {
      await rules.ready();
    } catch (error) {
      throw error instanceof SensorError ? inSet(id, error) : error;
    }
    if (rules.current === undefined) throw new SensorError('aborted', 'the start was cancelled');
    return this.#known(rules.current, rules);
  }

  #known(set: RuleSet, {compile}: RulesInForce): RuleSet {
    this.#configOf.set(set, compile);
    return set;
  }

  /** In force for an endpoint just now; of a set that it is the first to ask for, once it is compiled. Throws SensorError as `rulesOf`. */
  async newestOf(endpoint: string): Promise<RuleSet> {
    const set = this.of(endpoint);
    const {current} = set.rules;
    return current === undefined ? this.rulesOf(set) : this.#known(current, set.rules);
  }

  /** What a set of `rulesOf` was compiled with. */
  compileOf(set: RuleSet): CompileOptions {
    return this.#configOf.get(set) ?? this.#options.compile;
  }

  /** Of the default set, when every configured set has rules. Throws SensorError of the first that has none. */
  async ready(): Promise<RuleSetStatus> {
    for (const {name} of this.#plan.ruleSets) {
      const set = this.#sets.get(name);
      if (set !== undefined) await this.rulesOf(set);
    }
    return this.defaultSet().rules.status();
  }

  defaultSet(): CompiledSet {
    const set = this.#sets.get(this.#plan.ruleSets[0]?.name ?? '');
    if (set === undefined) throw new Error('the default rule set is always there');
    return set;
  }

  /** Why no set has rules; undefined: one has, or is being compiled. */
  get unavailable(): string | undefined {
    const reasons = this.all().map(({rules}) => rules.unavailable);
    return reasons.includes(undefined) ? undefined : reasons[0];
  }

  /** Nothing is being compiled. */
  async settled(): Promise<void> {
    await Promise.all(this.all().map(({rules}) => rules.settled()));
  }

  /** Reads the sources of a set again, or of all. */
  update(id: string | undefined, apply: Apply): Promise<SetOutcome[]> {
    const asked = this.all().filter(set => id === undefined || set.id === id);
    return this.#replaceEach(asked, apply);
  }

  /** Compiles one configured set by another plan, which differs in this set alone. */
  replaceSet(name: string, plan: RulePlan, apply: Apply): Promise<SetOutcome[]> {
    this.#plan = plan;
    return this.#replaceEach(
      this.all().filter(set => set.name === name),
      apply,
    );
  }

  /** Compiles by another plan, which has no faults; sets that only the old one has are dropped once `apply` has been called for all. */
  async setPlan(plan: RulePlan, apply: Apply): Promise<SetOutcome[]> {
    const before = this.all();
    this.#plan = plan;
    const names = new Map(plan.ruleSets.map(set => [set.name, set]));
    const kept = before.filter(({name}) => names.has(name));
    for (const set of plan.ruleSets) if (!this.#sets.has(set.name)) this.#open({id: set.name, set, vars: {}});
    const fresh = this.all().filter(set => !before.includes(set));
    const outcomes = await this.#replaceEach(kept, apply);
    for (const set of fresh) outcomes.push(await this.#first(set));
    return outcomes;
  }

  async #first(set: CompiledSet): Promise<SetOutcome> {
    await set.rules.settled();
    const outcome = {id: set.id, previousVersion: ''};
    const {refused} = set.rules;
    return refused === undefined
      ? {...outcome, status: set.rules.status()}
      : {...outcome, error: inSet(set.id, refused)};
  }

  async #replaceEach(sets: readonly CompiledSet[], apply: Apply): Promise<SetOutcome[]> {
    const outcomes: SetOutcome[] = [];
    for (const {id, name, rules} of sets) {
      const previousVersion = rules.current?.version ?? '';
      const spec = this.#plan.ruleSets.find(set => set.name === name) ?? rules.spec;
      try {
        const status = await rules.replace(spec, async set => {
          await apply(id, this.#known(set, rules));
        });
        outcomes.push({id, previousVersion, status});
      } catch (error) {
        if (!(error instanceof SensorError)) throw error;
        outcomes.push({id, previousVersion, error: inSet(id, error)});
      }
    }
    return outcomes;
  }

  /** Forgets sets that no plan and no endpoint names any more. */
  async drop(isUsed: (id: string) => boolean): Promise<void> {
    const names = this.#plan.ruleSets.map(({name}) => name);
    for (const {id, name} of this.all()) {
      if (names.includes(name) && (id === name || isUsed(id))) continue;
      this.#sets.delete(id);
      await forgetActive(this.#options.dir, id);
    }
  }
}
