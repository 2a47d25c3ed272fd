// SPDX-License-Identifier: Apache-2.0
/**
 * The sensor of one endpoint: intake, Suricata and record pump together, from start to stop, and its health.
 *
 *   STARTING → READY ⇄ DEGRADED (Suricata gone and being restarted, packets or records in trouble) → FAILED (restarts fail; they go on)
 *
 * I1 READY only after the intake is bound, `Engine started`, and rules loaded > 0. I2 The intake stays open while Suricata is restarted.
 * I3 After `stop` no process, socket or pipe is left. Ref: contracts of the data plane, sections 2.3, 7, 8.
 */
import type {PacketHistory} from '@palisade/ids-wire';
import type {Capture, CaptureCounters} from '../capture/capture.ts';
import {NOTHING_COUNTED} from '../eve/engine-counts.ts';
import {type EveAct, EveDamage} from '../eve/eve-damage.ts';
import {EveRotation} from '../eve/eve-rotation.ts';
import {type CommittedAlerts, RecordPump} from '../eve/record-pump.ts';
import {keepFlowFiles} from '../flows/flow-files.ts';
import {Figures, type SavedCounts} from '../loss/figures.ts';
import {type PacketSums, sumsOf} from '../loss/packet-totals.ts';
import {waysOut} from '../loss/ways-out.ts';
import type {SensorHealth, SensorSpec, Timer} from '../ports.ts';
import type {RuleSet} from '../rules/rule-set.ts';
import {messageOf, SensorError} from '../sensor-error.ts';
import {unknownTo} from '../threat-id.ts';
import {DiskWatch, freeBytesAt} from './disk-watch.ts';
import {healthOf} from './health.ts';
import {droppedOf, LossWatch, type PacketTotals} from './loss-watch.ts';
import {ReadWatch} from './read-watch.ts';
import type {SensorContext} from './sensor-context.ts';
import {folderMark, folderOf, makeSensorFolder, readSensorRecord, removeFolder, retireFolder} from './sensor-folder.ts';
import {Supervisor} from './supervisor.ts';

const NOTHING_CAPTURED: CaptureCounters = {
  received: 0,
  bytes: 0,
  drops: {kernel: 0, socket: 0, queue: 0, crash: 0, stop: 0, notCaptured: 0},
  malformed: 0,
  foreignVni: 0,
  lastForeignVni: undefined,
  refusedSender: 0,
};

/** What is on disk, so that it does not go back when the server dies. */
export type Counted = SavedCounts & CommittedAlerts;

export class Sensor {
  readonly #context: SensorContext;
  readonly #folder: string;
  readonly #loss: LossWatch;
  readonly #disk: DiskWatch;
  readonly #damage: EveDamage;
  readonly #reading: ReadWatch;
  readonly #rotation: EveRotation;
  readonly #ending = new AbortController();
  #spec: SensorSpec;
  #rules: RuleSet;
  #previousRules: RuleSet | undefined;
  #capture: Capture | undefined;
  #pump: RecordPump | undefined;
  #supervisor: Supervisor | undefined;
  #ready = false;
  #starting: Promise<void> | undefined;
  #leftEventsRead = false;
  #figures: Figures | undefined;
  #watchTimer: Timer | undefined;
  #looking: Promise<void> | undefined;
  #sinceLookMs = 0;
  #sinceSavedMs = 0;
  #unwatched: string | undefined;
  /** Of the folder that Suricata works in. */
  #folderMark: string | undefined;

  constructor(spec: SensorSpec, rules: RuleSet, context: SensorContext) {
    this.#spec = spec;
    this.#rules = rules;
    this.#context = context;
    this.#folder = folderOf(context.dir, spec.endpoint);
    const {capture, machine} = context;
    this.#loss = new LossWatch(context.limits, waysOut(capture.driver, machine, context.limits.socketBufferBytes));
    this.#disk = new DiskWatch(context.limits);
    const {limits, random, runAs: owner, log, clock} = context;
    this.#damage = new EveDamage({endpoint: spec.endpoint, clock, log});
    this.#reading = new ReadWatch({endpoint: spec.endpoint, limits, clock, log});
    const reopen = async (): Promise<void> => this.#supervisor?.reopenEve();
    this.#rotation = new EveRotation({
      endpoint: spec.endpoint,
      folder: this.#folder,
      random,
      owner,
      log,
      limits,
      damage: {note: act => this.#onEveAct(act)},
      reopen,
    });
  }

  get spec(): SensorSpec {
    return this.#spec;
  }

  get ruleSetVersion(): string {
    return this.#rules.version;
  }

  /**
   * Resolves when READY. On failure or abort everything is taken down again, then it rejects with SensorError. The folder stays only when it
   * holds events that could not be stored (`hasFolder`).
   */
  start(signal: AbortSignal, onProgress: (message: string) => void): Promise<void> {
    const starting = this.#start(signal, onProgress);
    this.#starting = starting.catch(() => undefined); // reported to the caller
    return starting;
  }

  async #start(signal: AbortSignal, onProgress: (message: string) => void): Promise<void> {
    const both = AbortSignal.any([signal, this.#ending.signal]);
    try {
      await this.#open(both, onProgress);
      await this.#supervisor?.start(both, onProgress);
      this.#ready = true;
      this.#pump?.follow();
      await this.#figures?.save(this.#sums());
      this.#watch();
      const loaded = this.#supervisor?.loaded.loaded;
      onProgress(`Suricata is ready: packets are accepted at ${this.#spec.ip}, ${loaded} rules are loaded`);
    } catch (error) {
      this.#ending.abort();
      await this.#capture?.close();
      if ((await this.#nothingUnread()) && this.#figures?.isOld !== true) await removeFolder(this.#folder);
      if (signal.aborted) throw new SensorError('aborted', 'the start was cancelled', {cause: error});
      throw error instanceof SensorError ? error : new SensorError('start-failed', messageOf(error), {cause: error});
    }
  }

  async #open(signal: AbortSignal, onProgress: (message: string) => void): Promise<void> {
    const {dir: dataDir, runAs, timers, log, limits, clock, capture} = this.#context;
    const {acceptAnyVni, mirrorFrom, captureInterfaces} = this.#context;
    await makeSensorFolder(this.#folder, {spec: this.#spec}, runAs);
    const figures = await Figures.open({endpoint: this.#spec.endpoint, folder: this.#folder, clock, log});
    this.#figures = figures;
    await this.#lookAtDisk();
    await this.#readLeftEvents(signal);
    onProgress(`Opening the intake at ${this.#spec.ip}`);
    const place = {spec: this.#spec, folder: this.#folder, dataDir, runAs};
    const wanted = {acceptAnyVni, mirrorFrom, captureInterfaces};
    this.#capture = await capture.open({...place, ...wanted, clock, timers, log, limits});
    this.#supervisor = new Supervisor({
      context: this.#context,
      spec: () => this.#spec,
      folder: this.#folder,
      capture: this.#capture,
      rules: this.#rules,
      ending: this.#ending.signal,
      beginEve: async () => {
        this.#folderMark = await folderMark(this.#folder);
        await this.#rotation.begin();
      },
      lastEventTime: () => this.#pump?.tally.lastEventTime,
      blind: figures.blind,
    });
  }

  /** After a failed start. False: there are events that could not be stored; the folder must stay. */
  async #nothingUnread(): Promise<boolean> {
    const problem = this.#leftEventsRead ? await this.#drainRecords().catch(messageOf) : 'events of an earlier run';
    await this.#pump?.close();
    return problem === undefined;
  }

  /** Opens the pump and takes in what an earlier run left. */
  async #readLeftEvents(signal: AbortSignal): Promise<void> {
    const pump = await this.#openPump();
    this.#pump = pump;
    const giveUp = (): void => void pump.close();
    signal.addEventListener('abort', giveUp, {once: true});
    await pump.drain();
    pump.tally.engine.forget();
    signal.removeEventListener('abort', giveUp);
    if (signal.aborted) throw new SensorError('aborted', 'the start was cancelled');
    this.#leftEventsRead = true;
  }

  /** Something is left on disk. */
  hasFolder(): Promise<boolean> {
    return readSensorRecord(this.#folder).then(record => record !== undefined);
  }

  async #openPump(): Promise<RecordPump> {
    const {sink, timers, log, limits, trafficSample} = this.#context;
    const signature = (id: string) => this.#rules.signatures.get(id) ?? this.#previousRules?.signatures.get(id);
    const damage = {note: (act: EveAct) => this.#onEveAct(act)};
    const folder = this.#folder;
    const keepsEvidence = this.#context.evidence !== 'none';
    const of = {spec: this.#spec, folder, keepsEvidence};
    const pump = await RecordPump.open({...of, sink, signature, timers, log, limits, damage, trafficSample});
    pump.holdTraffic(this.#disk.low);
    return pump;
  }

  #onEveAct(act: EveAct): void {
    this.#damage.note(act);
    this.#pump?.tally.doubt();
  }

  #watch(): void {
    const {timers, limits, log} = this.#context;
    const tickMs = Math.min(limits.watchMs, limits.eveCheckMs);
    this.#watchTimer = timers.after(tickMs, () => {
      this.#looking = this.#tick(tickMs)
        .then(() => {
          this.#unwatched = undefined;
        })
        .catch((error: unknown) => {
          const why = messageOf(error);
          if (this.#unwatched === undefined)
            log.error({endpoint: this.#spec.endpoint, error: why}, 'sensor check failed, retrying');
          this.#unwatched = `the sensor cannot be checked: ${why}`;
        })
        .finally(() => {
          if (!this.#ending.signal.aborted) this.#watch();
        });
    });
  }

  #captured(): CaptureCounters {
    return this.#capture?.counters(this.#pump?.tally.engine ?? NOTHING_COUNTED) ?? NOTHING_CAPTURED;
  }

  /** Since the start. */
  #packets(): PacketTotals {
    const {uninspected: engine, undecoded} = this.#pump?.tally.engine ?? NOTHING_COUNTED;
    const captured = this.#captured();
    const otherwise = undecoded - (captured.notInspectable ?? 0); // those have a reason of their own
    return {...captured, drops: {...captured.drops, engine}, undecoded: otherwise};
  }

  /** The same, to be added up over the runs of the server. */
  #sums(): PacketSums {
    return sumsOf(this.#captured(), this.#pump?.tally.engine.uninspected ?? 0);
  }

  async #tick(tickMs: number): Promise<void> {
    const pid = this.#supervisor?.pid;
    if (pid !== undefined && (await folderMark(this.#folder)) !== this.#folderMark) {
      const fields = {endpoint: this.#spec.endpoint, folder: this.#folder};
      this.#context.log.error(fields, 'sensor folder was moved or removed, restarting Suricata in a new one');
      this.#onEveAct('deleted');
      this.#supervisor?.kill({words: 'the folder of the sensor was moved or removed, and Suricata was restarted'});
      return;
    }
    if (pid !== undefined) await this.#rotation.check(pid);
    this.#sinceLookMs += tickMs;
    if (this.#sinceLookMs < this.#context.limits.watchMs) return;
    this.#sinceLookMs = 0;
    await this.#look();
  }

  async #look(): Promise<void> {
    const {limits} = this.#context;
    this.#loss.look(this.#packets());
    this.#figures?.look(this.#sums());
    this.#figures?.blind.disk(this.#supervisor?.diskFull !== undefined);
    this.#sinceSavedMs += limits.watchMs;
    if (this.#sinceSavedMs >= limits.heartbeatMs) {
      this.#sinceSavedMs = 0;
      await this.#figures?.save(this.#sums());
    }
    const pid = this.#supervisor?.pid;
    const cause = this.#reading.look(this.#capture, pid);
    if (cause !== undefined) return this.#supervisor?.kill(cause);
    await this.#lookAtDisk();
    const bytesMax = this.#disk.low ? limits.eveRotateLowDiskBytes : limits.eveRotateBytes;
    if (pid !== undefined) await this.#rotation.look(pid, Math.min(bytesMax, limits.eveRotateBytes));
  }

  /** Traffic logs stop before threat logs do. Suricata's words of a full disk count until there is space again. */
  async #lookAtDisk(): Promise<void> {
    const changed = this.#disk.look(await freeBytesAt(this.#folder));
    const {low, freeBytes} = this.#disk;
    if (!low) this.#supervisor?.forgetDiskFull();
    if (!changed) return;
    this.#pump?.holdTraffic(low);
    const fields = {endpoint: this.#spec.endpoint, freeBytes, trafficLeftOut: this.#pump?.tally.trafficLeftOut ?? 0};
    const {log} = this.#context;
    if (low) log.error(fields, 'disk nearly full, traffic logs stopped');
    else log.warn(fields, 'disk space recovered, traffic logs resumed');
  }

  /** Severity, exceptions and traffic logs act on every event read from now on. */
  async update(spec: SensorSpec): Promise<void> {
    this.#spec = spec;
    this.#pump?.update(spec);
    if (this.#ready) await this.#supervisor?.rememberSpec();
  }

  /** Live; alerts of the old rules that are still to be read keep their names. */
  async reload(rules: RuleSet): Promise<void> {
    const isSame = this.#rules.version === rules.version; // then they may have been fetched again
    if (!isSame) this.#previousRules = this.#rules;
    this.#rules = rules;
    if (!isSame) await this.#supervisor?.reload(rules);
  }

  /** Nothing taken in is lost; `forget` also removes folder and position. Rejects when records could not be stored; then it can be called again. */
  async stop(forget: boolean): Promise<void> {
    const {dir, sink, random} = this.#context;
    this.#ending.abort();
    await this.#starting;
    if (!this.#ready) return; // a cancelled start has taken everything down
    this.#watchTimer?.cancel();
    await this.#looking;
    this.#figures?.blind.begin('server', 'the server was stopped');
    const droppedNow = (): number => droppedOf({...this.#packets().drops, engine: 0});
    const droppedBefore = droppedNow();
    // Each step is taken whatever became of the one before: nothing may stay open.
    const steps = [
      () => this.#supervisor?.end(),
      () => this.#capture?.close(),
      () => this.#drainRecords(), // its counts, too
      () => this.#reportDrops(droppedNow() - droppedBefore),
      () => this.#saveLastFigures(forget),
    ];
    const problems: string[] = [];
    for (const step of steps) {
      try {
        const problem = await step();
        if (typeof problem === 'string') problems.push(problem);
      } catch (error) {
        problems.push(messageOf(error));
      }
    }
    if (problems.length > 0) throw new SensorError('closed', `The sensor was stopped, but ${problems.join('; ')}`);
    if (!forget) return;
    await keepFlowFiles(dir, this.#folder);
    const gone = await retireFolder(dir, this.#folder, random.uuid());
    await sink.forget(this.#spec.endpoint);
    await removeFolder(gone);
  }

  /** Of a stop. */
  #reportDrops(dropped: number): void {
    const {endpoint} = this.#spec;
    if (dropped > 0) this.#context.log.warn({endpoint, dropped}, 'packets dropped at the stop without inspection');
  }

  async #saveLastFigures(forget: boolean): Promise<void> {
    if (!forget) await this.#figures?.close(this.#sums());
  }

  /** Undefined: everything written was stored; otherwise why not. */
  async #drainRecords(): Promise<string | undefined> {
    if (this.#pump === undefined || this.#pump.closed) this.#pump = await this.#openPump();
    return (await this.#pump.finish(this.#context.limits.exitTimeoutMs))?.message;
  }

  /** Those of `ids` that match no signature in force here. */
  unknownExceptions(ids: readonly string[]): readonly string[] {
    return unknownTo(this.#rules, ids);
  }

  health(refusedRules: string | undefined): Omit<SensorHealth, 'ruleSet'> {
    return healthOf({
      context: this.#context,
      spec: this.#spec,
      isReady: this.#ready,
      rules: this.#rules,
      supervisor: this.#supervisor,
      pump: this.#pump,
      loss: this.#loss,
      disk: this.#disk,
      damage: this.#damage,
      rotation: this.#rotation,
      reading: this.#supervisor?.pid === undefined ? undefined : this.#reading.problem,
      captured: this.#captured(),
      sums: this.#sums(),
      figures: this.#figures,
      captureProblem: this.#capture?.problem?.(),
      unwatched: this.#unwatched,
      refusedRules,
    });
  }

  /** Packets over time; undefined until it was opened. */
  get history(): PacketHistory | undefined {
    return this.#figures?.history;
  }

  /** What counters of a monitoring system are made of; undefined until it was ready. */
  counted(): Counted | undefined {
    const pump = this.#pump;
    if (pump === undefined || this.#figures === undefined) return undefined;
    return {...this.#figures.saved, ...pump.committed};
  }
}
