// SPDX-License-Identifier: Apache-2.0
/**
 * Holds on a deleted object that a request removed, not time or the server: a finalizer, the rest of the grace period, a
 * condition of the kind itself. The server cannot know whether a component had finished or an administrator overrode the hold,
 * so it reports all of them (E-238).
 */

import type {KubeObject} from '../../base/object.ts';
import type {KindDefinition} from '../../kind/kind.ts';
import type {RequestContext} from './request-context.ts';

/** In words; the same hold has the same words before and after a write. */
const holdsOf = (kind: KindDefinition, object: KubeObject, nowMs: number): string[] => {
  const {deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = []} = object.metadata;
  if (deletionTimestamp == null) return [];
  const waits = deletionGracePeriodSeconds > 0 && Date.parse(deletionTimestamp) > nowMs;
  return [
    ...finalizers.map(finalizer => `finalizer ${finalizer}`),
    ...(waits ? [`grace period until ${deletionTimestamp}`] : []),
    ...(kind.strategy.deletion?.readyToRemove(object) === false ? [`content of the ${kind.kind.toLowerCase()}`] : []),
  ];
};

/** `after`: the object as the request left it; undefined: removed. */
export const reportReleased = (context: RequestContext, before: KubeObject, after: KubeObject | undefined): void => {
  const {metadata} = before;
  if (metadata.deletionTimestamp == null) return;
  const {kind, services} = context;
  const nowMs = services.clock.now();
  const left = new Set(after === undefined ? [] : holdsOf(kind, after, nowMs));
  const holds = holdsOf(kind, before, nowMs).filter(hold => !left.has(hold));
  if (holds.length === 0) return;
  const {namespace = '', name = '', uid = ''} = metadata;
  context.onReleased({resource: kind.resource, namespace, name, uid, holds});
};
