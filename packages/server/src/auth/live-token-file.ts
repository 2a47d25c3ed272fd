// SPDX-License-Identifier: Apache-2.0
/**
 * The file of `--token-auth-file` as a source of tokens. It is read again when it changes, and on SIGHUP. A file that cannot be
 * used, and one that is gone, leave the tokens of the last reading valid: the log names the faults.
 */
import {type Timers, type TokenAnswer, type TokenSource, type TokenTable, tokenTableSource} from '@palisade/apiserver';
import type {Logger} from '../process/logger.ts';
import {ABSENT, type FileVersion, versionOf, WatchedFile, type WatchParts} from '../process/watch-file.ts';
import {readTokenFile} from './token-file.ts';

type Log = Pick<Logger, 'info' | 'warn' | 'error'>;
type Watching = Pick<WatchParts, 'timers' | 'settleMs' | 'lookMs' | 'watchFolder'>;

export class LiveTokenFile implements TokenSource {
  readonly #log: Log;
  #path: string;
  #version: FileVersion;
  #current;
  #watching: Watching | undefined;
  #watched: WatchedFile | undefined;
  /** One reading at a time, in order. */
  #reading: Promise<unknown> = Promise.resolve();

  private constructor(path: string, version: FileVersion, table: TokenTable, log: Log) {
    this.#path = path;
    this.#version = version;
    this.#current = tokenTableSource(table);
    this.#log = log;
  }

  /** Throws CommandError when the file cannot be used. */
  static async open(path: string, log: Log): Promise<LiveTokenFile> {
    const version = await versionOf(path);
    return new LiveTokenFile(path, version, await readTokenFile(path, log), log);
  }

  find(token: string): TokenAnswer {
    return this.#current.find(token);
  }

  findUnguessed(token: string): TokenAnswer {
    return this.#current.findUnguessed(token);
  }

  /** From now on the file is read again when it changes. */
  watch(timers: Pick<Timers, 'after'>, more: Partial<Watching> = {}): void {
    this.#watching = {timers, ...more};
    this.#watchPath();
  }

  /** Resolves when nothing of it runs any longer. */
  async stop(): Promise<void> {
    this.#watching = undefined;
    await this.#watched?.stop();
    await this.#reading;
  }

  /** Reads the file that the configuration names now. Resolves to whether its tokens are in use; never rejects. */
  reload(path: string): Promise<boolean> {
    const next = this.#reading.then(() => this.#read(path));
    this.#reading = next;
    return next;
  }

  async #read(path: string): Promise<boolean> {
    const version = await versionOf(path);
    try {
      this.#replace(await readTokenFile(path, this.#log));
    } catch (error) {
      this.#log.error({err: error}, 'token file reload failed, the previous tokens stay valid');
      return false;
    }
    this.#log.info({file: path}, 'token file reloaded');
    this.#version = version;
    if (path === this.#path) this.#watched?.read(version);
    else {
      this.#path = path;
      await this.#watched?.stop();
      this.#watchPath();
    }
    return true;
  }

  /** Tokens that were right lately, and still are, count as known. */
  #replace(table: TokenTable): void {
    const next = tokenTableSource(table);
    for (const token of this.#current.recent()) next.find(token);
    this.#current = next;
  }

  #watchPath(): void {
    if (this.#watching === undefined) return;
    const path = this.#path;
    this.#watched = new WatchedFile({
      ...this.#watching,
      ...{path, version: this.#version, log: this.#log},
      changed: version => {
        if (version === ABSENT) this.#log.error({file: path}, 'token file removed, the previous tokens stay valid');
        else void this.reload(path); // not awaited: it may stop this watch, which waits for its own calls
      },
    });
  }
}
