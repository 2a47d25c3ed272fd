// SPDX-License-Identifier: Apache-2.0
/** What the server sets and what it keeps of metadata. Ref: kubernetes v1.36 apiserver/pkg/registry/rest/{create,update,meta}.go. */
import {type KubeObject, toKubeTime} from '../object.ts';

/** Drops what only the server may set. Fills the rest in `fillForCreate`, once the write is otherwise ready. */
export const dropForCreate = (draft: KubeObject): void => {
  const {metadata} = draft;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  delete metadata.resourceVersion;
};

export const fillForCreate = (draft: KubeObject, uid: string, nowMs: number): void => {
  draft.metadata.creationTimestamp = toKubeTime(nowMs);
  draft.metadata.uid = uid;
};

/**
 * What an update cannot change however it is written. A time of deletion that was left out stays; one that was set or
 * changed is left for validation to refuse.
 */
export const keepForUpdate = (draft: KubeObject, current: KubeObject): void => {
  const next = draft.metadata;
  const before = current.metadata;
  keep(next, before, 'generation');
  if (next.uid === undefined || next.uid === '') keep(next, before, 'uid');
  keep(next, before, 'creationTimestamp');
  if (before.deletionTimestamp != null && next.deletionTimestamp == null) keep(next, before, 'deletionTimestamp');
  if (before.deletionGracePeriodSeconds !== undefined && next.deletionGracePeriodSeconds === undefined) {
    keep(next, before, 'deletionGracePeriodSeconds');
  }
  delete next.selfLink;
};

const keep = <K extends keyof KubeObject['metadata']>(
  next: KubeObject['metadata'],
  before: KubeObject['metadata'],
  key: K,
): void => {
  if (before[key] === undefined) delete next[key];
  else next[key] = before[key];
};
