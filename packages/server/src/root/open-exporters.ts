// SPDX-License-Identifier: Apache-2.0
/**
 * The exporters of this server. They are opened, without connecting to anything, before everything else, so that a wrong setting ends
 * the start; they run from when the record store is open until it is closed. SIGHUP ends those that are no longer named, and opens those
 * that are new or whose settings or files changed; the others run on.
 */
import {readFileSync} from 'node:fs';
import {hostname} from 'node:os';
import {isDeepStrictEqual} from 'node:util';
import {
  type Exporter,
  type ExporterHealth,
  ExporterRunner,
  forgetExporters,
  openExporter,
  type RecordStore,
} from '@palisade/ids';
import type {ExportFiles} from '@palisade/ids/export-settings';
import {CommandError} from '../errors.ts';
import type {ConfiguredExport} from '../parts/export-config.ts';
import {readExportFiles} from '../parts/export-files.ts';
import type {Logger} from '../process/logger.ts';
import {systemClock, systemRandom, systemTimers} from '../process/system.ts';
import type {NotTaken} from './reload.ts';

const {version} = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {version: string};

type Opened = ConfiguredExport & {
  readonly files: ExportFiles;
  readonly exporter: Exporter;
  runner: ExporterRunner | undefined;
};
type Attempt =
  | {readonly said: string; readonly opened: Opened}
  | {readonly said: string; readonly faults: readonly string[]};

const open = async (configured: ConfiguredExport, log: Logger): Promise<Attempt> => {
  const {settings, said} = configured;
  const {files, faults} = await readExportFiles(settings);
  if (faults.length > 0) return {said, faults};
  try {
    const exporter = await openExporter({
      settings,
      files,
      observer: {hostname: hostname(), version, pid: process.pid},
      clock: systemClock,
      timers: systemTimers,
      random: systemRandom,
      log: log.child({part: 'exporter', exporter: settings.name}),
    });
    return {said, opened: {...configured, files, exporter, runner: undefined}};
  } catch (error) {
    return {said, faults: [error instanceof Error ? error.message : String(error)]};
  }
};

export class Exporters {
  readonly #log: Logger;
  #opened: readonly Opened[] = [];
  #records: RecordStore | undefined;
  #reloading: Promise<unknown> = Promise.resolve();
  #isStopped = false;
  #ageMs = Number.POSITIVE_INFINITY;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Throws CommandError with all faults of all of them. */
  async open(configured: readonly ConfiguredExport[]): Promise<void> {
    const attempts = await Promise.all(configured.map(each => open(each, this.#log)));
    this.#opened = attempts.flatMap(attempt => ('opened' in attempt ? [attempt.opened] : []));
    const faults = attempts.flatMap(attempt =>
      'faults' in attempt ? attempt.faults.map(fault => lineOf(attempt.said, fault)) : [],
    );
    if (faults.length > 0) throw new CommandError(faults.join('\n'));
  }

  /** `ageMs`: how long records are kept now. */
  start(records: RecordStore, ageMs: number): void {
    this.#records = records;
    this.#ageMs = ageMs;
    for (const each of this.#opened) this.#run(each);
    this.#reloading = this.#forget();
  }

  /** Positions of exporters that are configured no more: for as long as records are kept, they may come back. */
  async #forget(): Promise<void> {
    if (this.#records === undefined) return;
    const names = this.#opened.map(({settings: {name}}) => name);
    try {
      const forgotten = await forgetExporters(this.#records, names, systemClock.now(), this.#ageMs);
      if (forgotten.length > 0) this.#log.info({exporters: forgotten}, 'positions of removed exporters forgotten');
    } catch (error) {
      this.#log.warn({err: error}, 'positions of removed exporters could not be forgotten');
    }
  }

  /** Sends what is stored, as far as the receivers take it soon. Waits for a reload that is under way, which starts nothing then. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#reloading;
    await Promise.all(this.#opened.map(end));
    this.#opened = [];
  }

  /** With faults nothing changes. */
  reload(configured: readonly ConfiguredExport[], ageMs = this.#ageMs): Promise<'applied' | NotTaken> {
    this.#ageMs = ageMs;
    const reloaded = this.#reload(configured);
    this.#reloading = reloaded.catch(() => undefined); // its caller gets the error
    return reloaded;
  }

  async #reload(configured: readonly ConfiguredExport[]): Promise<'applied' | NotTaken> {
    if (this.#isStopped) return 'applied';
    const read = await Promise.all(configured.map(async each => ({each, ...(await readExportFiles(each.settings))})));
    const isAsBefore = (at: number): Opened | undefined => {
      const {each, files} = read[at] as (typeof read)[number];
      return this.#opened.find(
        before => isDeepStrictEqual(before.settings, each.settings) && isDeepStrictEqual(before.files, files),
      );
    };
    const attempts = await Promise.all(
      read.map(async ({each}, at): Promise<Attempt> => {
        const before = isAsBefore(at);
        return before === undefined ? open(each, this.#log) : {said: each.said, opened: before};
      }),
    );
    const failed = attempts.flatMap(attempt => ('faults' in attempt ? [attempt] : []));
    const next = attempts.flatMap(attempt => ('opened' in attempt ? [attempt.opened] : []));
    if (failed.length > 0) {
      await Promise.all(next.filter(each => !this.#opened.includes(each)).map(end));
      const reasons = Object.fromEntries(failed.map(({said, faults}) => [said, faults.join('; ')]));
      this.#log.error({reasons}, 'exporters could not be opened, the previous ones run on');
      return {reasons};
    }
    // Before the new ones: one of the same name goes on at the position that the old one saves.
    await Promise.all(this.#opened.filter(each => !next.includes(each)).map(end));
    this.#opened = next;
    for (const each of next) this.#run(each);
    if (!this.#isStopped) await this.#forget();
    return 'applied';
  }

  /** Of those that send records of an endpoint; undefined: of all. */
  async health(endpoint?: string): Promise<readonly ExporterHealth[]> {
    const runners = this.#opened.flatMap(({runner}) => runner ?? []);
    return Promise.all(
      runners.filter(runner => endpoint === undefined || runner.sends(endpoint)).map(runner => runner.health()),
    );
  }

  #run(opened: Opened): void {
    if (opened.runner !== undefined || this.#records === undefined || this.#isStopped) return;
    const {settings, exporter} = opened;
    opened.runner = new ExporterRunner({
      settings,
      exporter,
      records: this.#records,
      clock: systemClock,
      timers: systemTimers,
      random: systemRandom,
      log: this.#log.child({part: 'exporter', exporter: settings.name}),
    });
    opened.runner.start();
  }
}

const end = async ({runner, exporter}: Opened): Promise<void> => {
  if (runner === undefined) await exporter.close();
  else await runner.stop();
};

/** `exporters[0].secretFile …`, or `--export RECEIVER: secretFile …`. */
const lineOf = (said: string, fault: string): string =>
  said.startsWith('--') ? `${said}: ${fault}` : /^[a-z]+File /.test(fault) ? `${said}.${fault}` : `${said}: ${fault}`;
