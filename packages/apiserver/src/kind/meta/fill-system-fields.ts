// SPDX-License-Identifier: Apache-2.0
/** What the server sets and what it keeps of metadata. Ref: kubernetes v1.36 apiserver/pkg/registry/rest/{create,update,meta}.go. */
import type {Compat} from '../../base/compat.ts';
import {type KubeObject, toKubeTime} from '../../base/object.ts';

/** Drops what only the server may set. Fills the rest in `fillForCreate`, once the write is otherwise ready. */
export const dropForCreate = (draft: KubeObject): void => {
  const {metadata} = draft;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
};

export const fillForCreate = (draft: KubeObject, uid: string, nowMs: number): void => {
  draft.metadata.creationTimestamp = toKubeTime(nowMs);
  draft.metadata.uid = uid;
};

/**
 * What an update cannot change however it is written. What was left out of the marks of a deletion stays; what was set or
 * changed is left for validation to refuse, but for a changed time where `compat` says that the stored one stays.
 */
export const keepForUpdate = (draft: KubeObject, current: KubeObject, compat: Compat): void => {
  const next = draft.metadata;
  const before = current.metadata;
  keep(next, before, 'generation');
  if (next.uid === undefined || next.uid === '') keep(next, before, 'uid');
  keep(next, before, 'creationTimestamp');
  const keepsTime = next.deletionTimestamp == null || !compat.refuseChangedDeletionTime;
  if (before.deletionTimestamp != null && keepsTime) keep(next, before, 'deletionTimestamp');
  if (before.deletionGracePeriodSeconds !== undefined && next.deletionGracePeriodSeconds === undefined) {
    keep(next, before, 'deletionGracePeriodSeconds');
  }
  if (compat.dropSelfLinkOfDryRuns) delete next.selfLink;
};

const keep = <K extends keyof KubeObject['metadata']>(
  next: KubeObject['metadata'],
  before: KubeObject['metadata'],
  key: K,
): void => {
  if (before[key] === undefined) delete next[key];
  else next[key] = before[key];
};
