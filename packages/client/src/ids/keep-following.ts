// SPDX-License-Identifier: Apache-2.0
/**
 * Follows records over the ends of streams: when the server ends one, is killed or is silent, it is asked again until it is back.
 *
 * I1: no record is lost: a stream goes on at the last cursor; before there was one, it is asked for as the first time.
 * I2: no record comes twice: what was given since the last cursor is known by id, and left out when it comes again.
 */
import {TransportError} from '../http/contract.ts';
import {type Backoff, backoffMs, type Clock} from '../sleep.ts';
import {FOLLOW_SILENCE_MS, type FollowOptions, type IdsClient, type RecordKind, type RecordOf} from './ids-client.ts';
import {isTransient} from './operation-waiter.ts';

/** What the last try has when the time is up. */
const TRY_MS_MIN = 1_000;
/** The first try after half a second, later ones up to 5 s apart. */
export const FOLLOW_BACKOFF: Backoff = {firstMs: 500, factor: 1.6, maxMs: 5_000};

export type KeepFollowingOptions = {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How long the server may be away at a time, in milliseconds. */
  readonly awayMsMax: number;
  readonly backoff?: Backoff | undefined;
  /** A stream that stood has ended; called once until `onBack`. */
  readonly onLost?: ((why: string) => void) | undefined;
  readonly onBack?: (() => void) | undefined;
};

/**
 * Records as they come. Throws what the first try throws, and any refusal that does not go away by itself; TransportError
 * `unreachable` for a server that is away for longer than `awayMsMax`.
 */
export async function* keepFollowing<K extends RecordKind>(
  client: Pick<IdsClient, 'followRecords'>,
  name: string,
  kind: K,
  query: FollowOptions,
  options: KeepFollowingOptions,
): AsyncGenerator<RecordOf<K>> {
  const given = new Set<string>();
  let cursor = query.cursor;
  let absence: Absence | undefined;
  for (let stood = false; ; ) {
    let why = 'the server ended the stream';
    try {
      const {signal} = options;
      const firstSilenceMs = absence === undefined ? query.firstSilenceMs : silenceOf(absence, query, options);
      for await (const line of client.followRecords(name, kind, {...query, cursor, signal, firstSilenceMs})) {
        if (absence !== undefined) options.onBack?.();
        absence = undefined;
        stood = true;
        if (line.cursor !== undefined) {
          if (line.cursor !== cursor) given.clear(); // a stream that goes on begins with the cursor that it goes on at
          cursor = line.cursor;
        } else if (!given.has(line.id)) {
          given.add(line.id);
          yield line.record;
        }
      }
    } catch (error) {
      if (!stood || !isTransient(error)) throw error;
      why = error instanceof Error ? error.message : String(error);
    }
    if (absence === undefined) options.onLost?.(why);
    absence ??= {since: options.clock.now(), tries: 0};
    await pause(absence, why, options);
  }
}

type Absence = {readonly since: number; tries: number};

const leftOf = ({since}: Absence, {awayMsMax, clock}: KeepFollowingOptions): number => since + awayMsMax - clock.now();

/** A server that hangs is not waited for longer than one that refuses. */
const silenceOf = (absence: Absence, query: FollowOptions, options: KeepFollowingOptions): number =>
  Math.min(query.silenceMs ?? FOLLOW_SILENCE_MS, Math.max(TRY_MS_MIN, Math.ceil(leftOf(absence, options))));

async function pause(absence: Absence, why: string, options: KeepFollowingOptions): Promise<void> {
  const leftMs = leftOf(absence, options);
  if (leftMs <= 0) {
    const seconds = Math.round(options.awayMsMax / 1000);
    throw new TransportError('unreachable', `the server did not come back within ${seconds} s: ${why}`);
  }
  const ms = backoffMs(options.backoff ?? FOLLOW_BACKOFF, absence.tries);
  absence.tries += 1;
  await options.clock.sleep(Math.min(leftMs, ms), options.signal);
}
