// SPDX-License-Identifier: Apache-2.0
/** The metadata of inputs in the forms that comparison and reading need. */
import {isGiven, listAt, mapAt, mapsAt, stringAt} from '../../property-access.ts';
import {isPropertyList, isPropertyMap, isUnknown, type PropertyMap, type PropertyValue} from '../../value.ts';
import {DEFAULT_NAMESPACE} from './object-name.ts';

/** kubectl's own bookkeeping; nobody writes it into a program. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** With the namespace, and without a prefix that nobody reads. */
export function comparableMetadata(metadata: PropertyMap): PropertyMap {
  const {generateName, ...rest} = metadata;
  const namespace = isUnknown(metadata['namespace']) ? metadata['namespace'] : stringAt(metadata, 'namespace');
  return {
    ...rest,
    namespace: namespace ?? DEFAULT_NAMESPACE,
    // Ignored by the server when a name is given. Ref: requirements E-133.
    ...(generateName === undefined || isGiven(metadata, 'name') ? {} : {generateName}),
  };
}

/** What a user would have written: nothing that only the server sets. */
export function importMetadata(metadata: PropertyMap): PropertyMap {
  const annotations = Object.entries(mapAt(metadata, 'annotations')).filter(([key]) => key !== LAST_APPLIED);
  return {
    name: metadata['name'] ?? null,
    namespace: metadata['namespace'] === DEFAULT_NAMESPACE ? null : (metadata['namespace'] ?? null),
    labels: mapAt(metadata, 'labels'),
    annotations: Object.fromEntries(annotations),
    finalizers: listAt(metadata, 'finalizers'),
    ownerReferences: listAt(metadata, 'ownerReferences'),
  };
}

/** The old ones with the live object's values, only at the keys that the user set. Ref: requirements E-112. */
export function projectMetadata(old: PropertyMap, live: PropertyMap): PropertyMap {
  const result: Record<string, PropertyValue> = {...old};
  if (isGiven(old, 'name')) result['name'] = live['name'] ?? old['name'] ?? '';
  if (isGiven(old, 'namespace')) result['namespace'] = live['namespace'] ?? old['namespace'] ?? '';
  for (const key of ['labels', 'annotations']) {
    if (isPropertyMap(old[key])) result[key] = pickKeys(mapAt(live, key), Object.keys(old[key]));
  }
  if (isPropertyList(old['finalizers'])) {
    const present = listAt(live, 'finalizers');
    result['finalizers'] = old['finalizers'].filter(finalizer => present.includes(finalizer));
  }
  if (isPropertyList(old['ownerReferences'])) {
    const byUid = new Map(mapsAt(live, 'ownerReferences').map(({map}) => [map['uid'], map]));
    result['ownerReferences'] = old['ownerReferences'].flatMap(owner => {
      const found = isPropertyMap(owner) ? byUid.get(owner['uid'] ?? null) : undefined;
      return found === undefined || !isPropertyMap(owner) ? [] : [pickKeys(found, Object.keys(owner))];
    });
  }
  return result;
}

function pickKeys(map: PropertyMap, keys: readonly string[]): PropertyMap {
  return Object.fromEntries(keys.flatMap(key => (map[key] === undefined ? [] : [[key, map[key]]])));
}
