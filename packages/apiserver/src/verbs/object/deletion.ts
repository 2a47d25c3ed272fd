// SPDX-License-Identifier: Apache-2.0
/**
 * What a delete does to an object: gone at once, or marked and kept by its finalizers or its grace period.
 * Pure. Ref: kubernetes v1.36 apiserver/pkg/registry/rest/delete.go BeforeDelete, registry/generic/registry/store.go
 * deletionFinalizersForGarbageCollection.
 */
import {invalid} from '@palisade/kube-wire';
import type {Compat} from '../../base/compat.ts';
import {type KubeObject, toKubeTime} from '../../base/object.ts';
import type {KindDefinition} from '../../kind/kind.ts';
import {FOREGROUND_FINALIZER, ORPHAN_FINALIZER} from '../../kind/meta/validate-object-meta.ts';
import type {DeleteOptions} from '../../request/options/delete-options.ts';
import {invalidOptions} from '../../request/options/write-options.ts';

export type DeletionPlan =
  /** Nothing holds it. */
  | {readonly outcome: 'remove'}
  /** It stays, marked; `draft` is what it becomes. */
  | {readonly outcome: 'mark'; readonly draft: KubeObject}
  /** It is marked already and nothing changes. */
  | {readonly outcome: 'unchanged'};

const equalSets = (a: readonly string[], b: readonly string[]): boolean => {
  const [ofA, ofB] = [new Set(a), new Set(b)];
  return ofA.size === ofB.size && a.every(item => ofB.has(item));
};

const GC_FINALIZERS: readonly string[] = [ORPHAN_FINALIZER, FOREGROUND_FINALIZER];

/** The finalizers that garbage collection needs for the asked policy, behind the others; in the order they have when they are there already. */
const finalizersFor = (
  current: readonly string[],
  {propagationPolicy: policy, orphanDependents}: DeleteOptions,
  {inPhases, ignoresOwners}: {readonly inPhases: boolean; readonly ignoresOwners: boolean},
): readonly string[] => {
  if (ignoresOwners) return current.filter(finalizer => !GC_FINALIZERS.includes(finalizer));
  if (policy === undefined && orphanDependents === undefined) return current;
  const others = current.filter(finalizer => !GC_FINALIZERS.includes(finalizer));
  const wanted = [...others];
  if (policy === 'Orphan' || orphanDependents === true) wanted.push(ORPHAN_FINALIZER);
  else if (policy === 'Foreground' || (inPhases && orphanDependents === false)) wanted.push(FOREGROUND_FINALIZER);
  return equalSets(current, wanted) ? current : wanted;
};

const equalLists = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);

/** What a time.Duration holds, 292 years; the time of deletion must have a year of four digits. */
const GRACE_SECONDS_MAX = 9_223_372_036;

/** 0: at once, also where the mode or the kind knows no grace. Throws StatusError 422. */
const graceSeconds = (
  {strategy}: KindDefinition,
  current: KubeObject,
  options: DeleteOptions,
  compat: Compat,
): number => {
  if (!compat.honourGracePeriod || strategy.deletion?.hasGracePeriod === false) return 0;
  const asked = options.gracePeriodSeconds;
  if (asked !== undefined && asked > GRACE_SECONDS_MAX)
    throw invalidOptions('DeleteOptions', [
      invalid('gracePeriodSeconds', asked, `must be at most ${GRACE_SECONDS_MAX}`),
    ]);
  const pending = current.metadata.deletionGracePeriodSeconds;
  if (current.metadata.deletionTimestamp == null) return asked !== undefined && asked > 0 ? asked : 0;
  if (pending === undefined || asked === undefined) return pending ?? 0;
  return Math.min(pending, Math.max(0, asked));
};

type About = {readonly compat: Compat; readonly nowMs: number};

/** `current` is not changed. */
export const planDeletion = (
  kind: KindDefinition,
  current: KubeObject,
  options: DeleteOptions,
  about: About,
): DeletionPlan => {
  const {metadata} = current;
  const before = metadata.finalizers ?? [];
  const {inPhases = false} = kind.strategy.deletion ?? {};
  if (inPhases && metadata.deletionTimestamp != null && kind.strategy.deletion?.readyToRemove(current) === false)
    return {outcome: 'unchanged'};
  const {ignoresOwners = false} = kind.strategy;
  const finalizers = finalizersFor(before, options, {inPhases, ignoresOwners});
  const grace = graceSeconds(kind, current, options, about.compat);
  const marked = metadata.deletionTimestamp != null;
  const time = deletionTime(current, grace, about);
  const due = Date.parse(time) <= about.nowMs;
  const isFirstPhase = inPhases && !marked && !about.compat.removeFinalizedAtOnce;
  const held = finalizers.length > 0 || isFirstPhase || kind.strategy.deletion?.readyToRemove(current) === false;
  if (!held && (grace === 0 || due)) return {outcome: 'remove'};
  const kept = kind.strategy.deletion?.hasGracePeriod === false && !marked ? undefined : grace;
  const isTimed = metadata.deletionTimestamp === time && metadata.deletionGracePeriodSeconds === kept;
  if (isTimed && equalLists(before, finalizers)) return {outcome: 'unchanged'};
  const draft: KubeObject = {
    ...current,
    metadata: {...metadata, deletionTimestamp: time, finalizers: [...finalizers]},
  };
  if (kept !== undefined) draft.metadata.deletionGracePeriodSeconds = kept;
  if (finalizers.length === 0) delete draft.metadata.finalizers;
  if (!marked) {
    if (!inPhases && !about.compat.countGeneration) countMark(draft);
    kind.strategy.deletion?.mark?.(draft);
  }
  return {outcome: 'mark', draft};
};

/** The mark counts as a change where the generation is in use, but for the mode that counts changes of contents alone. Ref: requirements E-136. */
const countMark = ({metadata}: KubeObject): void => {
  if (metadata.generation !== undefined && metadata.generation > 0) metadata.generation++;
};

/** Where no grace is known a time that has not come is now. Ref: store.go markAsDeleting. */
const deletionTime = (current: KubeObject, grace: number, {compat, nowMs}: About): string => {
  const {deletionTimestamp} = current.metadata;
  if (deletionTimestamp == null) return toKubeTime(nowMs + grace * 1_000);
  if (compat.honourGracePeriod) return timeAfterShortening(current, grace);
  return Date.parse(deletionTimestamp) > nowMs ? toKubeTime(nowMs) : deletionTimestamp;
};

/** A shorter grace moves the time forward by the difference; it is never later than before. */
const timeAfterShortening = ({metadata}: KubeObject, grace: number): string => {
  const before = Date.parse(metadata.deletionTimestamp ?? '');
  const difference = (metadata.deletionGracePeriodSeconds ?? 0) - grace;
  return difference > 0 ? toKubeTime(before - difference * 1_000) : (metadata.deletionTimestamp ?? '');
};

/** An update that leaves a marked object without finalizers, and its time has come, removes it. */
export const isDueForRemoval = (kind: KindDefinition, {metadata, ...rest}: KubeObject, nowMs: number): boolean => {
  if (metadata.deletionTimestamp == null || (metadata.finalizers?.length ?? 0) > 0) return false;
  if (kind.strategy.deletion?.readyToRemove({metadata, ...rest}) === false) return false;
  return (metadata.deletionGracePeriodSeconds ?? 0) === 0 || Date.parse(metadata.deletionTimestamp) <= nowMs;
};
