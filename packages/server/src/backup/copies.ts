// SPDX-License-Identifier: Apache-2.0
/**
 * The scheduled backups in a folder: `palisade-SERVER-TIME.tar.zst`, where SERVER is the beginning of the server's UID, so that several
 * servers may share a folder, and TIME is UTC, so that names sort by age. A clock that was set back gives no earlier name: the new
 * copy is one second later than the newest.
 */
import {readdir, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {PARTIAL} from './write-backup-file.ts';

const ENDING = '.tar.zst';

export type Copy = {readonly name: string; readonly timeMs: number};

const TIME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** `20261128T150211Z`. */
export const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
/** NaN: the name is not ours. Date.parse alone finds a time in many a text. */
const timeIn = (text: string): number =>
  TIME.test(text) ? Date.parse(text.replace(TIME, '$1-$2-$3T$4:$5:$6Z')) : Number.NaN;

export class Copies {
  readonly #dir: string;
  readonly #prefix: string;

  constructor(dir: string, serverUid: string) {
    this.#dir = dir;
    this.#prefix = `palisade-${serverUid.slice(0, 8)}-`;
  }

  pathOf(name: string): string {
    return join(this.#dir, name);
  }

  /** Oldest first. */
  async all(): Promise<readonly Copy[]> {
    const copies = (await readdir(this.#dir)).flatMap(name => {
      if (!name.startsWith(this.#prefix) || !name.endsWith(ENDING)) return [];
      const timeMs = timeIn(name.slice(this.#prefix.length, -ENDING.length));
      return Number.isNaN(timeMs) ? [] : [{name, timeMs}];
    });
    return copies.sort((a, b) => a.timeMs - b.timeMs);
  }

  /** The name of one that is made now. */
  nameAt(nowMs: number, newest: Copy | undefined): string {
    const atMs = Math.max(nowMs, (newest?.timeMs ?? 0) + 1_000);
    return `${this.#prefix}${timeText(atMs)}${ENDING}`;
  }

  /** Removes the oldest beyond `keep`; returns their names. */
  async prune(keep: number): Promise<readonly string[]> {
    const copies = await this.all();
    const old = copies.slice(0, Math.max(0, copies.length - keep));
    for (const {name} of old) await rm(this.pathOf(name), {force: true});
    return old.map(({name}) => name);
  }

  /** Removes what a crash left unfinished. */
  async removePartial(): Promise<void> {
    for (const name of await readdir(this.#dir))
      if (name.startsWith(this.#prefix) && PARTIAL.test(name)) await rm(this.pathOf(name), {force: true});
  }
}
