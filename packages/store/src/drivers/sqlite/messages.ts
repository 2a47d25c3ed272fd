// SPDX-License-Identifier: Apache-2.0
/** What main thread and worker say to each other. Revisions travel as numbers (below 2^53), values as bytes. */
import type {StoreErrorCode} from '../../store-error.ts';

export type WireChange = readonly [key: string, value: Uint8Array | null, created: number];
export type WireCommit = readonly [revision: number, changes: readonly WireChange[]];
/** A stored version: revision, key, value, created. */
export type WireVersion = readonly [revision: number, key: string, value: Uint8Array | null, created: number];

export type Requests = {
  open: {args: {file: string}; answer: {revision: number; compacted: number}};
  /** Newest versions after a key, in pages, so that no message is huge. */
  load: {args: {after: string; limit: number}; answer: readonly WireVersion[]};
  append: {args: readonly WireCommit[]; answer: null};
  changes: {
    args: {prefix: string; after: number; until: number; limit: number};
    answer: readonly {version: WireVersion; previous: WireVersion | null}[];
  };
  entryAt: {args: {key: string; at: number}; answer: WireVersion | null};
  pageAt: {
    args: {prefix: string; at: number; after: string | null; limit: number};
    answer: {versions: readonly WireVersion[]; remaining: number};
  };
  /** Compacts the positions of `from` ≤ revision < `to`; `below` is the compaction revision. */
  compact: {args: {below: number; from: number; to: number}; answer: null};
  close: {args: null; answer: null};
};
export type RequestName = keyof Requests;
export type Request = {
  readonly [K in RequestName]: {readonly id: number; readonly name: K; readonly args: Requests[K]['args']};
}[RequestName];
export type Answer =
  | {readonly id: number; readonly ok: true; readonly answer: unknown}
  | {readonly id: number; readonly ok: false; readonly code: StoreErrorCode; readonly message: string};
