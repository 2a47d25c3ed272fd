// SPDX-License-Identifier: Apache-2.0
/** What a verb returns: data, no bytes and no HTTP. http/respond.ts turns it into what the client asked for. */
import type {Status} from '@palisade/kube-wire';
import type {CachedObject} from '../cache/cached-object.ts';
import type {WatchSink} from '../cache/watch/watcher.ts';
import type {KindDefinition} from '../kind/kind.ts';

export type ObjectAnswer = {
  readonly type: 'object';
  readonly code: 200 | 201 | 202;
  readonly kind: KindDefinition;
  readonly object: CachedObject;
};

export type ListAnswer = {
  readonly type: 'list';
  readonly kind: KindDefinition;
  /** In key order, in arrays that nobody changes any more: the answer is made while others write. */
  readonly slices: readonly (readonly CachedObject[])[];
  /** The objects were read for this answer; else they are those of the cache. */
  readonly isFromHistory: boolean;
  readonly resourceVersion: string;
  readonly continueToken: string | undefined;
  readonly remaining: number | undefined;
};

export type StatusAnswer = {readonly type: 'status'; readonly code: number; readonly status: Status};

/** A small document that is already JSON in wire order (reviews, discovery). */
export type DocumentAnswer = {
  readonly type: 'document';
  readonly code: number;
  readonly json: string;
  readonly contentType?: string;
};

export type WatchHandle = {start(): void; gone(): void; stop(): void};

export type WatchAnswer = {
  readonly type: 'watch';
  readonly contentType: string;
  /** `onBegun`: see WatcherOptions. */
  readonly open: (sink: WatchSink, onBegun?: () => void) => WatchHandle;
};

export type Answer = ObjectAnswer | ListAnswer | StatusAnswer | DocumentAnswer | WatchAnswer;
