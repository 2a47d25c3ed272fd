// SPDX-License-Identifier: Apache-2.0
/** Waits for the threat record of a test in the endpoint's stream. */
import {type IdsClient, isTransportError} from '@palisade/client';
import type {ThreatRecord} from '@palisade/ids-wire';

export type Timing = {
  /** Milliseconds; never jumps. */
  readonly now: () => number;
  readonly after: (ms: number, action: () => void) => {readonly cancel: () => void};
};
export type Found = {readonly record: ThreatRecord; readonly afterMs: number};

const ANSWER_MS_MIN = 1_000;

/** How long the server may take for one answer of a test. */
export const answerMsMax = (timeoutMs: number): number => Math.max(timeoutMs, ANSWER_MS_MIN);

/**
 * The first record that matches, and how long after `send` it came; undefined after `timeoutMs`. `send` runs when the stream is open, so
 * that no record is missed.
 */
export const awaitRecord = async (
  client: Pick<IdsClient, 'followRecords'>,
  query: {readonly endpoint: string; readonly filter: string; readonly timeoutMs: number},
  send: () => Promise<void>,
  {now, after}: Timing,
): Promise<Found | undefined> => {
  const ending = new AbortController();
  let sentAt: number | undefined;
  let timer: {readonly cancel: () => void} | undefined;
  try {
    const {endpoint, filter, timeoutMs} = query;
    const firstSilenceMs = answerMsMax(timeoutMs);
    for await (const line of client.followRecords(endpoint, 'threats', {
      filter,
      signal: ending.signal,
      firstSilenceMs,
    })) {
      if (line.cursor === undefined && sentAt !== undefined) return {record: line.record, afterMs: now() - sentAt};
      if (sentAt !== undefined) continue;
      sentAt = now();
      timer = after(timeoutMs, () => ending.abort());
      await send();
    }
    return undefined;
  } catch (error) {
    if (ending.signal.aborted && isTransportError(error)) return undefined;
    throw error;
  } finally {
    timer?.cancel();
    ending.abort();
  }
};
