// SPDX-License-Identifier: Apache-2.0

import type {Store} from '@palisade/store';
import type {Log} from '../base/log.ts';
import type {UserInfo} from '../identity/authenticator.ts';
import type {KindDefinition} from '../kind/kind.ts';
import type {RequestContext, Services} from '../verbs/object/request-context.ts';

/** A loop beside the API: garbage collector, namespace deletion, timers. */
export interface Controller {
  start(): void | Promise<void>;
  /** Resolves when nothing of it runs any longer. */
  stop(): void | Promise<void>;
}

/** What a controller may use of the server. */
export type ControllerHost = {
  readonly services: Services;
  /** For what a controller keeps beside the objects, under keys below `/kube-meta/`. */
  readonly store: Store;
  /** Every kind that is served, in the order of discovery. */
  readonly kinds: readonly KindDefinition[];
  readonly log: Log;
  /** The context of a write that the server makes itself; `namespace` is '' for cluster-scoped kinds. Default user: the server. */
  contextFor(kind: KindDefinition, namespace: string, user?: UserInfo): RequestContext;
};

export type ControllerFactory = (host: ControllerHost) => Controller;

/** Makes objects that every server has. Runs at each start, before controllers and requests. */
export type Bootstrap = (host: ControllerHost) => Promise<void>;

/** Kinds with the loops and first objects that belong to them. */
export type KindModule = {
  readonly kinds: readonly KindDefinition[];
  readonly controllers: readonly ControllerFactory[];
  readonly bootstraps: readonly Bootstrap[];
};
