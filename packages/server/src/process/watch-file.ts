// SPDX-License-Identifier: Apache-2.0
/**
 * Notices that a file changed: events of its folder, and a look now and then for what events do not show (a link to a file of
 * another folder, a folder that was replaced, a file system without events). Links are followed, so a Secret volume, which swaps
 * a link beside the file, is a change. A change is reported when the file has stayed the same for a moment.
 */
import {watch} from 'node:fs';
import {stat} from 'node:fs/promises';
import {dirname} from 'node:path';
import type {Timer, Timers} from '@palisade/apiserver';
import type {Logger} from './logger.ts';

/** Differs after each write or replacement of a file. */
export type FileVersion = string;

/** The version of a file that does not exist. */
export const ABSENT: FileVersion = 'absent';

const SETTLE_MS = 100;
/** After so many looks a file is reported although it still changes. */
const SETTLE_LOOKS_MAX = 20;
const LOOK_MS = 1_000;

/** To be called before the file is read. Never rejects: a file that cannot be looked at is reported by those who read it. */
export const versionOf = async (path: string): Promise<FileVersion> => {
  try {
    const {dev, ino, size, mtimeNs, ctimeNs} = await stat(path, {bigint: true});
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    const {code = ''} = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? ABSENT : `unreadable ${code}`;
  }
};

/** Calls for each event of a folder, until closed. Throws where the system has no events, or no more of them. */
export type WatchFolder = (folder: string, changed: () => void) => {close(): void};

const watchFolder: WatchFolder = (folder, changed) => {
  const watcher = watch(folder, {persistent: false}, changed);
  watcher.on('error', () => watcher.close()); // the looks remain
  return watcher;
};

export type WatchParts = {
  readonly path: string;
  /** Of the file as it was last read. */
  readonly version: FileVersion;
  /** Called with the new version, once at a time; what it throws is logged. */
  readonly changed: (version: FileVersion) => Promise<void> | void;
  readonly timers: Pick<Timers, 'after'>;
  readonly log: Pick<Logger, 'error'>;
  readonly settleMs?: number;
  readonly lookMs?: number;
  readonly watchFolder?: WatchFolder;
};

export class WatchedFile {
  readonly #parts: WatchParts;
  readonly #settleMs: number;
  readonly #lookMs: number;
  readonly #folder: {close(): void} | undefined;
  /** The version that was last read or reported. */
  #known: FileVersion;
  /** What the last look found. */
  #seen: FileVersion;
  #unsettledLooks = 0;
  #timer: Timer;
  #settling: Timer | undefined;
  #looking: Promise<void> | undefined;
  #stopped = false;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#settleMs = parts.settleMs ?? SETTLE_MS;
    this.#lookMs = parts.lookMs ?? LOOK_MS;
    this.#known = parts.version;
    this.#seen = parts.version;
    this.#folder = this.#open();
    this.#timer = this.#nextLook();
    this.#settle(); // what changed since the file was read
  }

  /** Somebody else read the file in this version: it is no news. */
  read(version: FileVersion): void {
    this.#known = version;
  }

  /** Resolves when nothing of it runs any longer. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#folder?.close();
    this.#timer.cancel();
    this.#settling?.cancel();
    await this.#looking;
  }

  #open(): {close(): void} | undefined {
    try {
      return (this.#parts.watchFolder ?? watchFolder)(dirname(this.#parts.path), () => this.#settle());
    } catch {
      return undefined;
    }
  }

  #nextLook(): Timer {
    return this.#parts.timers.after(this.#lookMs, () => {
      this.#settle();
      if (!this.#stopped) this.#timer = this.#nextLook();
    });
  }

  #settle(): void {
    if (this.#stopped) return;
    this.#settling ??= this.#parts.timers.after(this.#settleMs, () => {
      this.#settling = undefined;
      this.#looking = (this.#looking ?? Promise.resolve()).then(() => this.#look());
    });
  }

  async #look(): Promise<void> {
    const version = await versionOf(this.#parts.path);
    if (this.#stopped || version === this.#known) return;
    const isSettled = version === this.#seen || ++this.#unsettledLooks >= SETTLE_LOOKS_MAX;
    this.#seen = version;
    if (!isSettled) return this.#settle();
    this.#unsettledLooks = 0;
    this.#known = version;
    try {
      await this.#parts.changed(version);
    } catch (error) {
      this.#parts.log.error({err: error, file: this.#parts.path}, 'change of a watched file not handled');
    }
  }
}
