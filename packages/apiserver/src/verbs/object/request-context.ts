// SPDX-License-Identifier: Apache-2.0
/** What a verb gets to work with: the request as data, and the server's parts. No sockets, no headers. */

import type {ListMemory} from '../../answer/list-memory.ts';
import type {Authorizer} from '../../authz/authorizer.ts';
import type {OpenRights, StreamRight} from '../../authz/open-rights.ts';
import type {Compat} from '../../base/compat.ts';
import type {Limits} from '../../base/limits.ts';
import type {Log} from '../../base/log.ts';
import type {Queues} from '../../base/queue-counts.ts';
import type {Clock, Random, Timers} from '../../base/time.ts';
import {decodeItem} from '../../cache/cached-object.ts';
import type {OpenWatches} from '../../cache/watch/open-watches.ts';
import type {Scheduler} from '../../cache/watch/scheduler.ts';
import type {WatchCache} from '../../cache/watch-cache.ts';
import type {UserBound} from '../../fairness/user-bound.ts';
import type {UserInfo} from '../../identity/authenticator.ts';
import {type KindDefinition, type StrategyContext, showsObjects} from '../../kind/kind.ts';
import {inOwnForm} from '../../registry/own-form.ts';
import type {Registry} from '../../registry/registry.ts';
import type {OutputMediaType} from '../../request/accept.ts';
import type {Query} from '../../request/query.ts';
import type {RequestInfo} from '../../request/request-info.ts';

/** The parts of the server that verbs use. */
export type Services = {
  readonly compat: Compat;
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
  /** For work that would hold up everything else if it were done in one step. */
  readonly scheduler: Scheduler;
  /** Shared by all lists that are being sent. */
  readonly listMemory: ListMemory;
  readonly limits: Limits;
  readonly log: Log;
  readonly cache: WatchCache;
  readonly watchers: OpenWatches;
  /** Of the controllers. */
  readonly queues: Queues;
  /** What open streams depend on. */
  readonly rights: OpenRights;
  /** Of open watches. */
  readonly watchBound: UserBound;
  readonly authorizer: Authorizer;
  registryOf(kind: KindDefinition): Registry;
  /** Every kind that is served, in the order of discovery. */
  readonly kinds: readonly KindDefinition[];
  /** The kind `namespaces`, when this server has it. */
  readonly namespaces: KindDefinition | undefined;
};

export type RequestBody = {
  /** The media type without parameters, lower case; '' when the header is absent. */
  readonly contentType: string;
  /** Reads to the end. Throws StatusError 413 beyond the limit. */
  read(): Promise<Buffer>;
};

/** A deleted object and what held it until a request took that away (E-238). */
export type ReleasedHolds = {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly holds: readonly string[];
};

export type RequestContext = {
  readonly services: Services;
  readonly info: RequestInfo;
  readonly kind: KindDefinition;
  readonly registry: Registry;
  readonly query: Query;
  readonly output: OutputMediaType;
  readonly user: UserInfo;
  readonly userAgent: string | undefined;
  readonly body: RequestBody;
  /** What a watch depends on as long as it is open; absent or undefined: nothing that can be taken away. */
  readonly right?: (() => StreamRight | undefined) | undefined;
  /** Adds a Warning header to the answer; equal texts once. */
  warn(text: string): void;
  /** Adds an annotation to the audit event, where there is one. */
  annotate?(key: string, value: string): void;
  /** Called after this request took something away that held a deleted object (E-238). */
  onReleased(released: ReleasedHolds): void;
};

export const strategyContext = (context: RequestContext): StrategyContext => ({
  compat: context.services.compat,
  user: context.user,
  authorizer: context.services.authorizer,
  name: context.info.name,
  subresource: context.info.subresource,
  nowMs: context.services.clock.now(),
  random: context.services.random,
  stored: ({group, resource}, namespace, name) => {
    const {kinds, registryOf} = context.services;
    const kind = kinds.find(each => each.group === group && each.resource === resource && showsObjects(each));
    const found = kind && registryOf(kind).get(namespace, name);
    return kind && found && decodeItem(inOwnForm(kind, found));
  },
});
