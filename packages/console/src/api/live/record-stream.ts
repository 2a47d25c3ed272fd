// SPDX-License-Identifier: Apache-2.0
/**
 * The newest records of an endpoint as they come (`follow=1`), newest first.
 *
 * I1: no record is missed and none comes twice over the ends of streams: the next one goes on at the last cursor, and what was
 *     given since that cursor is known by its id.
 * I2: at most one stream; none while the tab is hidden.
 */
import {backoffMs, FOLLOW_BACKOFF, type IdsClient, type RecordKind, type RecordOf} from '@palisade/client/browser';
import {createStore, type Store} from '../store.ts';
import type {Surroundings} from '../surroundings.ts';
import {errorText, isAborted, isPassing} from '../words.ts';
import type {LivePhase} from './live-list.ts';
import {untilShown, whileShown} from './visibility.ts';

export type StreamState<R> = {
  /** Newest first. */
  readonly records: readonly R[];
  /** How many came in all; more than `records` has when older ones were dropped. */
  readonly total: number;
  readonly phase: LivePhase;
  readonly error?: string;
};

export type RecordStreamOptions<K extends RecordKind> = {
  readonly client: Pick<IdsClient, 'followRecords'>;
  /** `projects/P/locations/L/endpoints/E`; parts may be `-`. */
  readonly name: string;
  readonly kind: K;
  /** AIP-160. */
  readonly filter?: string | undefined;
  /** RFC 3339: also records from then on; left out: only new ones. */
  readonly since?: string | undefined;
  /** Records that are kept. */
  readonly keep?: number | undefined;
  readonly surroundings: Surroundings;
};

export type RecordStream<R> = {
  readonly state: Store<StreamState<R>>;
  readonly retry: () => void;
  readonly stop: () => void;
};

const KEEP = 10_000;

export function startRecordStream<K extends RecordKind>(options: RecordStreamOptions<K>): RecordStream<RecordOf<K>> {
  const {client, name, kind, filter, since, keep = KEEP, surroundings} = options;
  const state = createStore<StreamState<RecordOf<K>>>({records: [], total: 0, phase: 'loading'});
  const given = new Set<string>();
  let cursor: string | undefined;
  let fresh: RecordOf<K>[] = [];
  let phase: LivePhase = 'loading';
  let error: string | undefined;
  let cancelFrame: (() => void) | undefined;
  let run = new AbortController();

  const show = (): void => {
    cancelFrame = undefined;
    const before = state.get();
    const records = fresh.length === 0 ? before.records : [...fresh.reverse(), ...before.records].slice(0, keep);
    const total = before.total + fresh.length;
    fresh = [];
    state.set({records, total, phase, ...(error === undefined ? {} : {error})});
  };
  const changed = (): void => {
    cancelFrame ??= surroundings.onFrame(show);
  };
  const enter = (next: LivePhase, why?: string): void => {
    if (phase === next && error === why) return;
    [phase, error] = [next, why];
    changed();
  };
  const read = async (signal: AbortSignal): Promise<void> => {
    for await (const line of client.followRecords(name, kind, {filter, since, cursor, signal})) {
      enter('live');
      if (line.cursor !== undefined) {
        if (line.cursor !== cursor) given.clear();
        cursor = line.cursor;
      } else if (!given.has(line.id)) {
        given.add(line.id);
        fresh.push(line.record);
        changed();
      }
    }
  };
  const follow = async (signal: AbortSignal): Promise<void> => {
    for (let failures = 0; !signal.aborted; ) {
      if (surroundings.isHidden()) enter('paused');
      await untilShown(surroundings, signal);
      try {
        await whileShown(surroundings, signal, read);
        failures = 0;
      } catch (cause) {
        if (signal.aborted) return;
        if (isAborted(cause)) continue; // hidden
        if (!isPassing(cause)) return enter('refused', errorText(cause));
        if (phase === 'live') failures = 0;
        enter('lost', errorText(cause));
        await surroundings.clock.sleep(backoffMs(FOLLOW_BACKOFF, failures++), signal).catch(() => {});
      }
    }
  };
  const stop = (): void => {
    run.abort();
    cancelFrame?.();
    cancelFrame = undefined;
  };
  const start = (): void => {
    stop();
    run = new AbortController();
    void follow(run.signal);
  };
  start();
  return {state, retry: start, stop};
}
