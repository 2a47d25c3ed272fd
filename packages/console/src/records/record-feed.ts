// SPDX-License-Identifier: Apache-2.0
/**
 * The records of a filter and a time: stored ones by pages, newest first, and new ones.
 *
 * I1: nothing is missed between list and stream: the list is requested after the first cursor of the stream.
 * I2: nothing is shown twice: rows are known by name, and a record that comes again replaces its row in place.
 * I3: new rows are held back while a user reads: they move no row until `release`. While it is still, the rows that are shown keep
 *     their counts and decisions too.
 * I4: at most one stream; none while the tab is hidden. It continues at its cursor.
 * I5: five snapshots a second at most, however many records stream in.
 */
import {backoffMs, FOLLOW_BACKOFF, type IdsClient, type RecordKind, type RecordOf} from '@palisade/client/browser';
import type {LivePhase} from '../api/index.ts';
import {untilShown, whileShown} from '../api/live/visibility.ts';
import {createStore} from '../api/store.ts';
import type {Surroundings} from '../api/surroundings.ts';
import {errorText, isAborted, isPassing, isUnauthenticated} from '../api/words.ts';
import type {Bounds} from './time-range.ts';

/** A record as a list shows it. `name`: its full resource name. */
export type FeedRow = {readonly name: string};

export type FeedState<Row extends FeedRow> = {
  /** Newest first. */
  readonly rows: readonly Row[];
  /** How many came and are held back. */
  readonly held: number;
  /** Of the stream; always `live` without a stream. */
  readonly phase: LivePhase;
  readonly error?: string;
  /** The first page is there. */
  readonly isListed: boolean;
  readonly hasMore: boolean;
  /** Older rows were dropped. */
  readonly isCut: boolean;
};

export type FeedOptions<K extends RecordKind, Row extends FeedRow> = {
  readonly kind: K;
  readonly toRow: (record: RecordOf<K>) => Row;
  /** RFC 3339, in a form that sorts. */
  readonly timeOf: (row: Row) => string;
  readonly client: Pick<IdsClient, 'followRecords' | 'listRecords'>;
  readonly name: string;
  readonly filter: string;
  readonly bounds: Bounds;
  /** Whether records that come belong to it. */
  readonly isLive: boolean;
  /** Whether a record belongs to the filter. */
  readonly matches: (record: RecordOf<K>) => boolean;
  readonly surroundings: Surroundings;
  /** Rows that are kept. */
  readonly keep?: number;
};

const KEEP = 20_000;
const PAGE_SIZE = 200;
/** Held rows that are dropped at a time. */
const DROP = 1_000;
/** Between two pictures of records that stream in: nobody reads faster, and each one renders the page. */
const ARRIVALS_MS = 200;
export const NO_FEED: FeedState<never> = {
  ...{rows: [], held: 0, phase: 'loading', isListed: false, hasMore: false, isCut: false},
};

export class RecordFeed<K extends RecordKind, Row extends FeedRow> {
  readonly state = createStore<FeedState<Row>>(NO_FEED);
  readonly #options: FeedOptions<K, Row>;
  readonly #control = new AbortController();
  /** The latest of each name, shown or held. */
  readonly #known = new Map<string, Row>();
  #rows: readonly Row[] = [];
  #held: Row[] = [];
  #fresh: Row[] = [];
  #hasChanged = false;
  #isHolding = false;
  #isStill = false;
  /** What the stream has said about known rows while it is still, the latest of each name. */
  readonly #later = new Map<string, RecordOf<K>>();
  #phase: LivePhase = 'loading';
  #error: string | undefined;
  #pageToken: string | undefined;
  #isListing = false;
  #isListed = false;
  #isCut = false;
  #cancelFrame: (() => void) | undefined;
  #drawnAt = 0;
  #isWaiting = false;

  constructor(options: FeedOptions<K, Row>) {
    this.#options = options;
  }

  start(): void {
    if (!this.#options.isLive) {
      void this.more();
      return;
    }
    void this.#follow();
  }

  stop(): void {
    this.#control.abort();
    this.#cancelFrame?.();
  }

  /** Fetches the next page of older ones; nothing while one is on its way, or after the last. */
  async more(): Promise<void> {
    const {client, kind, name, filter, bounds, surroundings, toRow} = this.#options;
    const {signal} = this.#control;
    if (this.#isListing || this.#isCut || (this.#isListed && this.#pageToken === undefined)) return;
    this.#isListing = true;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        const query = {filter, ...bounds, orderBy: 'event_time desc', pageSize: PAGE_SIZE, signal};
        const page = await client.listRecords(name, kind, {...query, pageToken: this.#pageToken});
        this.#pageToken = page.nextPageToken === '' ? undefined : page.nextPageToken;
        this.#isListed = true;
        // What the stream has given is not older.
        for (const record of page.records) if (!this.#known.has(toRow(record).name)) this.#put(record, true);
        if (!this.#options.isLive) [this.#phase, this.#error] = ['live', undefined];
        break;
      } catch (cause) {
        if (signal.aborted || isAborted(cause)) return;
        this.#enter(isPassing(cause) ? 'lost' : 'refused', errorText(cause));
        if (!isPassing(cause)) break;
        await surroundings.clock.sleep(backoffMs(FOLLOW_BACKOFF, failures), signal).catch(() => {});
      }
    }
    this.#isListing = false;
    this.#show();
  }

  /** While true, rows that come are held back. */
  hold(isHolding: boolean): void {
    this.#isHolding = isHolding;
    if (!isHolding) this.release();
  }

  /** While true, no row changes by itself; decisions made here are shown. */
  still(isStill: boolean): void {
    this.#isStill = isStill;
    if (isStill || this.#later.size === 0) return;
    const later = [...this.#later.values()];
    this.#later.clear();
    for (const record of later) this.#put(record, false);
    this.#show();
  }

  /** Shows what was held back. */
  release(): void {
    if (this.#held.length === 0) return;
    this.#fresh.push(...this.#held);
    this.#held = [];
    this.#draw();
  }

  /** A decided record: its row changes, or is removed if it no longer matches the filter. */
  apply(record: RecordOf<K>): void {
    const row = this.#options.toRow(record);
    this.#later.delete(row.name);
    if (this.#known.has(row.name)) this.#put(record, true);
    if (!this.#options.matches(record)) {
      this.#known.delete(row.name);
      this.#hasChanged = true;
    }
    this.#show();
  }

  #put(record: RecordOf<K>, isShown: boolean): void {
    const row = this.#options.toRow(record);
    const before = this.#known.get(row.name);
    if (before !== undefined && !isShown && this.#isStill) {
      this.#later.set(row.name, record);
      return;
    }
    this.#known.set(row.name, row);
    if (before !== undefined) this.#hasChanged = true;
    else if (isShown || !this.#isHolding) this.#fresh.push(row);
    else {
      this.#held.push(row);
      const {keep = KEEP} = this.#options;
      // Older ones would be dropped when they are shown.
      if (this.#held.length >= keep + DROP) for (const {name} of this.#held.splice(0, DROP)) this.#forget(name);
    }
  }

  #forget(name: string): void {
    this.#known.delete(name);
    this.#later.delete(name);
  }

  #enter(phase: LivePhase, error?: string): void {
    if (this.#phase === phase && this.#error === error) return;
    [this.#phase, this.#error] = [phase, error];
    this.#show();
  }

  /** In the next frame. */
  #show(): void {
    this.#cancelFrame ??= this.#options.surroundings.onFrame(() => this.#draw());
  }

  /** Late enough after the last time. */
  #showArrivals(): void {
    const {clock} = this.#options.surroundings;
    if (this.#isWaiting || this.#cancelFrame !== undefined) return;
    // The wall clock may be set back: that must not stop the pictures.
    const ms = Math.min(ARRIVALS_MS, this.#drawnAt + ARRIVALS_MS - clock.now());
    const show = (): void => {
      this.#isWaiting = false;
      this.#show();
    };
    if (ms <= 0) {
      show();
      return;
    }
    this.#isWaiting = true;
    clock.sleep(ms, this.#control.signal).then(show, () => {}); // it ends with the feed
  }

  #draw(): void {
    this.#cancelFrame?.();
    this.#cancelFrame = undefined;
    if (this.#control.signal.aborted) return;
    this.#drawnAt = this.#options.surroundings.clock.now();
    const {keep = KEEP} = this.#options;
    const latest = (rows: readonly Row[]): Row[] => rows.flatMap(({name}) => this.#known.get(name) ?? []);
    if (this.#hasChanged) {
      [this.#rows, this.#held, this.#fresh] = [latest(this.#rows), latest(this.#held), latest(this.#fresh)];
      this.#hasChanged = false;
    }
    if (this.#fresh.length > 0) this.#rows = [...this.#fresh, ...this.#rows].sort(this.#byTime);
    this.#fresh = [];
    if (this.#rows.length > keep) {
      for (const {name} of this.#rows.slice(keep)) this.#forget(name);
      this.#rows = this.#rows.slice(0, keep);
      this.#isCut = true;
    }
    this.state.set({
      ...{rows: this.#rows, held: this.#held.length, phase: this.#phase, isListed: this.#isListed},
      ...{hasMore: this.#pageToken !== undefined && !this.#isCut, isCut: this.#isCut},
      ...(this.#error === undefined ? {} : {error: this.#error}),
    });
  }

  /** Newest first; names make the order of equal times the same each time. */
  readonly #byTime = (a: Row, b: Row): number => {
    const [x, y] = [this.#options.timeOf(a), this.#options.timeOf(b)];
    if (x !== y) return x < y ? 1 : -1;
    return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
  };

  async #follow(): Promise<void> {
    const {client, kind, name, filter, surroundings} = this.#options;
    const {signal} = this.#control;
    let cursor: string | undefined;
    const read = async (shown: AbortSignal): Promise<void> => {
      const query = {filter, cursor, updates: true, signal: shown};
      for await (const line of client.followRecords(name, kind, query)) {
        this.#enter('live');
        if (line.cursor !== undefined) {
          cursor = line.cursor;
          if (!this.#isListed) void this.more();
        } else {
          this.#put(line.record, false);
          this.#showArrivals();
        }
      }
    };
    for (let failures = 0; !signal.aborted; ) {
      if (surroundings.isHidden()) this.#enter('paused');
      await untilShown(surroundings, signal);
      try {
        await whileShown(surroundings, signal, read);
        failures = 0;
      } catch (cause) {
        if (signal.aborted) return;
        if (isAborted(cause)) continue; // hidden
        if (isUnauthenticated(cause)) surroundings.onSignedOut?.();
        if (!isPassing(cause)) return this.#enter('refused', errorText(cause));
        if (this.#phase === 'live') failures = 0;
        this.#enter('lost', errorText(cause));
        await surroundings.clock.sleep(backoffMs(FOLLOW_BACKOFF, failures++), signal).catch(() => {});
      }
    }
  }
}
