// SPDX-License-Identifier: Apache-2.0
/**
 * All sensors of a host: one Sensor per endpoint, the rules in force on them, and what a crash left.
 * Fits the `SensorHost` port of the control plane.
 */
import {mkdir} from 'node:fs/promises';
import type {EndpointRulesMessage, EvidenceKind, FlowFrames, FlowQuery, PacketHistory} from '@palisade/ids-wire';
import type {CaptureFactory} from '../capture/capture.ts';
import {chooseCapture} from '../capture/choose.ts';
import {CatalogReader} from '../catalog/catalog-reader.ts';
import type {RuleView} from '../catalog/rule-view.ts';
import type {FlowBudget} from '../flows/flow-files.ts';
import {readFlowFrames} from '../flows/flow-frames.ts';
import {FlowKeeper} from '../flows/flow-keeper.ts';
import type {CaptureDriver, SensorHealth, SensorSpec} from '../ports.ts';
import {NO_RULES} from '../rule-report.ts';
import {configOf, type RuleSet} from '../rules/rule-set.ts';
import type {RuleSetStatus} from '../rules/rules-in-force.ts';
import type {RuleSetSpec} from '../rules/sources.ts';
import {refusalReason} from '../sensor/reasons.ts';
import {type Counted, Sensor} from '../sensor/sensor.ts';
import type {SensorContext} from '../sensor/sensor-context.ts';
import {messageOf, SensorError} from '../sensor-error.ts';
import {findLauncher} from '../suricata/launch.ts';
import {unknownTo} from '../threat-id.ts';
import {endLeftover} from './end-leftover.ts';
import {removeLeftDevices} from './left-devices.ts';
import {clearLeftovers, type Leftovers} from './leftovers.ts';
import {planOf, type SensorHostOptions} from './options.ts';
import {type Prepared, prepare, userOf} from './prepare.ts';
import {checkedPlan, type RulePlan} from './rule-plan.ts';
import {
  allOrFailure,
  endpointRulesOf,
  type RuleSetUpdate,
  type RuleSetView,
  updateOf,
  viewOfSet,
} from './rule-set-view.ts';
import {RuleSets, type SetOutcome} from './rule-sets.ts';
import type {SwitchChange} from './rule-switches.ts';
import {Switchboard} from './switchboard.ts';

/** What a sensor can be run with. */
type Engine = {readonly context: SensorContext; readonly rules: RuleSets};

const NO_RULE_SET: RuleSetStatus = {version: '', rules: 0, report: NO_RULES, refused: undefined};

export class SuricataSensorHost {
  readonly driver: CaptureDriver;
  /** What is kept of alerts besides their records. */
  readonly evidence: EvidenceKind;
  readonly #options: SensorHostOptions;
  readonly #sensors = new Map<string, Sensor>();
  /** Endpoints that wait for their rules. */
  readonly #starting = new Set<string>();
  /** By endpoint. */
  readonly #leftovers: Map<string, SensorSpec>;
  readonly #orphansEnded: Promise<void>;
  /** What is being read of an endpoint that is gone; one of the same name waits for it. */
  readonly #endings = new Map<string, Promise<void>>();
  /** Or why there is no rule set. */
  readonly #engine: Engine | SensorError;
  /** Aborted when the host is closed. */
  readonly #closing = new AbortController();
  readonly #catalogs: CatalogReader;
  readonly #switchboard: Switchboard;
  readonly #flows: FlowKeeper;

  constructor(
    options: SensorHostOptions,
    capture: CaptureFactory,
    leftovers: Leftovers,
    prepared: Prepared | SensorError,
    switchboard: Switchboard,
  ) {
    this.#options = options;
    this.#switchboard = switchboard;
    this.#catalogs = new CatalogReader(options.timers);
    this.driver = capture.driver;
    this.evidence = options.evidence ?? 'none';
    this.#flows = new FlowKeeper(options);
    this.#leftovers = new Map(leftovers.specs.map(spec => [spec.endpoint, spec]));
    this.#orphansEnded = leftovers.ended.then(() =>
      prepared instanceof SensorError ? undefined : prepared.context.cgroups.clear(),
    );
    this.#engine = prepared instanceof SensorError ? prepared : this.#engineOf(prepared);
  }

  #engineOf({context, compile}: Prepared): Engine {
    const {dir, log, reportsRefusal = false} = this.#options;
    const signal = this.#closing.signal;
    const plan = this.#switchboard.planWith(checkedPlan(planOf(this.#options)));
    const inUse = () => [...this.#sensors.values()].map(sensor => sensor.ruleSetVersion);
    const rules = new RuleSets({plan, dir, compile: {...compile, signal}, log, reportsRefusal, inUse});
    return {rules, context: {...context, configOf: set => configOf(set, rules.compileOf(set))}};
  }

  get #rules(): RuleSets | undefined {
    return this.#engine instanceof SensorError ? undefined : this.#engine.rules;
  }

  /** Undefined: a sensor can run here. Otherwise why not, and what to do. */
  get unavailable(): string | undefined {
    return this.#engine instanceof SensorError ? this.#engine.message : this.#engine.rules.unavailable;
  }

  /**
   * Resolves to the default set when every configured set is compiled, or was refused while an older one of it stays in force. Rejects with
   * SensorError if one has no rules.
   */
  async ready(): Promise<RuleSetStatus> {
    if (this.#engine instanceof SensorError) throw new SensorError('engine-missing', this.#engine.message);
    return this.#engine.rules.ready();
  }

  /** The default set. */
  ruleSet(): RuleSetStatus {
    return this.#rules?.defaultSet().rules.status() ?? NO_RULE_SET;
  }

  /**
   * Compiles the default set of this specification and, when right, puts it in force, live. Throws SensorError (`rule-error` with every
   * refused rule); then nothing changed.
   */
  async setRules(spec: RuleSetSpec): Promise<RuleSetStatus> {
    const {ruleSets, ...plan} = this.#mustRun().rules.plan;
    const [first, ...others] = await this.#setPlan({...plan, ruleSets: [spec, ...ruleSets.slice(1)]});
    const outcome = [first, ...others].find(each => each?.id === spec.name);
    if (outcome?.error !== undefined) throw outcome.error;
    return this.ruleSet();
  }

  /**
   * Compiles every set of a plan and puts it in force, live, and binds the endpoints by it. A set that is refused keeps its previous
   * version; the outcome says so. Throws Error for a plan with faults.
   */
  setRulePlan(plan: RulePlan): Promise<readonly SetOutcome[]> {
    return this.#setPlan(checkedPlan(plan));
  }

  async #setPlan(plan: RulePlan): Promise<readonly SetOutcome[]> {
    const {rules} = this.#mustRun();
    const outcomes = await rules.setPlan(this.#switchboard.planWith(plan), this.#apply);
    for (const [endpoint, sensor] of this.#sensors) {
      const set = rules.of(endpoint);
      const isNew = !outcomes.some(({id}) => id === set.id);
      try {
        await sensor.reload(await rules.rulesOf(set));
      } catch (error) {
        if (!(error instanceof SensorError)) throw error;
        if (isNew) outcomes.push({id: set.id, previousVersion: '', error});
      }
    }
    await this.#dropUnused(rules);
    return outcomes;
  }

  readonly #apply = async (id: string, set: RuleSet): Promise<void> => {
    for (const [endpoint, sensor] of this.#sensors) if (this.#rules?.idOf(endpoint) === id) await sensor.reload(set);
  };

  #dropUnused(rules: RuleSets): Promise<void> {
    const used = new Set([...this.#sensors.keys(), ...this.#starting].map(endpoint => rules.idOf(endpoint)));
    return rules.drop(id => used.has(id));
  }

  /** Every set that is compiled, the default one first. */
  ruleSets(): readonly RuleSetView[] {
    const rules = this.#rules;
    return rules?.all().map(set => viewOfSet(set, rules.plan, this.#endpointsOf(set.id))) ?? [];
  }

  /** All rules of a set by sid, active or not; undefined: there is no such set. */
  async rulesOfSet(id: string): Promise<readonly RuleView[] | undefined> {
    const set = this.#rules?.find(id);
    if (set === undefined) return undefined;
    return this.#switchboard.shown(set.name, await this.#catalogs.read(set.rules.current));
  }

  /** The rule of that id (`gid:sid`) in the set of the endpoint, which may be gone; undefined: it has none. */
  async ruleOf(endpoint: string, id: string): Promise<{readonly set: string; readonly rule: RuleView} | undefined> {
    const set = this.#rules?.of(endpoint);
    const rule = set?.rules.current === undefined ? undefined : await this.#catalogs.find(set.rules.current, id);
    return set === undefined || rule === undefined ? undefined : {set: set.id, rule};
  }

  /** What the capture files of flows with alerts hold of one flow, also of an endpoint that is gone. */
  flowFrames(query: FlowQuery): Promise<FlowFrames> {
    return readFlowFrames(this.#options.dir, query);
  }

  /** Acts from the next look at those files. */
  setFlowBudget(budget: FlowBudget): void {
    this.#flows.budget = budget;
  }

  /** Keeps those files within their budget, as it is done at intervals. */
  tidyFlows(): Promise<void> {
    return this.#flows.tidy();
  }

  /**
   * Reads the sources of a set, or of all sets, again, and puts what is new in force, live. Throws SensorError that names every set that
   * was refused, and so keeps its previous version.
   */
  async updateRules(id?: string): Promise<readonly RuleSetUpdate[]> {
    const {rules} = this.#mustRun();
    await this.#dropUnused(rules);
    const outcomes = allOrFailure(await rules.update(id, this.#apply));
    return outcomes.map(outcome => updateOf(outcome, this.#endpointsOf(outcome.id)));
  }

  /** Turns rules of the configured set behind `id` on and off, live. Throws SensorError; then nothing changed. */
  async switchRules(id: string, change: SwitchChange): Promise<readonly RuleSetUpdate[]> {
    const {rules} = this.#mustRun();
    const name = rules.find(id)?.name ?? id;
    const outcomes = await this.#switchboard.change(rules, name, change, this.#apply);
    return outcomes.map(outcome => updateOf(outcome, this.#endpointsOf(outcome.id)));
  }

  /** The sensors of a set, in the order of their names. */
  #endpointsOf(id: string): EndpointRulesMessage[] {
    return this.endpoints().flatMap(endpoint => {
      const health = this.#rules?.idOf(endpoint) === id ? this.health(endpoint) : undefined;
      return health === undefined ? [] : [endpointRulesOf(endpoint, health)];
    });
  }

  #mustRun(): Engine {
    if (this.#closing.signal.aborted) throw new SensorError('closed', 'the sensor host is closed');
    if (this.#engine instanceof SensorError) throw new SensorError('engine-missing', this.#engine.message);
    return this.#engine;
  }

  async start(
    spec: SensorSpec,
    opts: {readonly signal: AbortSignal; readonly onProgress: (message: string) => void},
  ): Promise<void> {
    const {context, rules} = this.#mustRun();
    const existing = this.#sensors.get(spec.endpoint);
    if (existing !== undefined) {
      await existing.update(spec);
      return;
    }
    opts.onProgress('Verifying the rule set');
    await this.#orphansEnded;
    await this.#endings.get(spec.endpoint)?.catch(() => undefined); // the folder then stays, and is read with this one's settings
    const set = await this.#rulesFor(spec.endpoint, rules);
    this.#mustRun(); // closed meanwhile?
    if (opts.signal.aborted) throw new SensorError('aborted', 'the start was cancelled');
    const sensor = new Sensor(spec, set, context);
    this.#sensors.set(spec.endpoint, sensor);
    this.#leftovers.delete(spec.endpoint);
    try {
      await sensor.start(opts.signal, opts.onProgress);
    } catch (error) {
      this.#sensors.delete(spec.endpoint);
      if (await sensor.hasFolder()) this.#leftovers.set(spec.endpoint, spec);
      throw error;
    }
    await this.#bringUpToDate(sensor, rules);
    this.#warnOfExceptions(sensor);
  }

  /** Its set is kept meanwhile, whatever plan comes. */
  async #rulesFor(endpoint: string, rules: RuleSets): Promise<RuleSet> {
    this.#starting.add(endpoint);
    try {
      return await rules.newestOf(endpoint);
    } finally {
      this.#starting.delete(endpoint);
    }
  }

  /** Rules or the plan were perhaps replaced while it started. */
  async #bringUpToDate(sensor: Sensor, rules: RuleSets): Promise<void> {
    const {endpoint} = sensor.spec;
    try {
      await sensor.reload(await rules.newestOf(endpoint));
    } catch (error) {
      if (!(error instanceof SensorError)) throw error;
      if (this.#closing.signal.aborted) return;
      const {code, message} = error;
      this.#options.log.error({endpoint, code}, `the previous rule set stays active: ${message}`);
    }
  }

  #warnOfExceptions(sensor: Sensor): void {
    const unknown = sensor.unknownExceptions(sensor.spec.threatExceptions);
    if (unknown.length > 0)
      this.#options.log.warn({endpoint: sensor.spec.endpoint, unknown}, 'threat exceptions match no active signature');
  }

  async update(spec: SensorSpec): Promise<void> {
    const sensor = this.#sensors.get(spec.endpoint);
    if (sensor === undefined) return;
    await sensor.update(spec);
    this.#warnOfExceptions(sensor);
  }

  async stop(endpoint: string): Promise<void> {
    const sensor = this.#sensors.get(endpoint);
    if (sensor !== undefined) {
      await sensor.stop(true);
      this.#sensors.delete(endpoint);
    }
    const left = this.#leftovers.get(endpoint);
    if (left === undefined) return;
    const ending = this.#endings.get(endpoint) ?? this.#endLeftover(left).finally(() => this.#endings.delete(endpoint));
    this.#endings.set(endpoint, ending);
    await ending;
  }

  async #endLeftover(spec: SensorSpec): Promise<void> {
    const rules = this.#rules;
    await rules?.settled();
    await this.#orphansEnded;
    await endLeftover(spec, id => rules?.seek(spec.endpoint)?.rules.current?.signatures.get(id), this.#options);
    this.#leftovers.delete(spec.endpoint);
  }

  health(endpoint: string): SensorHealth | undefined {
    const rules = this.#rules;
    const sensor = this.#sensors.get(endpoint);
    if (rules === undefined || sensor === undefined) return undefined;
    const set = rules.seek(endpoint);
    const refused = set?.rules.refused;
    const why = refused === undefined ? undefined : refusalReason(refused);
    return {...sensor.health(why), ruleSet: set?.id ?? rules.idOf(endpoint)};
  }

  /** Its packets over time; undefined: no sensor runs for it. */
  packetHistory(endpoint: string): PacketHistory | undefined {
    return this.#sensors.get(endpoint)?.history;
  }

  /** What counters of a monitoring system are made of: of what is on disk, so it is some seconds older than `health` and never goes down. */
  counted(endpoint: string): Counted | undefined {
    return this.#sensors.get(endpoint)?.counted();
  }

  /** Those of `ids` that match no signature in force on the endpoint, or on one to come; undefined: there is no rule set. */
  unknownExceptions(ids: readonly string[], endpoint: string): readonly string[] | undefined {
    const rules = this.#rules?.seek(endpoint)?.rules.current;
    return this.#sensors.get(endpoint)?.unknownExceptions(ids) ?? (rules && unknownTo(rules, ids));
  }

  /** Those that run, are being started or are being restarted. */
  endpoints(): readonly string[] {
    return [...this.#sensors.keys()].sort();
  }

  /** Endpoints of an earlier server, with a folder of perhaps unread events, that were neither started nor stopped yet. `stop` clears one. */
  leftovers(): readonly string[] {
    return [...this.#leftovers.keys()].sort();
  }

  /** Gives up a verification of rules under way, then stops every sensor; what they hold is read to its end. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#catalogs.close();
    await this.#flows.close();
    await this.#rules?.settled();
    await this.#orphansEnded;
    const results = await Promise.allSettled([...this.#sensors.values()].map(sensor => sensor.stop(false)));
    this.#sensors.clear();
    for (const result of results)
      if (result.status === 'rejected')
        this.#options.log.error({error: messageOf(result.reason)}, 'sensor did not stop cleanly');
  }
}

/**
 * Resolves soon: rules are compiled in the background (`ready`). Without a usable Suricata the host is there and says so in `unavailable`.
 * Throws SensorError `driver-unavailable` for a driver that was asked for by name and cannot be used here.
 */
export const createSensorHost = async (options: SensorHostOptions): Promise<SuricataSensorHost> => {
  const {dir, timers, log} = options;
  await mkdir(dir, {recursive: true, mode: 0o700});
  const switchboard = await Switchboard.open(options.switches);
  const launcher = await findLauncher(userOf(options));
  const {acceptAnyVni = false, mirrorFrom = [], captureInterfaces = [], suricata} = options;
  const wish = {launcher, dataDir: dir, suricata, timers, acceptAnyVni, mirrorFrom, captureInterfaces};
  const {capture, passedBy} = await chooseCapture(options.driver, wish);
  for (const {driver, why} of passedBy) log.info({driver, why}, 'capture driver not usable');
  log.info({driver: capture.driver}, 'capture driver chosen');
  if (captureInterfaces.length > 0 && capture.driver !== 'afpacket-bpf')
    log.warn(
      {driver: capture.driver, captureInterfaces},
      '--capture-interface not used, this driver takes any interface',
    );
  const leftovers = await clearLeftovers(dir, timers, log);
  const ended = leftovers.ended.then(() => removeLeftDevices(dir, log));
  const prepared = await prepare(options, capture, launcher);
  return new SuricataSensorHost(options, capture, {...leftovers, ended}, prepared, switchboard);
};
