// SPDX-License-Identifier: Apache-2.0
/**
 * The packets of an endpoint since it was created: totals over all runs of the server, loss by the minute, blind time.
 *
 * I1 what `saved` shows was offered to the disk before, so that a counter made of it does not go back when the server dies; what came after
 * is missing then. I2 a disk that refuses to save costs nothing but that.
 */
import type {PacketHistory} from '@palisade/ids-wire';
import {HISTORY_SAVE_MS} from '../limits.ts';
import type {Clock, Log} from '../ports.ts';
import {droppedOf} from '../sensor/loss-watch.ts';
import {messageOf} from '../sensor-error.ts';
import {BlindTime} from './blind-time.ts';
import {readFigures, type SavedFigures, writeFigures} from './figures-file.ts';
import {readHistory, writeHistory} from './history-file.ts';
import {LossMinutes} from './loss-minutes.ts';
import {type HistoryRows, PacketTimes} from './packet-history.ts';
import {addSums, NO_PACKETS, type PacketSums} from './packet-totals.ts';

export type FiguresOptions = {
  readonly endpoint: string;
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
};

/** What counters of a monitoring system are made of: it never goes down. */
export type SavedCounts = {readonly packets: PacketSums; readonly blindSeconds: number};

export class Figures {
  readonly blind: BlindTime;
  /** The endpoint was there before this run of the server. */
  readonly isOld: boolean;
  readonly #options: FiguresOptions;
  readonly #minutes: LossMinutes;
  readonly #times: PacketTimes;
  #timesSavedMs: number;
  /** Of earlier runs of the server. */
  readonly #before: PacketSums;
  /** Of this run, at the last look. */
  #looked: PacketSums = NO_PACKETS;
  #saved: SavedCounts;
  #problem: string | undefined;

  constructor(options: FiguresOptions, figures: SavedFigures | undefined, times?: HistoryRows) {
    this.#options = options;
    this.isOld = figures !== undefined;
    this.#before = figures?.packets ?? NO_PACKETS;
    this.#minutes = new LossMinutes(figures?.minutes);
    this.#times = new PacketTimes(times);
    this.#timesSavedMs = options.clock.now();
    this.blind = new BlindTime(options.clock, figures?.blind);
    this.#saved = {packets: this.#before, blindSeconds: (figures?.blind.closedMs ?? 0) / 1000};
    if (figures !== undefined) this.blind.resume(figures.aliveMs);
  }

  /** With what an earlier server left. If there is something, its absence is a blind time that lasts until `blind.end`. */
  static async open(options: FiguresOptions): Promise<Figures> {
    const {folder} = options;
    return new Figures(options, await readFigures(folder), await readHistory(folder));
  }

  /** `run`: the packets of this run of the server. */
  totals(run: PacketSums): PacketSums {
    return addSums(this.#before, run);
  }

  /** Regularly, with the packets of this run. */
  look(run: PacketSums): void {
    const dropped = droppedOf(run.drops) - droppedOf(this.#looked.drops);
    const received = run.received - this.#looked.received;
    const delta = {
      received: Math.max(received, 0),
      bytes: Math.max(run.bytes - this.#looked.bytes, 0),
      dropped: Math.max(dropped, 0),
    };
    const nowMs = this.#options.clock.now();
    this.#minutes.add(nowMs, delta.received, delta.dropped);
    this.#times.add(nowMs, delta);
    this.#looked = run;
  }

  get minutes(): LossMinutes['shown'] {
    return this.#minutes.shown;
  }

  get history(): PacketHistory {
    return this.#times.shown;
  }

  get saved(): SavedCounts {
    return this.#saved;
  }

  /** Why the figures are not on disk; undefined: they are. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Also the sign of life: what a later server takes for the beginning of the time without one. Never rejects. */
  async save(run: PacketSums): Promise<void> {
    const {folder, clock, log, endpoint} = this.#options;
    const packets = this.totals(run);
    const blindSeconds = Math.max(this.blind.totalSeconds, this.#saved.blindSeconds);
    try {
      await writeFigures(folder, {aliveMs: clock.now(), packets, minutes: this.#minutes.rows, blind: this.blind.state});
      if (Math.abs(clock.now() - this.#timesSavedMs) >= HISTORY_SAVE_MS) await this.#saveTimes();
      this.#problem = undefined;
    } catch (error) {
      const why = messageOf(error);
      if (this.#problem === undefined) log.warn({endpoint, error: why}, 'loss figures not saved, retrying');
      this.#problem = `loss figures cannot be saved: ${why}; a restart of the server would lose them`;
    }
    this.#saved = {packets, blindSeconds};
  }

  async #saveTimes(): Promise<void> {
    await writeHistory(this.#options.folder, this.#times.rows);
    this.#timesSavedMs = this.#options.clock.now();
  }

  /** For a later server: the last look, all on disk. Never rejects. */
  async close(run: PacketSums): Promise<void> {
    this.look(run);
    this.#timesSavedMs = Number.NEGATIVE_INFINITY;
    await this.save(run);
  }
}
