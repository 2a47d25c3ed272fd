// SPDX-License-Identifier: Apache-2.0
/** What the clients of a record store report, a JSON array a line. `endpoint`: its place among ENDPOINTS; `n`: a batch. */
import type {FollowCursor} from '../../../../packages/ids/src/records/follow-records.ts';

export type {FollowCursor};

/** A store that is broken on purpose: the suite has to find it. */
export const BREAKS = [
  'acknowledges-early',
  'forgets-a-record',
  'writes-twice',
  'skips-a-change',
  'loses-a-decision',
  'copies-in-part',
] as const;
export type Break = (typeof BREAKS)[number];

export type Plan = {
  readonly folder: string;
  /** Copies are put there; not on the disk of the records. */
  readonly copies: string;
  readonly seed: number;
  readonly round: number;
  /** The follower's last cursor. */
  readonly cursor: FollowCursor | undefined;
  readonly firstDecision: number;
  readonly firstCopy: number;
  readonly broken: Break | undefined;
};

/** `[endpoint, id]` of a record that a reader got. */
export type Given = readonly [number, string];

export type Line =
  | readonly ['refused', string, string]
  | readonly ['ready']
  /** After the start: the sensor's position. */
  | readonly ['position', number, number]
  | readonly ['begin' | 'answer' | 'fail', number, number]
  /** A comment with a number on a critical record of an endpoint, or on all of them (`*`). */
  | readonly ['decide', number, number, string]
  /** How many records it changed; null: it was refused. */
  | readonly ['decided', number, number | null]
  /** The exporter's position, and whether the store holds it; then a page from there, and its saving. */
  | readonly ['reader', number, boolean]
  | readonly ['page', number, number, readonly Given[]]
  | readonly ['save' | 'saved', number]
  /** The follower begins at its cursor; null where it has none: from the oldest record. `held` by the store. */
  | readonly ['held', boolean | null]
  /** Records, and the cursor after them; null while stored records are read. */
  | readonly ['followed', FollowCursor | null, readonly Given[]]
  /** A copy, begun and whole. */
  | readonly ['copying' | 'copied', number]
  | readonly ['uncopied', number, string]
  /** How many copies, records and so on: nothing is judged by it. */
  | readonly ['refusal', string];
