// SPDX-License-Identifier: Apache-2.0
/**
 * The strategic merge patch from old to new metadata. It names only what the program changed, so what others wrote (labels,
 * annotations, finalizers, owners) stays. Ref: requirements E-112; Kubernetes strategic merge: `finalizers` is a set,
 * `ownerReferences` merge by uid.
 */
import {canonicalText, listAt, mapAt, mapsAt, stringAt} from '../../property-access.ts';
import type {PropertyMap, PropertyValue} from '../../value.ts';

/** Empty: nothing to change. */
export function metadataPatch(before: PropertyMap, after: PropertyMap): PropertyMap {
  const metadata: Record<string, PropertyValue> = {};
  for (const key of ['labels', 'annotations']) {
    const changes = mapChanges(mapAt(before, key), mapAt(after, key));
    if (Object.keys(changes).length > 0) metadata[key] = changes;
  }
  Object.assign(metadata, finalizerChanges(before, after));
  const owners = ownerChanges(before, after);
  if (owners.length > 0) metadata['ownerReferences'] = owners;
  return metadata;
}

function mapChanges(before: PropertyMap, after: PropertyMap): PropertyMap {
  const changes: Record<string, PropertyValue> = {};
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) changes[key] = null;
  for (const [key, value] of Object.entries(after)) if (before[key] !== value) changes[key] = value;
  return changes;
}

function finalizerChanges(before: PropertyMap, after: PropertyMap): PropertyMap {
  const old = listAt(before, 'finalizers');
  const next = listAt(after, 'finalizers');
  const added = next.filter(finalizer => !old.includes(finalizer));
  const dropped = old.filter(finalizer => !next.includes(finalizer));
  return {
    ...(added.length === 0 ? {} : {finalizers: added}),
    ...(dropped.length === 0 ? {} : {'$deleteFromPrimitiveList/finalizers': dropped}),
  };
}

function ownerChanges(before: PropertyMap, after: PropertyMap): PropertyMap[] {
  const byUid = (metadata: PropertyMap) =>
    new Map(mapsAt(metadata, 'ownerReferences').map(({map}) => [stringAt(map, 'uid') ?? '', map]));
  const old = byUid(before);
  const next = byUid(after);
  const changes: PropertyMap[] = [];
  for (const uid of old.keys()) if (!next.has(uid)) changes.push({$patch: 'delete', uid});
  for (const [uid, owner] of next) {
    const was = old.get(uid);
    if (was !== undefined && canonicalText(was) === canonicalText(owner)) continue;
    changes.push({...mapChanges(was ?? {}, owner), uid});
  }
  return changes;
}
