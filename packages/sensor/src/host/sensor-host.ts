// SPDX-License-Identifier: Apache-2.0
/**
 * All sensors of a host: one Sensor per endpoint, the rules in force on them, and what a crash left.
 * Fits the `SensorHost` port of the control plane.
 */
import {mkdir} from 'node:fs/promises';
import type {CaptureFactory} from '../capture/capture.ts';
import {chooseCapture} from '../capture/choose.ts';
import type {CaptureDriver, SensorHealth, SensorSpec} from '../ports.ts';
import {NO_RULES} from '../rule-report.ts';
import {type RuleSetStatus, RulesInForce} from '../rules/rules-in-force.ts';
import type {RuleSetSpec} from '../rules/sources.ts';
import {type Counted, Sensor} from '../sensor/sensor.ts';
import type {SensorContext} from '../sensor/sensor-context.ts';
import {messageOf, SensorError} from '../sensor-error.ts';
import {findLauncher} from '../suricata/launch.ts';
import {unknownTo} from '../threat-id.ts';
import {endLeftover} from './end-leftover.ts';
import {removeLeftDevices} from './left-devices.ts';
import {clearLeftovers, type Leftovers} from './leftovers.ts';
import type {SensorHostOptions} from './options.ts';
import {type Prepared, prepare, userOf} from './prepare.ts';

/** What a sensor can be run with. */
type Engine = {readonly context: SensorContext; readonly rules: RulesInForce};

const NO_RULE_SET: RuleSetStatus = {version: '', rules: 0, report: NO_RULES, refused: undefined};

export class SuricataSensorHost {
  readonly driver: CaptureDriver;
  readonly #options: SensorHostOptions;
  readonly #sensors = new Map<string, Sensor>();
  /** By endpoint. */
  readonly #leftovers: Map<string, SensorSpec>;
  readonly #orphansEnded: Promise<void>;
  /** Or why there is no rule set. */
  readonly #engine: Engine | SensorError;
  /** Aborted when the host is closed. */
  readonly #closing = new AbortController();

  constructor(
    options: SensorHostOptions,
    capture: CaptureFactory,
    leftovers: Leftovers,
    prepared: Prepared | SensorError,
  ) {
    this.#options = options;
    this.driver = capture.driver;
    this.#leftovers = new Map(leftovers.specs.map(spec => [spec.endpoint, spec]));
    this.#orphansEnded = leftovers.ended.then(() =>
      prepared instanceof SensorError ? undefined : prepared.context.cgroups.clear(),
    );
    this.#engine = prepared instanceof SensorError ? prepared : this.#engineOf(prepared);
  }

  #engineOf({context, compile}: Prepared): Engine {
    const {dir, rules: spec, log, reportsRefusal = false} = this.#options;
    const signal = this.#closing.signal;
    const rules = new RulesInForce({dir, spec, compile: {...compile, signal}, log, reportsRefusal});
    return {context, rules};
  }

  get #rules(): RulesInForce | undefined {
    return this.#engine instanceof SensorError ? undefined : this.#engine.rules;
  }

  /** Undefined: a sensor can run here. Otherwise why not, and what to do. */
  get unavailable(): string | undefined {
    return this.#engine instanceof SensorError ? this.#engine.message : this.#engine.rules.unavailable;
  }

  /** Resolves when the rule set is compiled, or was refused while an older one stays in force. Rejects with SensorError if there is no set. */
  async ready(): Promise<RuleSetStatus> {
    if (this.#engine instanceof SensorError) throw new SensorError('engine-missing', this.#engine.message);
    return this.#engine.rules.ready();
  }

  ruleSet(): RuleSetStatus {
    return this.#rules?.status() ?? NO_RULE_SET;
  }

  /**
   * Compiles and, when right, puts in force everywhere, live. Throws SensorError (`rule-error` with every refused rule); then nothing changed.
   */
  async setRules(spec: RuleSetSpec): Promise<RuleSetStatus> {
    return this.#mustRun().rules.replace(spec, async rules => {
      for (const sensor of this.#sensors.values()) await sensor.reload(rules);
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
    await rules.ready();
    await this.#orphansEnded;
    this.#mustRun(); // closed meanwhile?
    if (rules.current === undefined || opts.signal.aborted) throw new SensorError('aborted', 'the start was cancelled');
    const sensor = new Sensor(spec, rules.current, context);
    this.#sensors.set(spec.endpoint, sensor);
    this.#leftovers.delete(spec.endpoint);
    try {
      await sensor.start(opts.signal, opts.onProgress);
    } catch (error) {
      this.#sensors.delete(spec.endpoint);
      if (await sensor.hasFolder()) this.#leftovers.set(spec.endpoint, spec);
      throw error;
    }
    this.#warnOfExceptions(sensor);
  }

  #warnOfExceptions(sensor: Sensor): void {
    const unknown = sensor.health(undefined).unknownExceptions;
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
    if (left !== undefined) await this.#endLeftover(left);
    this.#leftovers.delete(endpoint);
  }

  async #endLeftover(spec: SensorSpec): Promise<void> {
    await this.#rules?.settled();
    await this.#orphansEnded;
    await endLeftover(spec, id => this.#rules?.current?.signatures.get(id), this.#options);
  }

  health(endpoint: string): SensorHealth | undefined {
    return this.#sensors.get(endpoint)?.health(this.#rules?.refused);
  }

  /** What counters of a monitoring system are made of: of what is on disk, so it is some seconds older than `health` and never goes down. */
  counted(endpoint: string): Counted | undefined {
    return this.#sensors.get(endpoint)?.counted();
  }

  /** Those of `ids` that match no signature in force on the endpoint, or on one to come; undefined: there is no rule set. */
  unknownExceptions(ids: readonly string[], endpoint: string): readonly string[] | undefined {
    const rules = this.#rules?.current;
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
  const launcher = await findLauncher(userOf(options));
  const {acceptAnyVni = false, mirrorFrom = []} = options;
  const {capture, passedBy} = await chooseCapture(options.driver, {launcher, dataDir: dir, acceptAnyVni, mirrorFrom});
  for (const {driver, why} of passedBy) log.info({driver, why}, 'capture driver not usable');
  log.info({driver: capture.driver}, 'capture driver chosen');
  const leftovers = await clearLeftovers(dir, timers, log);
  const ended = leftovers.ended.then(() => removeLeftDevices(dir, log));
  return new SuricataSensorHost(options, capture, {...leftovers, ended}, await prepare(options, capture, launcher));
};
