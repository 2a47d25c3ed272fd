// SPDX-License-Identifier: Apache-2.0
/**
 * The sensor of one endpoint: intake, Suricata and record pump, kept running until it is stopped.
 *
 *   STARTING → READY ⇄ DEGRADED (Suricata gone and being restarted, packets or records in trouble) → FAILED (restarts fail; they go on)
 *
 * I1 READY only after the intake is bound, `Engine started`, and rules loaded > 0. I2 One Suricata at a time. I3 The intake stays open while
 * Suricata is restarted. I4 After `stop` no process, socket or pipe is left. Ref: contracts of the data plane, sections 2.3, 7, 8.
 */
import {statfs} from 'node:fs/promises';
import type {Capture, CaptureFactory} from './capture/capture.ts';
import {activeEveBytes, beginEveRun, rotateEveFile} from './eve/eve-files.ts';
import {RecordPump} from './eve/record-pump.ts';
import type {Gate} from './gate.ts';
import type {SensorLimits} from './limits.ts';
import {LossWatch} from './loss-watch.ts';
import type {Clock, Log, Random, SensorHealth, SensorSpec, SensorStatus, Timer, Timers} from './ports.ts';
import type {RecordSink} from './record-sink.ts';
import type {RuleSet} from './rules/rule-set.ts';
import {messageOf, SensorError} from './sensor-error.ts';
import {
  folderOf,
  makeSensorFolder,
  placeRuleSet,
  removeFolder,
  retireFolder,
  startTicksOf,
  writeSensorRecord,
} from './sensor-folder.ts';
import type {SuricataBinary} from './suricata/binary.ts';
import {ruleStats, sendCommand} from './suricata/command-socket.ts';
import {CONFIG_FILE} from './suricata/config.ts';
import {type EngineLogLine, isDiskFull} from './suricata/engine-log.ts';
import {describeExit, type RunAs, SuricataProcess} from './suricata/process.ts';
import {normaliseException} from './threat-id.ts';

export type SensorContext = {
  readonly dir: string;
  readonly suricata: SuricataBinary;
  readonly capture: CaptureFactory;
  readonly runAs: RunAs | undefined;
  readonly sink: RecordSink;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
  readonly limits: SensorLimits;
  readonly startGate: Gate;
  readonly configOf: (set: RuleSet) => string;
};

type Running = {readonly engine: SuricataProcess; readonly sinceMs: number};

export class Sensor {
  readonly #context: SensorContext;
  readonly #folder: string;
  readonly #loss: LossWatch;
  readonly #ending = new AbortController();
  #spec: SensorSpec;
  #rules: RuleSet;
  #previousRules: RuleSet | undefined;
  #capture: Capture | undefined;
  #pump: RecordPump | undefined;
  #running: Running | undefined;
  #ready = false;
  #restarts = 0;
  #failuresInARow = 0;
  #downReason: string | undefined;
  #diskReason: string | undefined;
  #loaded = {loaded: 0, failed: 0};
  #restarting: Promise<void> | undefined;
  #watchTimer: Timer | undefined;
  #watched = 0;
  #busy = false;

  constructor(spec: SensorSpec, rules: RuleSet, context: SensorContext) {
    this.#spec = spec;
    this.#rules = rules;
    this.#context = context;
    this.#folder = folderOf(context.dir, spec.endpoint);
    this.#loss = new LossWatch(context.limits);
  }

  get spec(): SensorSpec {
    return this.#spec;
  }

  /** Resolves when READY. On failure or abort everything is taken down again, then it rejects with SensorError. */
  async start(signal: AbortSignal, onProgress: (message: string) => void): Promise<void> {
    const both = AbortSignal.any([signal, this.#ending.signal]);
    try {
      await this.#open(onProgress);
      await this.#launch(both, onProgress);
      this.#pump?.follow();
      this.#watch();
      onProgress(
        `Suricata is ready: packets are accepted at ${this.#spec.ip}, ${this.#loaded.loaded} rules are loaded`,
      );
    } catch (error) {
      await this.#takeDown();
      await removeFolder(this.#folder);
      if (signal.aborted) throw new SensorError('aborted', 'the start was given up', {cause: error});
      throw error instanceof SensorError ? error : new SensorError('start-failed', messageOf(error), {cause: error});
    }
  }

  async #open(onProgress: (message: string) => void): Promise<void> {
    const {runAs, sink, timers, log, limits, clock, capture} = this.#context;
    await makeSensorFolder(this.#folder, {endpoint: this.#spec.endpoint}, runAs);
    this.#pump = await RecordPump.open({
      spec: this.#spec,
      folder: this.#folder,
      sink,
      signature: id => this.#rules.signatures.get(id) ?? this.#previousRules?.signatures.get(id),
      timers,
      log,
      limits,
    });
    await this.#pump.drain(); // what an earlier run left
    onProgress(`Opening the intake at ${this.#spec.ip}`);
    this.#capture = await capture.open({spec: this.#spec, folder: this.#folder, runAs, clock, timers, log, limits});
  }

  /** Spawns Suricata and waits until it inspects. Throws; then no process is left and the capture is detached. */
  async #launch(signal: AbortSignal, onProgress: (message: string) => void): Promise<void> {
    const {startGate, suricata} = this.#context;
    onProgress(`Waiting for a free place to start Suricata ${suricata.version}`);
    await startGate.run(signal, async () => {
      if (signal.aborted) throw new SensorError('aborted', 'the start was given up');
      await this.#spawn(signal, onProgress);
    });
  }

  async #spawn(signal: AbortSignal, onProgress: (message: string) => void): Promise<void> {
    const {runAs, random, suricata, timers, limits, clock, configOf} = this.#context;
    await placeRuleSet(this.#folder, this.#rules, configOf(this.#rules));
    await beginEveRun(this.#folder, random, runAs);
    await this.#capture?.attach();
    onProgress(`Starting Suricata ${suricata.version}: loading ${this.#rules.signatures.size} rules`);
    const engine = new SuricataProcess({
      path: suricata.path,
      args: ['-c', CONFIG_FILE, '-l', '.', ...(this.#capture?.args ?? [])],
      folder: this.#folder,
      runAs,
      timers,
      onLog: line => this.#onEngineLog(line),
    });
    try {
      await this.#remember(engine.pid);
      await engine.started(limits.startTimeoutMs, signal);
      this.#loaded = await ruleStats(this.#folder, timers, limits.commandTimeoutMs);
      if (this.#loaded.loaded === 0)
        throw new SensorError(
          'no-rules',
          `Suricata runs but loaded no rule: ${engine.lastWords() || 'no reason was given'}`,
        );
    } catch (error) {
      engine.kill();
      await engine.exited;
      await this.#capture?.detach();
      await this.#remember(undefined);
      throw error;
    }
    this.#running = {engine, sinceMs: clock.now()};
    this.#ready = true;
    this.#downReason = undefined;
    void engine.exited.then(exit => this.#onExit(engine, describeExit(exit)));
  }

  async #remember(pid: number | undefined): Promise<void> {
    const startTicks = pid === undefined ? undefined : await startTicksOf(pid);
    const process = pid === undefined || startTicks === undefined ? undefined : {pid, startTicks};
    await writeSensorRecord(this.#folder, {endpoint: this.#spec.endpoint, process});
  }

  #onEngineLog(line: EngineLogLine): void {
    const {log} = this.#context;
    const fields = {endpoint: this.#spec.endpoint};
    if (isDiskFull(line)) this.#diskReason = `disk full: ${line.message}; alerts are being lost until there is space`;
    if (line.level === 'error') log.error(fields, `suricata: ${line.message}`);
    else if (line.level === 'warning' || line.level === 'text') log.warn(fields, `suricata: ${line.message}`);
    else log.debug(fields, `suricata: ${line.message}`);
  }

  #onExit(engine: SuricataProcess, how: string): void {
    if (this.#running?.engine !== engine) return;
    const {clock, limits, log} = this.#context;
    if (clock.now() - this.#running.sinceMs >= limits.restartResetMs) this.#failuresInARow = 0;
    this.#running = undefined;
    if (this.#ending.signal.aborted) return;
    const since = new Date(clock.now()).toISOString();
    this.#downReason = `Suricata ended at ${since} (${how}) and is being restarted; packets wait in a queue meanwhile`;
    log.error(
      {endpoint: this.#spec.endpoint, lastEvent: this.#pump?.tally.lastEventTime},
      `Suricata ended unexpectedly: ${how}`,
    );
    this.#restarting = this.#restart(since).finally(() => {
      this.#restarting = undefined;
    });
  }

  /** Until it runs again or the sensor is stopped. */
  async #restart(since: string): Promise<void> {
    const {limits, log, clock} = this.#context;
    const signal = this.#ending.signal;
    await this.#capture?.detach();
    while (!signal.aborted) {
      const waitMs = Math.min(limits.restartFirstMs * 2 ** this.#failuresInARow, limits.restartMostMs);
      this.#failuresInARow++;
      await this.#wait(waitMs, signal);
      if (signal.aborted) return;
      try {
        await this.#launch(signal, () => {});
        this.#restarts++;
        const until = new Date(clock.now()).toISOString();
        log.warn(
          {endpoint: this.#spec.endpoint, since, until, restarts: this.#restarts},
          'Suricata runs again; flows that were open in between were not followed',
        );
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#downReason = `Suricata is down since ${since} and cannot be restarted: ${messageOf(error)}`;
        log.error(
          {endpoint: this.#spec.endpoint, error: messageOf(error)},
          'Suricata could not be restarted; trying again',
        );
      }
    }
  }

  #wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const done = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = this.#context.timers.after(ms, done);
      signal.addEventListener('abort', done);
      if (signal.aborted) done();
    });
  }

  #watch(): void {
    this.#watchTimer = this.#context.timers.after(this.#context.limits.watchMs, () => {
      void this.#look()
        .catch((error: unknown) =>
          this.#context.log.error(
            {endpoint: this.#spec.endpoint, error: messageOf(error)},
            'watching the sensor failed',
          ),
        )
        .finally(() => {
          if (!this.#ending.signal.aborted) this.#watch();
        });
    });
  }

  async #look(): Promise<void> {
    const {limits, log} = this.#context;
    this.#watched += limits.watchMs;
    if (this.#watched >= limits.lossIntervalMs && this.#capture !== undefined) {
      this.#watched = 0;
      this.#loss.interval(this.#capture.counters());
    }
    if (this.#running !== undefined && (this.#capture?.stalledMs() ?? 0) >= limits.stallMs) {
      log.error({endpoint: this.#spec.endpoint}, 'Suricata has stopped reading: it is ended and started again');
      this.#running.engine.kill();
      return;
    }
    await this.#lookAtDisk();
    if (
      this.#running !== undefined &&
      !this.#busy &&
      ((await activeEveBytes(this.#folder)) ?? Number.POSITIVE_INFINITY) > limits.eveRotateBytes
    )
      await this.#rotate();
  }

  async #lookAtDisk(): Promise<void> {
    const {bavail, bsize} = await statfs(this.#folder);
    const free = bavail * bsize;
    if (free < this.#context.limits.diskFloorBytes)
      this.#diskReason = `disk nearly full: ${Math.floor(free / 2 ** 20)} MiB free where the events are written; free some space`;
    else this.#diskReason = undefined;
  }

  async #rotate(): Promise<void> {
    const {random, runAs, timers, limits, log} = this.#context;
    this.#busy = true;
    try {
      await rotateEveFile(this.#folder, random, runAs);
      await sendCommand(this.#folder, {command: 'reopen-log-files'}, timers, limits.commandTimeoutMs);
      log.debug({endpoint: this.#spec.endpoint}, 'the EVE file was rotated');
    } finally {
      this.#busy = false;
    }
  }

  /** Severity, exceptions and traffic logs act on every event read from now on. */
  update(spec: SensorSpec): void {
    this.#spec = spec;
    this.#pump?.update(spec);
  }

  /** Live: the old rules stay active until Suricata has the new ones. Throws SensorError `command-failed`; then the old set stays. */
  async reload(rules: RuleSet): Promise<void> {
    const {timers, limits, configOf} = this.#context;
    const old = this.#rules;
    if (old.version === rules.version) return;
    this.#previousRules = old;
    this.#rules = rules;
    if (this.#running === undefined) return; // the next start takes it
    try {
      await placeRuleSet(this.#folder, rules, configOf(rules));
      await sendCommand(this.#folder, {command: 'reload-rules'}, timers, limits.reloadTimeoutMs);
      this.#loaded = await ruleStats(this.#folder, timers, limits.commandTimeoutMs);
    } catch (error) {
      this.#rules = old;
      await placeRuleSet(this.#folder, old, configOf(old));
      throw error;
    }
  }

  /** Nothing taken in is lost; `forget` also removes folder and position. Rejects when records could not be stored; then it can be called again. */
  async stop(forget: boolean): Promise<void> {
    const {dir, sink, random, limits} = this.#context;
    this.#ending.abort();
    this.#watchTimer?.cancel();
    await this.#restarting;
    const engine = this.#running?.engine;
    if (engine !== undefined) {
      await this.#capture?.finish();
      await engine.end(limits.exitTimeoutMs, true);
      this.#running = undefined;
    }
    await this.#capture?.close();
    await this.#remember(undefined);
    const problem = await this.#drainRecords();
    if (problem !== undefined) throw new SensorError('closed', `The sensor was stopped, but ${problem}`);
    if (!forget) return;
    const gone = await retireFolder(dir, this.#folder, random.uuid());
    await sink.forget(this.#spec.endpoint);
    await removeFolder(gone);
  }

  /** Undefined: everything written was stored. */
  async #drainRecords(): Promise<string | undefined> {
    const pump = this.#pump;
    if (pump === undefined) return undefined;
    const timer = this.#context.timers.after(this.#context.limits.exitTimeoutMs, () => void pump.close());
    await pump.drain();
    timer.cancel();
    await pump.close();
    return pump.problem;
  }

  /** After a failed start: everything at once. */
  async #takeDown(): Promise<void> {
    this.#ending.abort();
    this.#watchTimer?.cancel();
    const engine = this.#running?.engine;
    this.#running = undefined;
    engine?.kill();
    await engine?.exited;
    await this.#capture?.close();
    await this.#pump?.close();
  }

  health(refusedRules: string | undefined): SensorHealth {
    const {capture, limits} = this.#context;
    const serious = [this.#downReason, this.#loss.problem, this.#pump?.problem, this.#diskReason].filter(
      text => text !== undefined,
    );
    const warnings = [
      this.#loaded.failed > 0 ? `${this.#loaded.failed} rules failed to load` : undefined,
      refusedRules,
      (this.#pump?.tally.counters.lost ?? 0) > 0
        ? 'some alerts that Suricata counted were not found in its log (see alerts.lost)'
        : undefined,
    ].filter(text => text !== undefined);
    return {
      status: this.#status(serious.length > 0, limits),
      reasons: [...serious, ...warnings],
      driver: capture.driver,
      pid: this.#running?.engine.pid,
      restarts: this.#restarts,
      ruleSetVersion: this.#rules.version,
      rulesLoaded: this.#loaded.loaded,
      rulesFailed: this.#loaded.failed,
      packets: this.#capture?.counters() ?? {received: 0, dropped: 0, malformed: 0},
      alerts: this.#pump?.tally.counters ?? {seen: 0, stored: 0, filtered: 0, excepted: 0, lost: 0},
      unknownExceptions: this.#spec.threatExceptions.filter(
        text => !this.#rules.signatures.has(normaliseException(text)),
      ),
    };
  }

  #status(serious: boolean, limits: SensorLimits): SensorStatus {
    if (!this.#ready) return 'STARTING';
    if (this.#downReason !== undefined && this.#failuresInARow > limits.restartFailuresToFailed) return 'FAILED';
    return serious ? 'DEGRADED' : 'READY';
  }
}
