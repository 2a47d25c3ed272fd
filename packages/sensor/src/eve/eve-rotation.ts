// SPDX-License-Identifier: Apache-2.0
/**
 * The EVE file that Suricata appends to: it is made before each run, and rotated while Suricata runs: the file aside, a new one in its
 * place, Suricata asked to reopen. When another program removes or replaces the file, it is rotated at once.
 *
 * Until Suricata has reopened it writes on in the old file, and the reader follows it there: nothing is lost, but that file grows.
 * I1 a step that fails is tried again after a wait that doubles up to a limit, and logged each time. I2 a file is moved aside once per
 *    rotation. I3 another process opens the new file by itself: what its predecessor still had to do is dropped.
 */
import type {SensorLimits} from '../limits.ts';
import type {Log, Random} from '../ports.ts';
import {messageOf} from '../sensor-error.ts';
import type {RunAs} from '../suricata/process.ts';
import type {EveDamage} from './eve-damage.ts';
import {beginEveRun, type FileMark, lookAtEveFile, rotateEveFile} from './eve-files.ts';

export type EveRotationOptions = {
  readonly endpoint: string;
  readonly folder: string;
  readonly random: Random;
  /** Suricata's user; undefined: ours. */
  readonly owner: RunAs | undefined;
  readonly log: Log;
  readonly limits: Pick<SensorLimits, 'watchMs' | 'eveRotateRetryFirstMs' | 'eveRotateRetryMostMs'>;
  readonly damage: Pick<EveDamage, 'note'>;
  /** Tells the running Suricata to reopen its log files. Rejects when it did not say that it has. */
  readonly reopen: () => Promise<void>;
};

type Rotation = {readonly pid: number; moved: boolean; failures: number; waitMs: number; why: string};

export class EveRotation {
  readonly #options: EveRotationOptions;
  /** Begun, and not yet through. */
  #open: Rotation | undefined;
  /** The file that Suricata writes to, or will when it has reopened; undefined: not known yet. */
  #active: FileMark | undefined;

  constructor(options: EveRotationOptions) {
    this.#options = options;
  }

  /** Why the file is not rotated although it should be; undefined: all is well. */
  get problem(): string | undefined {
    const {failures = 0, why = ''} = this.#open ?? {};
    return failures === 0
      ? undefined
      : `the event file cannot be rotated and grows (${failures} ${failures === 1 ? 'try' : 'tries'}): ${why}`;
  }

  /** Before Suricata is spawned: the file is there, and the run is marked in it. */
  async begin(): Promise<void> {
    const {folder, random, owner} = this.#options;
    this.#active = await beginEveRun(folder, random, owner, this.#active);
  }

  /** While Suricata runs as `pid`: when its file is no longer at its name, it gets a new one there. Never rejects for a failed step. */
  async check(pid: number): Promise<void> {
    const there = await lookAtEveFile(this.#options.folder);
    const isThere = there?.isFile === true && there.mark === this.#active;
    if (this.#active === undefined || isThere || this.#open?.pid === pid) return;
    this.#options.damage.note(there === undefined ? 'deleted' : 'replaced');
    this.#open = {pid, moved: false, failures: 0, waitMs: 0, why: ''};
    await this.#rotate(this.#open);
  }

  /** Every `watchMs` while Suricata runs as `pid`: rotates a file of more than `bytesMax`, and goes on with a rotation that failed. Never rejects for a failed step. */
  async look(pid: number, bytesMax: number): Promise<void> {
    if (this.#open?.pid !== pid) this.#open = undefined;
    const bytes = (await lookAtEveFile(this.#options.folder))?.sizeBytes ?? 0;
    if (this.#open === undefined && bytes <= bytesMax) return;
    this.#open ??= {pid, moved: false, failures: 0, waitMs: 0, why: ''};
    this.#open.waitMs -= this.#options.limits.watchMs;
    if (this.#open.waitMs <= 0) await this.#rotate(this.#open);
  }

  async #rotate(rotation: Rotation): Promise<void> {
    const {endpoint, folder, random, owner, log, limits, reopen} = this.#options;
    try {
      if (!rotation.moved) this.#active = await rotateEveFile(folder, random, owner, this.#active);
      rotation.moved = true;
      await reopen();
      this.#open = undefined;
      log.debug({endpoint}, 'EVE file rotated');
    } catch (error) {
      rotation.why = messageOf(error);
      rotation.waitMs = Math.min(limits.eveRotateRetryFirstMs * 2 ** rotation.failures, limits.eveRotateRetryMostMs);
      rotation.failures++;
      const fields = {endpoint, error: rotation.why, tries: rotation.failures, againInMs: rotation.waitMs};
      log.warn(fields, 'EVE file rotation failed, retrying');
    }
  }
}
