// SPDX-License-Identifier: Apache-2.0
/**
 * All sensors of a host: finds Suricata, compiles the rule set, ends what a crash left, and keeps one Sensor per endpoint.
 * Fits the `SensorHost` port of the control plane.
 */
import {mkdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {CaptureFactory} from './capture/capture.ts';
import {chooseCapture} from './capture/choose.ts';
import {RecordPump} from './eve/record-pump.ts';
import {Gate} from './gate.ts';
import {clearLeftovers, type Leftovers} from './leftovers.ts';
import {SENSOR_LIMITS, type SensorLimits} from './limits.ts';
import type {CaptureDriver, Clock, Log, Random, SensorHealth, SensorSpec, Timers} from './ports.ts';
import type {RecordSink} from './record-sink.ts';
import {replaceFile} from './replace-file.ts';
import {type CompileOptions, compileRuleSet, configOf, loadRuleSet, type RuleSet} from './rules/rule-set.ts';
import {Sensor} from './sensor.ts';
import type {SensorContext} from './sensor-context.ts';
import {isSensorError, messageOf, SensorError, systemCode} from './sensor-error.ts';
import {endpointsDir, folderOf, removeFolder, retireFolder} from './sensor-folder.ts';
import {findSuricata, type SuricataBinary} from './suricata/binary.ts';
import {DEFAULT_HOME_NET, type PatternMatcher} from './suricata/config.ts';
import type {RunAs} from './suricata/process.ts';

export type SensorHostOptions = {
  /** Data folder of all sensors; made if absent. One server at a time. */
  readonly dir: string;
  readonly driver: CaptureDriver | 'auto';
  /** Rule files, in load order. */
  readonly rules: readonly string[];
  readonly sink: RecordSink;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
  /** The Suricata program; default: PATH, then the usual folders. */
  readonly suricata?: string | undefined;
  /** User that Suricata runs as when the server runs as root; default `NOBODY`. Ignored otherwise. */
  readonly runAs?: RunAs | undefined;
  /** Suricata address group HOME_NET; default: the private ranges of RFC 1918. */
  readonly homeNet?: string | undefined;
  readonly patternMatcher?: PatternMatcher | 'auto' | undefined;
  readonly limits?: Partial<SensorLimits> | undefined;
};

/** The user that owns nothing, on every Linux. */
export const NOBODY: RunAs = {uid: 65_534, gid: 65_534};

export type RuleSetStatus = {
  readonly version: string;
  readonly rules: number /** The newest refused set, if the one in force is older. */;
  readonly refused: string | undefined;
};

type Prepared = {readonly context: SensorContext; readonly compile: Omit<CompileOptions, 'signal'>};

const ACTIVE_FILE = 'active-rules.json';

export class SuricataSensorHost {
  readonly driver: CaptureDriver;
  readonly #options: SensorHostOptions;
  readonly #sensors = new Map<string, Sensor>();
  /** By endpoint. */
  readonly #leftovers: Map<string, SensorSpec>;
  readonly #orphansEnded: Promise<void>;
  #prepared: Prepared | undefined;
  #unavailable: string | undefined;
  #rules: RuleSet | undefined;
  #refused: SensorError | undefined;
  /** Aborted when the host is closed. */
  readonly #closing = new AbortController();
  /** The compilation under way. */
  #compiling: Promise<void> = Promise.resolve();

  constructor(
    options: SensorHostOptions,
    capture: CaptureFactory,
    leftovers: Leftovers,
    prepared: Prepared | SensorError,
  ) {
    this.#options = options;
    this.driver = capture.driver;
    this.#leftovers = new Map(leftovers.specs.map(spec => [spec.endpoint, spec]));
    this.#orphansEnded = leftovers.ended;
    if (prepared instanceof SensorError) this.#unavailable = prepared.message;
    else {
      this.#prepared = prepared;
      this.#compiling = this.#firstRules(this.#compileOptions(prepared));
    }
  }

  /** Undefined: a sensor can run here. Otherwise why not, and what to do. */
  get unavailable(): string | undefined {
    return this.#unavailable;
  }

  /** Resolves when the rule set is compiled, or was refused while an older one stays in force. Rejects with SensorError when there is none. */
  async ready(): Promise<RuleSetStatus> {
    await this.#compiling;
    if (this.#rules === undefined)
      throw this.#refused ?? new SensorError('engine-missing', this.#unavailable ?? 'no rule set');
    return this.ruleSet();
  }

  ruleSet(): RuleSetStatus {
    return {
      version: this.#rules?.version ?? '',
      rules: this.#rules?.signatures.size ?? 0,
      refused: this.#refused?.message,
    };
  }

  #compileOptions({compile}: Prepared): CompileOptions {
    return {...compile, signal: this.#closing.signal};
  }

  /** At start a refused set leaves the one that was last in force. */
  async #firstRules(compile: CompileOptions): Promise<void> {
    try {
      this.#rules = await compileRuleSet(this.#options.rules, compile);
      await this.#writeActive(this.#rules);
    } catch (error) {
      this.#refused = this.#refusal(error);
      if (this.#closing.signal.aborted) return; // nobody asks for rules any longer
      this.#rules = await this.#lastRules(compile);
      const {log} = this.#options;
      if (this.#rules === undefined) {
        this.#unavailable = this.#refused.message;
        log.error({code: this.#refused.code}, `no rule set: ${this.#refused.message}`);
      } else
        log.error(
          {code: this.#refused.code, inForce: this.#rules.version},
          `the rule set of before stays in force: ${this.#refused.message}`,
        );
    }
  }

  #refusal(error: unknown): SensorError {
    return isSensorError(error)
      ? error
      : new SensorError('rule-file', `The rule set could not be made: ${messageOf(error)}`, {cause: error});
  }

  async #lastRules(compile: CompileOptions): Promise<RuleSet | undefined> {
    try {
      const {version} = JSON.parse(await readFile(join(this.#options.dir, ACTIVE_FILE), 'utf8')) as {version: string};
      return await loadRuleSet(version, compile);
    } catch (error) {
      const fields = {error: messageOf(error)};
      if (systemCode(error) !== 'ENOENT') this.#options.log.warn(fields, 'it is not known which rule set was in force');
      return undefined;
    }
  }

  #writeActive(rules: RuleSet): Promise<void> {
    return replaceFile(join(this.#options.dir, ACTIVE_FILE), JSON.stringify({version: rules.version}));
  }

  /**
   * Compiles and, when right, puts in force everywhere, live. Throws SensorError (`rule-error` with every refused rule); then nothing changed.
   */
  async setRules(files: readonly string[]): Promise<RuleSetStatus> {
    const compile = this.#compileOptions(this.#mustBePrepared());
    const turn = this.#compiling.then(async () => {
      const inForce = this.#rules === undefined ? [] : [this.#rules.version];
      try {
        const rules = await compileRuleSet(files, compile, inForce);
        for (const sensor of this.#sensors.values()) await sensor.reload(rules);
        this.#rules = rules;
        await this.#writeActive(rules);
        this.#refused = undefined;
        this.#unavailable = undefined;
      } catch (error) {
        this.#refused = this.#refusal(error);
        throw this.#refused;
      }
    });
    this.#compiling = turn.catch(() => {}); // reported to the caller
    await turn;
    return this.ruleSet();
  }

  #mustBePrepared(): Prepared {
    if (this.#closing.signal.aborted) throw new SensorError('closed', 'the sensor host is closed');
    if (this.#prepared === undefined)
      throw new SensorError('engine-missing', this.#unavailable ?? 'no sensor can run here');
    return this.#prepared;
  }

  async start(
    spec: SensorSpec,
    opts: {readonly signal: AbortSignal; readonly onProgress: (message: string) => void},
  ): Promise<void> {
    const {context} = this.#mustBePrepared();
    const existing = this.#sensors.get(spec.endpoint);
    if (existing !== undefined) {
      await existing.update(spec);
      return;
    }
    opts.onProgress('Verifying the rule set');
    await this.ready();
    await this.#orphansEnded;
    this.#mustBePrepared(); // closed meanwhile?
    const rules = this.#rules;
    if (rules === undefined || opts.signal.aborted) throw new SensorError('aborted', 'the start was given up');
    const sensor = new Sensor(spec, rules, context);
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
      this.#options.log.warn(
        {endpoint: sensor.spec.endpoint, unknown},
        'threat exceptions that match no signature in force',
      );
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
    if (left !== undefined) await this.#stopLeftover(left);
    this.#leftovers.delete(endpoint);
  }

  /** Events that a crashed server did not read are judged by the settings of then and counted, before the folder goes. */
  async #stopLeftover(spec: SensorSpec): Promise<void> {
    const {dir, sink, timers, log, random} = this.#options;
    const {endpoint} = spec;
    const folder = folderOf(dir, endpoint);
    const limits = {...SENSOR_LIMITS, ...this.#options.limits};
    await this.#compiling;
    await this.#orphansEnded;
    const pump = await RecordPump.open({
      spec,
      folder,
      sink,
      signature: id => this.#rules?.signatures.get(id),
      timers,
      log,
      limits,
    });
    const problem = await pump.finish(limits.exitTimeoutMs);
    if (problem !== undefined)
      throw new SensorError('closed', `What the endpoint left cannot be cleared: ${problem.message}`);
    const gone = await retireFolder(dir, folder, random.uuid());
    await sink.forget(endpoint);
    await removeFolder(gone);
  }

  health(endpoint: string): SensorHealth | undefined {
    return this.#sensors.get(endpoint)?.health(this.#refused?.message);
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
    await this.#compiling;
    await this.#orphansEnded;
    const results = await Promise.allSettled([...this.#sensors.values()].map(sensor => sensor.stop(false)));
    this.#sensors.clear();
    for (const result of results)
      if (result.status === 'rejected')
        this.#options.log.error({error: messageOf(result.reason)}, 'a sensor did not stop cleanly');
  }
}

const prepare = async (options: SensorHostOptions, capture: CaptureFactory): Promise<Prepared | SensorError> => {
  const limits: SensorLimits = {...SENSOR_LIMITS, ...options.limits};
  let suricata: SuricataBinary;
  try {
    suricata = await findSuricata(options.suricata);
  } catch (error) {
    if (isSensorError(error)) return error;
    throw error;
  }
  const {dir, sink, clock, timers, random, log} = options;
  const runAs = process.getuid?.() === 0 ? (options.runAs ?? NOBODY) : undefined;
  const compile: Prepared['compile'] = {
    dir: join(dir, 'rulesets'),
    suricata,
    runAs,
    homeNet: options.homeNet ?? DEFAULT_HOME_NET,
    decodeVxlan: capture.decodeVxlan,
    patternMatcher: options.patternMatcher ?? 'auto',
    timers,
    limits,
  };
  await mkdir(compile.dir, {recursive: true, mode: 0o700});
  await mkdir(endpointsDir(dir), {recursive: true, mode: 0o700});
  const startGate = new Gate(limits.startsAtOnceMax);
  return {
    compile,
    context: {
      dir,
      suricata,
      capture,
      runAs,
      sink,
      clock,
      timers,
      random,
      log,
      limits,
      startGate,
      configOf: set => configOf(set, compile),
    },
  };
};

/**
 * Resolves soon: rules are compiled in the background (`ready`). Without a usable Suricata the host is there and says so in `unavailable`.
 * Throws SensorError `driver-unavailable` for a driver that was asked for by name and is not there.
 */
export const createSensorHost = async (options: SensorHostOptions): Promise<SuricataSensorHost> => {
  const capture = chooseCapture(options.driver);
  await mkdir(options.dir, {recursive: true, mode: 0o700});
  const leftovers = await clearLeftovers(options.dir, options.timers, options.log);
  return new SuricataSensorHost(options, capture, leftovers, await prepare(options, capture));
};
