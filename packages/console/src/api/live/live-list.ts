// SPDX-License-Identifier: Apache-2.0
/**
 * All objects of one kind as compact rows, kept current: pages of a list, then a watch from its resourceVersion.
 *
 * I1: no change is missed: a watch begins where the list or the last event ended, and a list is read again where the server has
 *     forgotten that place (410).
 * I2: at most one stream; none while the tab is hidden.
 * I3: one snapshot a frame at most, however many events come.
 */
import {backoffMs, isExpired, type KubeObject, type ResourceClient} from '@palisade/client/browser';
import {createStore, type Store} from '../store.ts';
import type {Surroundings} from '../surroundings.ts';
import {errorText, isAborted, isPassing, isUnauthenticated} from '../words.ts';
import {untilShown, whileShown} from './visibility.ts';

export type LivePhase =
  /** The first list is being read; rows of its first pages are there already. */
  | 'loading'
  | 'live'
  /** The tab is hidden. */
  | 'paused'
  /** The server does not answer; the request is repeated. */
  | 'lost'
  /** The server refuses; only `retry` repeats the request. */
  | 'refused';

export type LiveState<Row> = {
  /** By namespace and name. */
  readonly rows: readonly Row[];
  readonly phase: LivePhase;
  /** Of `lost` and `refused`, in words. */
  readonly error?: string;
};

/** Whether the number of rows says something: there is an answer, or its first page. */
export const isCounted = ({rows, phase}: LiveState<unknown>): boolean =>
  phase === 'live' || phase === 'paused' || rows.length > 0;

export type LiveListOptions<T extends KubeObject, Row> = {
  readonly client: Pick<ResourceClient<T>, 'list' | 'watch'>;
  /** '' for all. */
  readonly namespace?: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** What is kept of an object; the object itself is dropped. Pure. */
  readonly toRow: (object: T) => Row;
  readonly surroundings: Surroundings;
};

export type LiveList<Row> = {
  readonly state: Store<LiveState<Row>>;
  readonly retry: () => void;
  readonly stop: () => void;
};

const PAGE = 1_000;
const BACKOFF = {firstMs: 500, factor: 1.8, maxMs: 10_000};
/** A snapshot of so many rows takes longer than a frame. */
const MANY_ROWS = 5_000;
const MANY_ROWS_PAUSE_MS = 250;

const keyOf = ({metadata}: KubeObject): string => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;

export function startLiveList<T extends KubeObject, Row>(options: LiveListOptions<T, Row>): LiveList<Row> {
  const list = new Listing(options);
  return {state: list.state, retry: () => list.start(), stop: () => list.stop()};
}

class Listing<T extends KubeObject, Row> {
  readonly state = createStore<LiveState<Row>>({rows: [], phase: 'loading'});
  readonly #options: LiveListOptions<T, Row>;
  #rows = new Map<string, Row>();
  #isUnsorted = false;
  #phase: LivePhase = 'loading';
  #error: string | undefined;
  #cancelFrame: (() => void) | undefined;
  #lastShown = 0;
  #run = new AbortController();

  constructor(options: LiveListOptions<T, Row>) {
    this.#options = options;
    this.start();
  }

  start(): void {
    this.stop();
    this.#run = new AbortController();
    void this.#follow(this.#run.signal);
  }

  stop(): void {
    this.#run.abort();
    this.#cancelFrame?.();
    this.#cancelFrame = undefined;
  }

  /** Lists and watches until it is stopped or refused. */
  async #follow(signal: AbortSignal): Promise<void> {
    let version: string | undefined;
    let failures = 0;
    while (!signal.aborted) {
      // Before the first answer it is loading, in a hidden tab too: pages show a paused list without rows as empty.
      if (this.#options.surroundings.isHidden() && version !== undefined) this.#enter('paused');
      await untilShown(this.#options.surroundings, signal);
      try {
        await whileShown(this.#options.surroundings, signal, async shown => {
          if (version === undefined) version = await this.#list(shown);
          this.#enter('live');
          failures = 0;
          await this.#watch(version, shown, next => {
            version = next;
          });
        });
      } catch (error) {
        if (signal.aborted) return;
        if (isAborted(error)) continue; // hidden
        if (isExpired(error)) {
          version = undefined;
        } else if (!isPassing(error)) {
          if (isUnauthenticated(error)) this.#options.surroundings.onSignedOut?.();
          this.#enter('refused', errorText(error));
          return;
        } else {
          this.#enter('lost', errorText(error));
          await this.#options.surroundings.clock.sleep(backoffMs(BACKOFF, failures++), signal).catch(() => {});
        }
      }
    }
  }

  /** Reads all pages; the previous rows are shown until all have been read. Returns the version to watch from. */
  async #list(signal: AbortSignal): Promise<string> {
    const {client, namespace = '', labelSelector, fieldSelector, toRow} = this.#options;
    const isFirst = this.#rows.size === 0;
    const rows = new Map<string, Row>();
    if (isFirst) this.#rows = rows;
    for (let next: string | undefined; ; ) {
      const page = await client.list(namespace, {labelSelector, fieldSelector, limit: PAGE, continue: next, signal});
      for (const item of page.items) rows.set(keyOf(item), toRow(item));
      if (isFirst) this.#changed();
      next = page.metadata?.continue;
      if (next !== undefined && next !== '') continue;
      this.#rows = rows;
      this.#isUnsorted = true; // namespaces and names of different lengths
      this.#changed();
      return page.metadata?.resourceVersion ?? '';
    }
  }

  async #watch(resourceVersion: string, signal: AbortSignal, advance: (version: string) => void): Promise<void> {
    const {client, namespace = '', labelSelector, fieldSelector, toRow} = this.#options;
    const selectors = {labelSelector, fieldSelector};
    for await (const {type, object} of client.watch(namespace, {
      ...selectors,
      resourceVersion,
      bookmarks: true,
      signal,
    })) {
      const version = object.metadata?.resourceVersion;
      if (type !== 'BOOKMARK') {
        const key = keyOf(object);
        if (type === 'DELETED') this.#rows.delete(key);
        else {
          this.#isUnsorted ||= !this.#rows.has(key);
          this.#rows.set(key, toRow(object));
        }
        this.#changed();
      }
      if (version !== undefined) advance(version);
    }
  }

  #enter(phase: LivePhase, error?: string): void {
    if (this.#phase === phase && this.#error === error) return;
    this.#phase = phase;
    this.#error = error;
    this.#changed();
  }

  #changed(): void {
    this.#cancelFrame ??= this.#options.surroundings.onFrame(() => this.#show());
  }

  #show(): void {
    const {clock, onFrame} = this.#options.surroundings;
    const passedMs = Math.abs(clock.now() - this.#lastShown); // the wall clock may be set back
    const isSoon = this.#rows.size > MANY_ROWS && passedMs < MANY_ROWS_PAUSE_MS;
    if (isSoon) {
      this.#cancelFrame = onFrame(() => this.#show());
      return;
    }
    this.#cancelFrame = undefined;
    this.#lastShown = clock.now();
    if (this.#isUnsorted) {
      this.#rows = new Map([...this.#rows].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
      this.#isUnsorted = false;
    }
    const error = this.#error;
    this.state.set({rows: [...this.#rows.values()], phase: this.#phase, ...(error === undefined ? {} : {error})});
  }
}
