// SPDX-License-Identifier: Apache-2.0
/** What a driver gives to the contract suite, and what its tests read with. */
import type {StoreLimits} from '../limits.ts';
import type {Key, Revision, Store, StoreEvent} from '../store.ts';

/** A place where a store can be opened, closed and opened again; removed on dispose. */
export interface StorePlace extends AsyncDisposable {
  open(limits?: Partial<StoreLimits>): Promise<Store>;
}
export type StoreUnderTest = {
  /** What was written is there after close and open. */
  readonly durable: boolean;
  readonly makePlace: () => Promise<StorePlace>;
};

/** One store in a place of its own. */
export type OpenStore = (limits?: Partial<StoreLimits>) => Promise<Store>;
export const openerOf =
  ({makePlace}: StoreUnderTest): OpenStore =>
  async limits => {
    const place = await makePlace();
    const store = await place.open(limits);
    const close = store.close.bind(store);
    return Object.assign(store, {
      [Symbol.asyncDispose]: async () => {
        await close();
        await place[Symbol.asyncDispose]();
      },
    });
  };

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (value: Uint8Array | undefined): string | undefined =>
  value === undefined ? undefined : new TextDecoder().decode(value);

/** All pages of a prefix as [key, value], read with pages of `limit`. */
export async function listAll(
  store: Store,
  prefix: Key,
  {at, limit = 3}: {at?: Revision; limit?: number} = {},
): Promise<[Key, string][]> {
  const rows: [Key, string][] = [];
  let after: Key | undefined;
  let revision = at;
  for (;;) {
    const page = await store.list(prefix, {at: revision, after, limit});
    revision ??= page.revision;
    for (const {key, value} of page.entries) rows.push([key, text(value) ?? '']);
    if (page.remaining === 0) return rows;
    after = page.entries.at(-1)?.key;
  }
}

/** An event as a line: `3 put /a=x (was w@1)`. */
export function line(event: StoreEvent): string {
  const was = event.previous === undefined ? '' : ` (was ${text(event.previous.value)}@${event.previous.modRevision})`;
  return event.type === 'put'
    ? `${event.revision} put ${event.entry.key}=${text(event.entry.value)}${was}`
    : `${event.revision} delete ${event.key}${was}`;
}

/** A watch that writes down what it gets. */
export class WatchRecorder implements AsyncDisposable {
  readonly batches: StoreEvent[][] = [];
  /** How the watch ended, if by an error. */
  failure: unknown;
  readonly #abort = new AbortController();
  readonly #done: Promise<void>;
  #waiting: {until: Revision; resolve: () => void}[] = [];

  constructor(store: Store, prefix: Key, from: Revision) {
    this.#done = this.#run(store.watch(prefix, from, this.#abort.signal));
  }

  get events(): StoreEvent[] {
    return this.batches.flat();
  }

  /** Resolves when an event of `revision` or later came, or the watch ended. */
  seen(revision: Revision): Promise<void> {
    if ((this.batches.at(-1)?.at(-1)?.revision ?? -1n) >= revision) return Promise.resolve();
    return Promise.race([this.#done, new Promise<void>(resolve => this.#waiting.push({until: revision, resolve}))]);
  }

  /** Resolves when the watch ended. */
  ended(): Promise<void> {
    return this.#done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#done;
  }

  async #run(source: AsyncIterable<readonly StoreEvent[]>): Promise<void> {
    try {
      for await (const batch of source) {
        this.batches.push([...batch]);
        const last = batch.at(-1)?.revision ?? 0n;
        for (const {until, resolve} of this.#waiting) if (until <= last) resolve();
        this.#waiting = this.#waiting.filter(({until}) => until > last);
      }
    } catch (error) {
      this.failure = error;
    }
  }
}
