// SPDX-License-Identifier: Apache-2.0
/**
 * What the process under test reports of its clients: one line of JSON each, out before the next thing happens (say.ts). The
 * order of the lines is the order of time.
 */
import type {Answer, Request} from '../../suite/kv/record.ts';

/** [key, id, revision] */
export type EntryLine = readonly [string, string, number];
/** [revision, key, id or null: deleted, previous revision] */
export type EventLine = readonly [number, string, string | null, number];

export type Line =
  | readonly ['refused', code: string, message: string]
  | readonly ['audit', revision: number, compacted: number, entries: readonly EntryLine[]]
  | readonly ['ready']
  | readonly ['call', number: number, client: string, request: Request]
  | readonly ['answer', number: number, answer: Answer]
  | readonly ['watch', client: string, prefix: string, from: number, resumes: boolean]
  | readonly ['events', client: string, events: readonly EventLine[]]
  /** The watch has delivered all up to `through`, and ends. */
  | readonly ['caught-up', client: string, through: number]
  /** The watch ended with an error. */
  | readonly ['ended', client: string, code: string];

export type WatchPlan = {
  readonly client: string;
  readonly prefix: string;
  readonly from: number;
  readonly resumes: boolean;
  /** Milliseconds that it takes for a batch. */
  readonly batchMs: number;
};

/** The argument of the process, as JSON. */
export type Plan = {
  readonly dir: string;
  readonly seed: number;
  readonly round: number;
  readonly writers: number;
  readonly watches: readonly WatchPlan[];
  /** The newest revision that an audit saw. */
  readonly audited: number;
  readonly compacts: boolean;
  /** A store that is broken on purpose, to try the suite. */
  readonly broken?: Broken | undefined;
};
export type Broken = 'drops-event' | 'unsynced';
