// SPDX-License-Identifier: Apache-2.0
/**
 * Scheduled backups. The next one is due an interval after the newest file, so a restart neither loses nor repeats one. Old files go
 * only after the new one is whole, on disk, and read back. A failure is counted, logged, and tried again.
 */
import type {Clock, Timer, Timers} from '@palisade/apiserver';
import type {Logger} from '../process/logger.ts';
import {makePrivateFolder} from '../process/sync-folder.ts';
import type {BackupConfig} from './backup-config.ts';
import type {Backups} from './backups.ts';
import {Copies} from './copies.ts';
import {writeBackupFile} from './write-backup-file.ts';

/** After a failure, unless the interval is shorter. */
const RETRY_MS = 5 * 60_000;
/** After a start, so that it does not wait for a backup that is due. */
const SETTLE_MS = 10_000;

/** Zero: none yet. Times in seconds since 1970, as metrics have them. */
export type BackupCounts = {
  lastSuccess: number;
  lastSeconds: number;
  lastBytes: number;
  failures: number;
};

export type ScheduleParts = {
  readonly backups: Pick<Backups, 'make' | 'idle' | 'hasRecords'>;
  readonly serverUid: string;
  readonly clock: Clock;
  /** Milliseconds that only grow. */
  readonly stopwatch: {now(): number};
  readonly timers: Pick<Timers, 'after'>;
  readonly log: Pick<Logger, 'info' | 'error'>;
};

export class BackupSchedule {
  readonly counts: BackupCounts = {lastSuccess: 0, lastSeconds: 0, lastBytes: 0, failures: 0};
  readonly #config: BackupConfig;
  readonly #parts: ScheduleParts;
  readonly #copies: Copies;
  readonly #ending = new AbortController();
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(config: BackupConfig, parts: ScheduleParts) {
    this.#config = config;
    this.#parts = parts;
    this.#copies = new Copies(config.dir, parts.serverUid);
  }

  /** Makes the folder (mode 0700) if it is absent. Throws what the file system throws. */
  async start(): Promise<void> {
    await makePrivateFolder(this.#config.dir);
    await this.#copies.removePartial();
    const newest = (await this.#copies.all()).at(-1);
    const nowMs = this.#parts.clock.now();
    if (newest !== undefined) this.counts.lastSuccess = newest.timeMs / 1_000;
    // A clock that was set back shows a newest file of the future: its age is not known.
    const ageMs = newest === undefined || newest.timeMs > nowMs ? this.#config.everyMs : nowMs - newest.timeMs;
    this.#later(Math.max(SETTLE_MS, this.#config.everyMs - ageMs));
  }

  /** A backup that is being made is given up. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#ending.abort(new Error('the server is stopping'));
    await this.#running;
  }

  #later(delayMs: number): void {
    this.#timer = this.#parts.timers.after(delayMs, () => {
      this.#running = this.#run();
    });
  }

  async #run(): Promise<void> {
    const {log} = this.#parts;
    const {everyMs, dir} = this.#config;
    let nextMs = everyMs;
    try {
      await this.#make();
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      this.counts.failures += 1;
      nextMs = Math.min(everyMs, RETRY_MS);
      log.error({err: error, folder: dir, retrySeconds: nextMs / 1_000}, 'scheduled backup failed, retrying later');
    }
    if (!this.#ending.signal.aborted) this.#later(nextMs);
  }

  async #make(): Promise<void> {
    const {backups, clock, stopwatch, log} = this.#parts;
    const {keep, records} = this.#config;
    await backups.idle();
    await this.#copies.removePartial(); // of an attempt whose file could not be removed
    const began = stopwatch.now();
    const name = this.#copies.nameAt(clock.now(), (await this.#copies.all()).at(-1));
    const {signal} = this.#ending;
    const chunks = backups.make(records && backups.hasRecords, signal);
    const {manifest, bytes} = await writeBackupFile(this.#copies.pathOf(name), chunks, {signal});
    const seconds = (stopwatch.now() - began) / 1_000;
    Object.assign(this.counts, {lastSuccess: clock.now() / 1_000, lastSeconds: seconds, lastBytes: bytes});
    const removed = await this.#copies.prune(keep);
    const {revision, objects} = manifest;
    log.info({file: this.#copies.pathOf(name), bytes, seconds, revision, objects, removed}, 'scheduled backup written');
  }
}
