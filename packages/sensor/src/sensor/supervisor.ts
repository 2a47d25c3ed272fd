// SPDX-License-Identifier: Apache-2.0
/**
 * Keeps one Suricata running for a sensor: start, readiness, restart with back-off, live reload, orderly end.
 *
 * I1 `start` resolves only after `Engine started` and rules loaded > 0. I2 At most one process at a time, its mark is on disk before it can
 * inspect. I3 What a dead process left unread goes to the next one (`Capture.detach`). I4 After `end` or `kill` no process is left.
 */
import {basename} from 'node:path';
import type {Capture} from '../capture/capture.ts';
import type {Cgroup} from '../cgroup/cgroups.ts';
import type {BlindTime} from '../loss/blind-time.ts';
import type {SensorSpec} from '../ports.ts';
import type {RuleSet} from '../rules/rule-set.ts';
import {messageOf, SensorError} from '../sensor-error.ts';
import {engineVersion, type RuleStats, ruleStats, rulesLoadedAt, sendCommand} from '../suricata/command-socket.ts';
import {CONFIG_FILE} from '../suricata/config.ts';
import {type EngineLogLine, isDiskFull, isOfOffloading} from '../suricata/engine-log.ts';
import {describeExit, SuricataProcess} from '../suricata/process.ts';
import type {EndCause} from './read-watch.ts';
import type {SensorContext} from './sensor-context.ts';
import {makeSensorFolder, placeRuleSet, startTicksOf, writeSensorRecord} from './sensor-folder.ts';

export type SupervisorOptions = {
  readonly context: SensorContext;
  /** As it is now. */
  readonly spec: () => SensorSpec;
  readonly folder: string;
  readonly capture: Capture;
  readonly rules: RuleSet;
  /** Aborts everything under way, restarts too. */
  readonly ending: AbortSignal;
  /** Makes the EVE file ready for a new run. */
  readonly beginEve: () => Promise<void>;
  /** Timestamp of the newest alert, for the log of a gap. */
  readonly lastEventTime: () => string | undefined;
  /** Hears from when to when Suricata does not inspect. */
  readonly blind: Pick<BlindTime, 'begin' | 'end'>;
};

type Progress = (message: string) => void;
type Running = {readonly engine: SuricataProcess; readonly sinceMs: number; readonly startMark: string};

const meanwhile = ({keepsPackets}: Capture): string =>
  keepsPackets
    ? 'packets are queued meanwhile'
    : 'packets that arrive meanwhile are not inspected and are counted as dropped';

export class Supervisor {
  readonly #options: SupervisorOptions;
  #rules: RuleSet;
  #running: Running | undefined;
  #restarting: Promise<void> | undefined;
  /** Resolves when nothing of the last process is left. */
  #ended: Promise<void> | undefined;
  /** Of the last process that was ready. */
  #version: string | undefined;
  #failuresInARow = 0;
  #restarts = 0;
  #downReason: string | undefined;
  /** It was ended for settings that only a start reads. */
  #hasNewSettings = false;
  /** Why the sensor ended it. */
  #endCause: EndCause | undefined;
  #diskFull: string | undefined;
  #rulesMissing: string | undefined;
  #loaded: RuleStats = {loaded: 0, failed: 0, skipped: 0};

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#rules = options.rules;
  }

  get pid(): number | undefined {
    return this.#running?.engine.pid;
  }

  get restarts(): number {
    return this.#restarts;
  }

  /** As the running Suricata says, or the last one did. */
  get version(): string | undefined {
    return this.#version;
  }

  get loaded(): RuleStats {
    return this.#loaded;
  }

  /** Suricata did not load all rules that it was given; undefined: it did. */
  get rulesMissing(): string | undefined {
    return this.#rulesMissing;
  }

  /** Why it does not run just now; undefined: it runs. */
  get downReason(): string | undefined {
    return this.#downReason;
  }

  /** Restarts have failed several times in a row; they continue. */
  get hasFailed(): boolean {
    return (
      this.#downReason !== undefined && this.#failuresInARow > this.#options.context.limits.restartFailuresToFailed
    );
  }

  /** What Suricata said of a full disk since `forgetDiskFull`. */
  get diskFull(): string | undefined {
    return this.#diskFull;
  }

  forgetDiskFull(): void {
    this.#diskFull = undefined;
  }

  /** Spawns Suricata and waits until it inspects. Throws SensorError; then no process is left and the capture is detached. */
  async start(signal: AbortSignal, onProgress: Progress): Promise<void> {
    const {startGate, suricata} = this.#options.context;
    onProgress(`Waiting for a free slot to start Suricata ${suricata.version}`);
    await startGate.run(signal, async () => {
      if (signal.aborted) throw new SensorError('aborted', 'the start was cancelled');
      await this.#spawn(signal, onProgress);
    });
  }

  async #spawn(signal: AbortSignal, onProgress: Progress): Promise<void> {
    const {context, folder, capture, beginEve} = this.#options;
    const {runAs, launcher, suricata, timers, limits, clock, configOf} = context;
    const rules = this.#rules;
    await makeSensorFolder(folder, {spec: this.#options.spec()}, runAs); // somebody may have moved it away
    await placeRuleSet(folder, rules, configOf(rules) + capture.config);
    await beginEve();
    const group = await context.cgroups.make(basename(folder));
    try {
      await capture.attach();
    } catch (error) {
      await group.end();
      throw error;
    }
    onProgress(`Starting Suricata ${suricata.version}: loading ${rules.report.loaded} rules`);
    const args = ['-c', CONFIG_FILE, '-l', '.', ...capture.args];
    const onLog = (line: EngineLogLine): void => this.#onLog(line);
    const timerSlackNs = capture.endsInput ? limits.timerSlackNs : undefined; // else its end would take a second longer
    const {capabilities} = context.capture;
    const how = {folder, launcher, capabilities, timerSlackNs, cgroupProcs: group.procs};
    const engine = new SuricataProcess({path: suricata.path, args, ...how, timers, onLog});
    try {
      await this.#remember(engine.pid);
      await engine.started(limits.startTimeoutMs, signal);
      await this.#readLoaded(engine, rules);
      await capture.started?.();
    } catch (error) {
      engine.kill();
      await engine.exited;
      const atLimit = await group.end();
      await capture.detach();
      await this.#remember(undefined);
      throw atLimit === undefined ? error : new SensorError('start-failed', `Suricata cannot start: ${atLimit}`);
    }
    this.#running = {engine, sinceMs: clock.now(), startMark: rules.startMark};
    this.#downReason = undefined;
    this.#options.blind.end();
    this.#ended = this.#onceEnded(engine, group);
    if (this.#rules !== rules) await this.reload(this.#rules); // it was changed while these were loaded
  }

  async #onceEnded(engine: SuricataProcess, group: Cgroup): Promise<void> {
    const exit = await engine.exited;
    const atLimit = await group.end();
    this.#onExit(engine, atLimit ?? describeExit(exit));
  }

  /** Asks Suricata what is in force: it says `Engine started`, and OK to `reload-rules`, whatever became of the rules. */
  async #readLoaded(engine: SuricataProcess, rules: RuleSet): Promise<void> {
    const {context, folder} = this.#options;
    const {timers, limits} = context;
    this.#version = await engineVersion(folder, timers, limits.commandTimeoutMs);
    const stats = await ruleStats(folder, timers, limits.commandTimeoutMs);
    const words = engine.lastWords() || 'no reason given';
    if (stats.loaded === 0) throw new SensorError('no-rules', `Suricata runs but loaded no rule: ${words}`);
    this.#loaded = stats;
    const {loaded} = rules.report;
    this.#rulesMissing =
      stats.loaded === loaded && stats.failed === 0
        ? undefined
        : `rules are missing: Suricata loaded ${stats.loaded} of the ${loaded} rules that it accepted when they were verified (${words}); restart the server`;
  }

  /** On disk: whose folder this is, with its settings, and the process in it. */
  async #remember(pid: number | undefined): Promise<void> {
    const startTicks = pid === undefined ? undefined : await startTicksOf(pid);
    const process = pid === undefined || startTicks === undefined ? undefined : {pid, startTicks};
    await writeSensorRecord(this.#options.folder, {spec: this.#options.spec(), process});
  }

  /** The settings have changed. */
  rememberSpec(): Promise<void> {
    return this.#remember(this.pid);
  }

  #onLog(line: EngineLogLine): void {
    const {log, landlock} = this.#options.context;
    const fields = {endpoint: this.#options.spec().endpoint};
    if (landlock.note(line)) return;
    if (isDiskFull(line)) this.#diskFull = line.message;
    if (line.level === 'error') log.error(fields, `suricata: ${line.message}`);
    else if ((line.level === 'warning' && !isOfOffloading(line)) || line.level === 'text')
      log.warn(fields, `suricata: ${line.message}`);
    else log.debug(fields, `suricata: ${line.message}`);
  }

  #takeCause(how: string): EndCause & {readonly reason: (since: string) => string} {
    const given = this.#endCause;
    this.#endCause = undefined;
    if (given?.sinceMs !== undefined)
      return {...given, reason: since => `Suricata stopped reading at ${since} and is being restarted`};
    if (given !== undefined && !this.#hasNewSettings)
      return {...given, reason: since => `Suricata was ended at ${since} and is being restarted: ${given.words}`};
    const why = this.#hasNewSettings ? 'to apply changed settings' : `(${how})`;
    return {
      words: `Suricata ended ${why}`,
      reason: since => `Suricata ended at ${since} ${why} and is being restarted`,
    };
  }

  #onExit(engine: SuricataProcess, how: string): void {
    if (this.#running?.engine !== engine) return;
    const {context, ending, lastEventTime} = this.#options;
    const {endpoint} = this.#options.spec();
    const {clock, limits, log} = context;
    if (clock.now() - this.#running.sinceMs >= limits.restartResetMs) this.#failuresInARow = 0;
    this.#running = undefined;
    if (ending.aborted) return;
    const cause = this.#takeCause(how);
    const since = new Date(cause.sinceMs ?? clock.now()).toISOString();
    this.#options.blind.begin('engine', cause.words, cause.sinceMs);
    this.#downReason = `${cause.reason(since)}; ${meanwhile(this.#options.capture)}`;
    if (!this.#hasNewSettings) log.error({endpoint, how, lastEvent: lastEventTime()}, 'Suricata ended unexpectedly');
    this.#hasNewSettings = false;
    const restarting = this.#restart(since).finally(() => {
      if (this.#restarting === restarting) this.#restarting = undefined;
    });
    this.#restarting = restarting;
  }

  /** Until it runs again or the sensor ends. */
  async #restart(since: string): Promise<void> {
    const {context, ending, capture} = this.#options;
    const {endpoint} = this.#options.spec();
    const {limits, log, clock} = context;
    await capture.detach();
    while (!ending.aborted) {
      const waitMs = Math.min(limits.restartFirstMs * 2 ** this.#failuresInARow, limits.restartMostMs);
      this.#failuresInARow++;
      await this.#wait(waitMs);
      if (ending.aborted) return;
      try {
        await this.start(ending, () => {});
        this.#restarts++;
        const fields = {endpoint, since, until: new Date(clock.now()).toISOString(), restarts: this.#restarts};
        log.warn(fields, 'Suricata restarted; flows that were open in between were not inspected');
        return;
      } catch (error) {
        if (ending.aborted) return;
        this.#downReason = `Suricata has been down since ${since} and cannot be restarted: ${messageOf(error)}`;
        log.error({endpoint, error: messageOf(error)}, 'Suricata restart failed, retrying');
      }
    }
  }

  #wait(ms: number): Promise<void> {
    const {ending, context} = this.#options;
    return new Promise(resolve => {
      const done = (): void => {
        timer.cancel();
        ending.removeEventListener('abort', done);
        resolve();
      };
      const timer = context.timers.after(ms, done);
      ending.addEventListener('abort', done);
      if (ending.aborted) done();
    });
  }

  /** Ends a process that hangs; it is then restarted. */
  kill(cause: EndCause): void {
    if (this.#running === undefined) return;
    this.#endCause = cause;
    this.#running.engine.kill();
  }

  /** Live: the old rules stay active until Suricata has the new ones. When it cannot, it is restarted with the new ones. */
  async reload(rules: RuleSet): Promise<void> {
    const {context, folder, capture} = this.#options;
    const {endpoint} = this.#options.spec();
    const {timers, limits, configOf, log} = context;
    this.#rules = rules;
    const engine = this.#running?.engine;
    if (engine === undefined) return; // the next start takes it
    if (this.#running?.startMark !== rules.startMark) {
      log.warn({endpoint}, 'Suricata settings changed, restarting Suricata to apply them');
      this.#hasNewSettings = true;
      return engine.kill(); // reading a pipe it does not end before its input does
    }
    try {
      await placeRuleSet(folder, rules, configOf(rules) + capture.config);
      const before = await rulesLoadedAt(folder, timers, limits.commandTimeoutMs);
      await sendCommand(folder, {command: 'reload-rules'}, timers, limits.reloadTimeoutMs);
      if ((await rulesLoadedAt(folder, timers, limits.commandTimeoutMs)) === before)
        throw new SensorError('command-failed', `Suricata kept its previous rules: ${engine.lastWords()}`);
      await this.#readLoaded(engine, rules);
    } catch (error) {
      log.error({endpoint, error: messageOf(error)}, 'live rule reload failed, restarting Suricata');
      engine.kill();
    }
  }

  /** Makes Suricata continue in the file that is now at the EVE file's name. */
  async reopenEve(): Promise<void> {
    const {context, folder} = this.#options;
    await sendCommand(folder, {command: 'reopen-log-files'}, context.timers, context.limits.commandTimeoutMs);
  }

  /** After `ending` was aborted: stops the intake, hands over everything taken in, waits for the end of the process. */
  async end(): Promise<void> {
    await this.#restarting;
    const engine = this.#running?.engine;
    const {capture, context} = this.#options;
    try {
      await capture.finish(engine?.pid);
    } finally {
      await engine?.end(context.limits.exitTimeoutMs, capture.endsInput);
      this.#running = undefined;
      await this.#ended;
    }
    if (engine !== undefined) await this.#remember(undefined);
  }
}
