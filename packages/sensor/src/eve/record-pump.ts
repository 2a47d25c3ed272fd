// SPDX-License-Identifier: Apache-2.0
/**
 * From the EVE file to the record sink: read a block, judge its lines, commit records, counters and position together, go on.
 * A commit that fails is tried again with back-off and nothing is read meanwhile: the file is the queue.
 * I1 a commit holds what the lines up to its position changed, and no other line: a block that makes more records than the sink takes at
 *    once is cut behind the line that fills the commit, and read again from there.
 */
import {type FSWatcher, watch} from 'node:fs';
import type {SensorLimits} from '../limits.ts';
import type {Log, SensorSpec, Timer, Timers} from '../ports.ts';
import type {EveCheckpoint, RecordBatch, RecordSink, SinkState} from '../record-sink.ts';
import type {Signature} from '../rules/parse-rule.ts';
import {messageOf} from '../sensor-error.ts';
import type {EveDamage} from './eve-damage.ts';
import {type EveBlock, EveReader} from './eve-reader.ts';
import {Tally, ZERO_COUNTERS} from './tally.ts';

const NEWLINE = 0x0a;

const PROBLEMS = {read: 'EVE records cannot be read', store: 'records cannot be stored'} as const;

/** Why records do not move on: a part of their way, and words that are readable on their own. */
export type RecordProblem = {readonly at: keyof typeof PROBLEMS; readonly message: string};

const problemAt = (at: RecordProblem['at'], error: unknown): RecordProblem => ({
  at,
  message: `${PROBLEMS[at]}: ${messageOf(error)}`,
});

export type CommittedAlerts = Pick<SinkState, 'counters' | 'engine' | 'flows'>;

export type RecordPumpOptions = {
  readonly spec: SensorSpec;
  readonly folder: string;
  readonly sink: RecordSink;
  readonly signature: (threatId: string) => Signature | undefined;
  /** Default: no. */
  readonly keepsEvidence?: boolean | undefined;
  readonly timers: Timers;
  readonly log: Log;
  readonly limits: SensorLimits;
  /** See TallyOptions. */
  readonly trafficSample?: (() => number) | undefined;
  /** Undefined: nobody wants to know what others do to the file. */
  readonly damage?: Pick<EveDamage, 'note'> | undefined;
};

export class RecordPump {
  readonly #options: RecordPumpOptions;
  readonly #reader: EveReader;
  readonly #tally: Tally;
  #watcher: FSWatcher | undefined;
  #timer: Timer | undefined;
  #turn: Promise<void> | undefined;
  #again = false;
  /** After a turn that has read something; what changes meanwhile is read in one turn after it. */
  #rest: Timer | undefined;
  #changedInRest = false;
  #closed = false;
  /** Bytes read since the last commit. */
  #uncommitted = 0;
  #file: string | undefined;
  #problem: RecordProblem | undefined;
  #endPause: (() => void) | undefined;
  #committed: CommittedAlerts;

  private constructor(options: RecordPumpOptions, reader: EveReader, tally: Tally) {
    this.#options = options;
    this.#reader = reader;
    this.#tally = tally;
    this.#committed = {counters: tally.counters, engine: tally.engineAlerts, flows: tally.flows};
  }

  /** Loads counters and position. Rejects when the sink does. Reading starts with `follow` or `drain`. */
  static async open(options: RecordPumpOptions): Promise<RecordPump> {
    const {sink, spec, limits, folder, log} = options;
    const state = await sink.load(spec.endpoint);
    const onCut = (when: 'now' | 'away'): void => options.damage?.note(when === 'now' ? 'truncated' : 'away');
    const reader = new EveReader(folder, {...limits, onCut});
    if (!(await reader.seek(state?.checkpoint)))
      log.warn(
        {endpoint: spec.endpoint},
        'no EVE file matches the stored position, reading the existing files from the start',
      );
    const tally = new Tally({
      spec,
      counters: state?.counters ?? ZERO_COUNTERS,
      engine: state?.engine,
      flows: state?.flows,
      trafficSample: options.trafficSample,
      signature: options.signature,
      keepsEvidence: options.keepsEvidence,
      repeatWindowMs: limits.repeatWindowMs,
      repeatWindowsMax: limits.repeatWindowsMax,
    });
    return new RecordPump(options, reader, tally);
  }

  /** A closed pump reads no more; the position is in the sink. */
  get closed(): boolean {
    return this.#closed;
  }

  get tally(): Tally {
    return this.#tally;
  }

  /** What of the alerts is in the sink: it never goes back, also not when the server dies. */
  get committed(): CommittedAlerts {
    return this.#committed;
  }

  /** Why records do not move on just now; undefined: they do. */
  get problem(): RecordProblem | undefined {
    return this.#problem;
  }

  /** Reads whenever the folder changes, and at intervals in case no word of a change comes. */
  follow(): void {
    try {
      this.#watcher = watch(this.#options.folder, (_, name) => {
        if (name === null || name.startsWith('eve.')) this.#pokeGathered();
      });
      this.#watcher.on('error', error => this.#noWatch(error));
    } catch (error) {
      this.#noWatch(error); // out of inotify watches: the interval does
    }
    this.#tick();
  }

  #noWatch(error: unknown): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    const {log, spec, limits} = this.#options;
    log.warn(
      {endpoint: spec.endpoint, error: messageOf(error), pollMs: limits.evePollUnwatchedMs},
      'file change events not available, polling instead',
    );
  }

  #tick(): void {
    if (this.#closed) return;
    this.#poke();
    const {evePollMs, evePollUnwatchedMs} = this.#options.limits;
    const waitMs = this.#watcher === undefined ? evePollUnwatchedMs : evePollMs;
    this.#timer = this.#options.timers.after(waitMs, () => this.#tick());
  }

  #poke(): void {
    if (this.#closed) return;
    if (this.#turn !== undefined) {
      this.#again = true;
      return;
    }
    void this.#begin();
  }

  #pokeGathered(): void {
    if (this.#turn === undefined && this.#rest === undefined) this.#poke();
    else this.#changedInRest = true;
  }

  #takeRest(): void {
    this.#rest?.cancel();
    this.#rest = this.#options.timers.after(this.#options.limits.eveGatherMs, () => {
      this.#rest = undefined;
      if (this.#changedInRest) this.#poke();
    });
  }

  /** One turn at a time: `#turn` must be empty. */
  #begin(): Promise<void> {
    this.#changedInRest = false;
    this.#turn = this.#run().then(hasRead => {
      this.#turn = undefined;
      if (hasRead && this.#watcher !== undefined && !this.#closed) this.#takeRest();
      const again = this.#again || (this.#changedInRest && this.#rest === undefined);
      this.#again = false;
      if (again) this.#poke();
    });
    return this.#turn;
  }

  /** False: there was nothing to read. */
  async #run(): Promise<boolean> {
    let steps = 0;
    try {
      while (!this.#closed && (await this.#step())) steps++;
      if (this.#problem?.at === 'read') this.#problem = undefined;
    } catch (error) {
      this.#problem = problemAt('read', error);
      this.#options.log.error(
        {endpoint: this.#options.spec.endpoint, error: messageOf(error)},
        'EVE read failed, retrying',
      );
    }
    return steps > 0;
  }

  /** One block; false: nothing more now, or closed. */
  async #step(): Promise<boolean> {
    const block = await this.#reader.read();
    if (block === undefined) return false;
    const checkpoint = this.#judge(block);
    const otherFile = this.#file !== undefined && this.#file !== checkpoint.inode;
    this.#file = checkpoint.inode;
    if (!(await this.#commit(checkpoint, otherFile))) return false;
    await this.#reader.advance(checkpoint);
    return true;
  }

  /** The position behind the last line that was judged: the block's end, or where a commit is full. */
  #judge(block: EveBlock): EveCheckpoint {
    const {bytes, start, fileId} = block;
    const {batchRecordsMax} = this.#options.sink;
    for (let i = 0; i < block.unreadable; i++) this.#tally.unreadableLine();
    let at = 0;
    while (at < bytes.length && this.#tally.changedRecords < batchRecordsMax) {
      const end = bytes.indexOf(NEWLINE, at);
      if (end > at) this.#tally.line(bytes.toString('utf8', at, end), `${fileId}-${start + at}`);
      at = end + 1;
    }
    this.#uncommitted += at;
    return at === bytes.length ? block.checkpoint : {...block.checkpoint, offset: start + at};
  }

  /** False: closed before the sink took it; the block is read again next time. */
  async #commit(checkpoint: EveCheckpoint, force: boolean): Promise<boolean> {
    const {sink, spec, limits} = this.#options;
    const changes = this.#tally.take();
    if (changes === undefined && !force && this.#uncommitted < limits.eveCheckpointBytes) return true;
    let batch: RecordBatch = {
      endpoint: spec.endpoint,
      checkpoint,
      counters: changes?.counters ?? this.#tally.counters,
      engine: changes?.engine ?? this.#tally.engineAlerts,
      flows: changes?.flows ?? this.#tally.flows,
      threats: changes?.threats ?? [],
      traffic: changes?.traffic ?? [],
    };
    for (let waitMs = limits.commitRetryFirstMs; ; waitMs = Math.min(waitMs * 2, limits.commitRetryMostMs)) {
      try {
        await sink.commit(batch);
        this.#problem = undefined;
        this.#uncommitted = 0;
        this.#committed = {counters: batch.counters, engine: batch.engine, flows: batch.flows};
        return true;
      } catch (error) {
        const isNew = this.#problem?.at !== 'store';
        this.#problem = problemAt('store', error);
        if (isNew)
          this.#options.log.error({endpoint: spec.endpoint, error: messageOf(error)}, 'record write failed, retrying');
        if (this.#closed) return false;
        await this.#pause(waitMs);
        batch = {...batch, traffic: this.#tally.stillWanted(batch.traffic)}; // the disk may have filled up meanwhile
      }
    }
  }

  /** Ends early when the pump is closed. */
  #pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = this.#options.timers.after(ms, resolve);
      this.#endPause = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  update(spec: SensorSpec): void {
    this.#tally.update(spec);
  }

  /** While true, flows make no records, so that threats have what disk space there is. */
  holdTraffic(hold: boolean): void {
    this.#tally.holdTraffic(hold);
  }

  /** Reads to the end of what there is now. For after Suricata's end, and before its start. */
  async drain(): Promise<void> {
    while (this.#turn !== undefined) await this.#turn;
    await this.#begin();
  }

  /** The last reading: to the end, but no longer than `limitMs`, then closed. Undefined: everything was stored; otherwise why not. */
  async finish(limitMs: number): Promise<RecordProblem | undefined> {
    const timer = this.#options.timers.after(limitMs, () => void this.close());
    try {
      await this.drain();
    } finally {
      timer.cancel();
      await this.close();
    }
    return this.#problem;
  }

  /** Stops following; the position stays. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#endPause?.();
    this.#watcher?.close();
    this.#timer?.cancel();
    this.#rest?.cancel();
    await this.#turn;
    await this.#reader.close();
  }
}
