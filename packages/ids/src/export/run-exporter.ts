// SPDX-License-Identifier: Apache-2.0
/**
 * One exporter at work: reads what is written, sends it in order, and keeps on disk how far it has come.
 *
 * I1: at least once: the cursor is saved after the receiver has everything up to it; what was sent and not saved is sent again.
 * I2: one page of records is in memory, however far the receiver is behind; the others stay in the store.
 * I3: nothing is left out silently: what retention dropped before it was sent is counted as missed, and a record that the receiver
 *     refuses for good is skipped only alone, after EXPORT_REFUSED_TRIES, and while the receiver takes others, counted and logged with
 *     its id; one that the exporter cannot write is skipped at once. A receiver that takes none has a wrong tenant, path or format: that is tried until it is mended.
 * I4: another history of the store (it was emptied, or a backup restored) is read from its beginning.
 */
import type {EndpointName, ExporterCounts, ExporterHealth, RecordKind} from '@palisade/ids-wire';
import {
  EXPORT_BATCH,
  EXPORT_BEHIND_MS,
  EXPORT_DRAIN_MS,
  EXPORT_EVENT_BATCH,
  EXPORT_REFUSED_TRIES,
  EXPORT_RETRY_AFTER_MAX_MS,
  EXPORT_RETRY_MAX_MS,
  EXPORT_RETRY_MIN_MS,
  EXPORT_SAVE_MS,
  EXPORT_SEND_MS,
} from '../limits.ts';
import type {ChangesPage, ReaderPosition, RecordStore, StoredRecord} from '../records/record-store.ts';
import {wakeUp} from '../records/wake-up.ts';
import {type Clock, delay, type Log, messageOf, type Random, type Timers, unlessAborted} from '../system.ts';
import {endpointMatcher, storeNameOf} from './endpoint-match.ts';
import {ExportError, type Exporter, type ExportItem, type Rejected} from './exporter.ts';
import {readerName} from './positions.ts';
import type {ExportSettings} from './settings.ts';

export type RunnerOptions = {
  readonly settings: Pick<ExportSettings, 'name' | 'receiver' | 'kinds' | 'filter' | 'endpoints' | 'updates' | 'from'>;
  readonly exporter: Exporter;
  readonly records: RecordStore;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
};

type Counts = {-readonly [name in keyof ExporterCounts]: number};
type Place = {readonly sequence: number; readonly timeMs: number};

export class ExporterRunner {
  readonly #options: RunnerOptions;
  readonly #name: EndpointName;
  readonly #sends: (endpoint: string) => boolean;
  /** Of the records: no further ones are read. */
  readonly #asked = new AbortController();
  /** Also of what is being sent. */
  readonly #ended = new AbortController();
  readonly #counts: Counts = {sent: 0, retried: 0, refused: 0, missed: 0, truncated: 0};
  #position: ReaderPosition | undefined;
  #saved: ReaderPosition | undefined;
  #savedMs = 0;
  #lastError = '';
  #failures = 0;
  /** How many sends the receiver took. */
  #taken = 0;
  /** By kind: `#taken` when a record was first refused that could not be judged. */
  readonly #doubts = new Map<RecordKind, number>();
  #probes = 0;
  #running: Promise<void> | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#name = storeNameOf(options.settings.endpoints);
    this.#sends = endpointMatcher(options.settings.endpoints);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Sends what is stored, for EXPORT_DRAIN_MS at most; a receiver that fails is not waited for. Closes the exporter. */
  async stop(): Promise<void> {
    this.#asked.abort();
    const limit = this.#options.timers.after(EXPORT_DRAIN_MS, () => this.#ended.abort());
    await this.#running;
    limit.cancel();
    await this.#options.exporter.close();
  }

  /** Whether it sends records of an endpoint. */
  sends(endpoint: string): boolean {
    return this.#sends(endpoint);
  }

  get counts(): ExporterCounts {
    return {...this.#counts, truncated: this.#options.exporter.truncated?.() ?? 0};
  }

  async health(): Promise<ExporterHealth> {
    const {settings, records, clock} = this.#options;
    const now = clock.now();
    const lags = await Promise.all(
      settings.kinds.map(async kind => {
        const at = this.#position?.kinds[kind];
        const count = at === undefined ? 0 : await records.backlog(kind, at.sequence);
        return {count, ms: count === 0 || at === undefined ? 0 : Math.max(now - at.timeMs, 0)};
      }),
    );
    const lagMs = Math.max(0, ...lags.map(({ms}) => ms));
    return {
      name: settings.name,
      receiver: settings.receiver,
      state: this.#failures > 0 ? 'RETRYING' : lagMs > EXPORT_BEHIND_MS ? 'BEHIND' : 'OK',
      lagRecords: lags.reduce((sum, {count}) => sum + count, 0),
      lagSeconds: Math.round(lagMs / 1_000),
      ...this.counts,
      lastError: this.#lastError,
    };
  }

  async #run(): Promise<void> {
    const {records, settings, log} = this.#options;
    const wake = wakeUp(records, this.#asked.signal);
    try {
      await this.#untilItWorks(() => this.#begin());
      while (!this.#ended.signal.aborted) {
        const woken = wake.next();
        let isAll = true;
        for (const kind of settings.kinds) {
          const page = await this.#untilItWorks(() => this.#read(kind));
          const isDone = await this.#sendPage(kind, page);
          isAll &&= isDone && page.isLast;
        }
        if (isAll && this.#asked.signal.aborted) break;
        if (isAll) await unlessAborted(woken, this.#ended.signal);
      }
      await this.#save();
    } catch (error) {
      if (error instanceof GivenUp) log.info({...this.counts}, 'exporter stopped before its receiver had all records');
      else {
        this.#failures++;
        this.#lastError = messageOf(error);
        log.error({err: error}, 'exporter failed');
      }
    } finally {
      wake.close();
    }
  }

  /** I4. */
  async #begin(): Promise<void> {
    const {records, settings, clock, log} = this.#options;
    const {history, sequence} = await records.position();
    const saved = await records.loadReader(readerName(settings.name));
    const isNew = saved === undefined;
    const held = async (kind: RecordKind): Promise<Place | undefined> => {
      const before = saved?.kinds[kind];
      return before !== undefined && (await records.holds({...before, history: saved?.history ?? ''}))
        ? before
        : undefined;
    };
    const found = new Map<RecordKind, Place | undefined>();
    for (const kind of settings.kinds) found.set(kind, await held(kind));
    const isOther = [...found].some(([kind, place]) => saved?.kinds[kind] !== undefined && place === undefined);
    const first = (kind: RecordKind): Place => {
      const isNewKind = saved?.kinds[kind] === undefined && !isOther;
      return {sequence: isNewKind && settings.from === 'now' ? sequence : 0, timeMs: clock.now()};
    };
    const places = Object.fromEntries([...found].map(([kind, place]) => [kind, place ?? first(kind)]));
    this.#position = {history, kinds: places};
    if (isOther) log.warn({}, 'record store was emptied or restored, exporter begins with the records that are stored');
    await this.#save();
    log.info({receiver: settings.receiver, from: isNew ? settings.from : 'its cursor'}, 'exporter started');
  }

  #at(kind: RecordKind): Place {
    return this.#position?.kinds[kind] ?? {sequence: 0, timeMs: 0};
  }

  #read(kind: RecordKind): Promise<ChangesPage> {
    const {records, settings} = this.#options;
    const after = this.#at(kind).sequence;
    return records.changes({
      kind,
      name: this.#name,
      filter: settings.filter,
      after,
      updates: settings.updates,
      limit: EXPORT_BATCH,
    });
  }

  /** False: the receiver takes nothing; the page is to be read again, with what was written meanwhile. */
  async #sendPage(kind: RecordKind, page: ChangesPage): Promise<boolean> {
    const {clock, log} = this.#options;
    const readMs = clock.now();
    const wanted = page.records.filter(({endpoint}) => this.#sends(endpoint));
    const first = this.#doubts.get(kind) ?? this.#taken;
    const width = this.#options.exporter.needsEvent ? EXPORT_EVENT_BATCH : EXPORT_BATCH;
    for (let from = 0; from < wanted.length; from += width) {
      const part = wanted.slice(from, from + width);
      const items = await this.#untilItWorks(() => this.#itemsOf(kind, part));
      if (!(await this.#sendAll(items, first))) {
        this.#doubts.set(kind, first);
        return false;
      }
    }
    this.#doubts.delete(kind);
    if (page.missed > 0) {
      this.#counts.missed += page.missed;
      log.warn({kind, records: page.missed}, 'records were dropped before they could be exported');
    }
    const before = this.#at(kind);
    const seenMs = page.isLast ? readMs : Math.min(readMs, Math.max(before.timeMs, timeOf(page.records)));
    if (this.#position !== undefined)
      this.#position = {
        ...this.#position,
        kinds: {...this.#position.kinds, [kind]: {sequence: page.sequence, timeMs: seenMs}},
      };
    if (wanted.length > 0 || page.missed > 0 || readMs - this.#savedMs >= EXPORT_SAVE_MS) await this.#save();
    return true;
  }

  async #itemsOf(kind: RecordKind, stored: readonly StoredRecord[]): Promise<readonly ExportItem[]> {
    const {records, exporter} = this.#options;
    const hasEvent = exporter.needsEvent && kind === 'threats';
    const eventOf = ({endpoint, id}: StoredRecord): Promise<string | undefined> =>
      hasEvent ? records.evidence(endpoint, id) : Promise.resolve(undefined);
    return Promise.all(stored.map(async each => ({kind, ...each, event: await eventOf(each)})));
  }

  /** I3. `first`: `#taken` before the page. False: the receiver takes nothing. */
  async #sendAll(items: readonly ExportItem[], first: number): Promise<boolean> {
    let since = this.#taken;
    let rest = items;
    let width = items.length;
    let refusals = 0;
    while (rest.length > 0) {
      const part = rest.slice(0, width);
      const error = await this.#attempt(() => this.#send(part));
      if (error === undefined) {
        this.#counts.sent += part.length;
        rest = rest.slice(part.length);
        width = rest.length;
        refusals = 0;
      } else if (!isRefusal(error)) await this.#pause(error);
      else if (part.length > 1) width = Math.ceil(part.length / 2);
      else if (error.code === 'refused' && ++refusals < EXPORT_REFUSED_TRIES) await this.#pause(error);
      else {
        const others = rest.slice(1);
        const takesOthers = others.length === 0 ? this.#taken > first : this.#taken > since;
        const fault =
          takesOthers || error.code === 'unwritable'
            ? undefined
            : others.length === 0
              ? error
              : await this.#probe(others);
        if (fault !== undefined) {
          await this.#pause(isRefusal(fault) ? refusesAll(fault) : fault);
          return false;
        }
        this.#skip(part[0] as ExportItem, error);
        since = this.#taken;
        rest = others;
        width = rest.length;
        refusals = 0;
      }
    }
    return true;
  }

  /** Sends one of them, another each time; it is sent again in its turn. Undefined: the receiver took it. */
  async #probe(items: readonly ExportItem[]): Promise<unknown> {
    const one = items[this.#probes++ % items.length] as ExportItem;
    try {
      const rejected = await this.#deliver([one]);
      return rejected === undefined ? undefined : new ExportError('refused', 'the receiver rejected it');
    } catch (error) {
      return error;
    }
  }

  #skip({kind, endpoint, id}: ExportItem, error: ExportError): void {
    this.#counts.refused++;
    this.#failures = 0;
    const record = {kind, endpoint, id, reason: error.message};
    const {log} = this.#options;
    if (error.code === 'unwritable') log.error(record, 'record could not be written, skipped');
    else
      log.error({...record, ...wordsOf(error), tries: EXPORT_REFUSED_TRIES}, 'record refused by the receiver, skipped');
  }

  #reject(items: readonly ExportItem[], {count: said, reason}: Rejected): void {
    const count = Math.min(said, items.length); // the receiver may say anything
    this.#counts.refused += count;
    this.#counts.sent -= count;
    const [first, last] = [items[0]?.id, items.at(-1)?.id];
    this.#options.log.error(
      {records: count, of: items.length, first, last, reason},
      'records rejected by the receiver',
    );
  }

  async #send(items: readonly ExportItem[]): Promise<void> {
    const rejected = await this.#deliver(items);
    if (rejected !== undefined) this.#reject(items, rejected);
  }

  async #deliver(items: readonly ExportItem[]): Promise<Rejected | undefined> {
    const {exporter, timers} = this.#options;
    const limit = new AbortController();
    const timer = timers.after(EXPORT_SEND_MS, () =>
      limit.abort(new ExportError('unavailable', `no answer within ${EXPORT_SEND_MS / 1_000} s`)),
    );
    try {
      const rejected = await exporter.send(items, AbortSignal.any([limit.signal, this.#ended.signal]));
      const isTaken = rejected === undefined || rejected.count < items.length;
      if (isTaken) this.#taken++;
      return rejected ?? undefined;
    } catch (error) {
      throw limit.signal.aborted ? limit.signal.reason : error;
    } finally {
      timer.cancel();
    }
  }

  /** The error; undefined: it worked. */
  async #attempt(work: () => Promise<void>): Promise<unknown> {
    try {
      await work();
      this.#recovered();
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #recovered(): void {
    if (this.#failures > 0) this.#options.log.info({attempts: this.#failures}, 'exporter recovered');
    this.#failures = 0;
    this.#lastError = '';
  }

  /** Of the store: what it throws is not final. */
  async #untilItWorks<T>(work: () => Promise<T>): Promise<T> {
    for (let failed = false; ; failed = true)
      try {
        const result = await work();
        if (failed) this.#recovered();
        return result;
      } catch (error) {
        if (error instanceof GivenUp) throw error;
        await this.#pause(error);
      }
  }

  /** Waits before the next attempt, longer each time. Throws GivenUp when the exporter is to stop. */
  async #pause(error: unknown): Promise<void> {
    const {timers, random, log} = this.#options;
    if (this.#asked.signal.aborted) throw new GivenUp();
    this.#counts.retried++;
    this.#lastError = messageOf(error);
    if (this.#failures++ === 0) log.warn({reason: this.#lastError, ...wordsOf(error)}, 'exporter failed, retrying');
    const asked = error instanceof ExportError ? (error.retryAfterMs ?? 0) : 0;
    const full = Math.min(EXPORT_RETRY_MIN_MS * 2 ** Math.min(this.#failures - 1, 30), EXPORT_RETRY_MAX_MS);
    const jitter = 0.5 + (random.bytes(1)[0] ?? 0) / 512;
    await delay(timers, Math.max(full * jitter, Math.min(asked, EXPORT_RETRY_AFTER_MAX_MS)), this.#asked.signal);
  }

  async #save(): Promise<void> {
    const position = this.#position;
    if (position === undefined || position === this.#saved) return;
    const {records, settings, clock} = this.#options;
    await this.#untilItWorks(() => records.saveReader(readerName(settings.name), position));
    this.#saved = position;
    this.#savedMs = clock.now();
  }
}

/** The receiver fails and the exporter is to stop: the rest is sent after the next start. */
class GivenUp extends Error {}

const isRefusal = (error: unknown): error is ExportError =>
  error instanceof ExportError && error.code !== 'unavailable';

const refusesAll = ({message, words}: ExportError): ExportError =>
  new ExportError('unavailable', `the receiver refuses every record; check its settings (${message})`, {
    ...(words === undefined ? {} : {words}),
  });

/** For the log. */
const wordsOf = (error: unknown): {readonly words?: string} =>
  error instanceof ExportError && error.words !== undefined ? {words: error.words} : {};

/** Milliseconds; 0 without records. */
const timeOf = (stored: readonly StoredRecord[]): number => {
  const last = stored.at(-1)?.record.event_time;
  return last === undefined ? 0 : Date.parse(last) || 0;
};
