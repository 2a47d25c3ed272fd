// SPDX-License-Identifier: Apache-2.0
/**
 * Inputs of Endpoints in the forms that comparison and reading need.
 * Invariants: what `toComparable` makes equal, the server stores equal; `projectInputs` of an unchanged object gives the old inputs
 * back unchanged (else every refresh would show drift); `importInputs` gives what a user would have written.
 */
import {canonicalText, isGiven, listAt, mapAt, mapsAt, stringAt} from '../property-access.ts';
import {isPropertyList, isPropertyMap, isUnknown, type PropertyMap, type PropertyValue} from '../value.ts';
import {DEFAULT_NAMESPACE} from './endpoints-name.ts';

export const DEFAULT_PROTOCOL = 'TCP';
/** kubectl's own bookkeeping; nobody writes it into a program. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Inputs with defaults filled in and everything dropped that means the same as nothing. */
export function toComparable(inputs: PropertyMap): PropertyMap {
  const result: Record<string, PropertyValue> = {};
  for (const [key, value] of Object.entries(inputs)) {
    if (key === 'metadata' && isPropertyMap(value)) result[key] = comparableMetadata(value);
    else if (key === 'subsets' && isPropertyList(value)) result[key] = withDefaultProtocols(value);
    else result[key] = value;
  }
  const pruned = prune(result);
  return isPropertyMap(pruned) ? pruned : {};
}

function comparableMetadata(metadata: PropertyMap): PropertyMap {
  const {generateName, ...rest} = metadata;
  const namespace = isUnknown(metadata['namespace']) ? metadata['namespace'] : stringAt(metadata, 'namespace');
  return {
    ...rest,
    namespace: namespace ?? DEFAULT_NAMESPACE,
    // Ignored by the server when a name is given. Ref: requirements E-133.
    ...(generateName === undefined || isGiven(metadata, 'name') ? {} : {generateName}),
  };
}

/** Ports without a protocol get the default, as the server does. Ref: requirements E-086. */
export function withDefaultProtocols(subsets: PropertyValue): PropertyValue {
  if (!isPropertyList(subsets)) return subsets;
  return subsets.map(subset => {
    if (!isPropertyMap(subset) || !isPropertyList(subset['ports'])) return subset;
    const ports = subset['ports'].map(port =>
      isPropertyMap(port) && !isGiven(port, 'protocol') ? {...port, protocol: DEFAULT_PROTOCOL} : port,
    );
    return {...subset, ports};
  });
}

/**
 * Without empty strings, lists and maps below the top; those the server drops too. Values of labels and annotations stay, as
 * an empty one is a value; so does an empty `targetRef`.
 */
function prune(value: PropertyValue, key = ''): PropertyValue | undefined {
  if (value === null || (value === '' && key !== 'map value')) return undefined;
  if (isPropertyList(value)) {
    return value.length === 0 ? undefined : value.map(member => prune(member) ?? (isPropertyMap(member) ? {} : member));
  }
  if (!isPropertyMap(value)) return value;
  const isStringMap = key === 'labels' || key === 'annotations';
  const kept: Record<string, PropertyValue> = {};
  for (const [name, member] of Object.entries(value)) {
    const pruned = prune(member, isStringMap ? 'map value' : name);
    if (pruned !== undefined) kept[name] = pruned;
  }
  return Object.keys(kept).length === 0 && key !== 'targetRef' ? undefined : kept;
}

/** The inputs that would have made the live object, for import and get: no server defaults, nothing that only the server sets. */
export function importInputs(live: PropertyMap): PropertyMap {
  const metadata = mapAt(live, 'metadata');
  const annotations = Object.entries(mapAt(metadata, 'annotations')).filter(([key]) => key !== LAST_APPLIED);
  const inputs = prune({
    metadata: {
      name: metadata['name'] ?? null,
      namespace: metadata['namespace'] === DEFAULT_NAMESPACE ? null : (metadata['namespace'] ?? null),
      labels: mapAt(metadata, 'labels'),
      annotations: Object.fromEntries(annotations),
      finalizers: listAt(metadata, 'finalizers'),
      ownerReferences: listAt(metadata, 'ownerReferences'),
    },
    subsets: withoutDefaultProtocols(listAt(live, 'subsets'), new Set()),
  });
  return isPropertyMap(inputs) ? inputs : {};
}

/** The old inputs with the live object's values, only at the keys that the user set. Ref: requirements E-112. */
export function projectInputs(old: PropertyMap, live: PropertyMap): PropertyMap {
  const result: Record<string, PropertyValue> = {...old};
  if (isPropertyMap(old['metadata'])) result['metadata'] = projectMetadata(old['metadata'], mapAt(live, 'metadata'));
  if (isPropertyList(old['subsets'])) result['subsets'] = projectSubsets(old['subsets'], listAt(live, 'subsets'));
  return result;
}

function projectMetadata(old: PropertyMap, live: PropertyMap): PropertyMap {
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

/** Controllers repack and reorder subsets without changing what they say: equal as sets means unchanged. */
function projectSubsets(old: readonly PropertyValue[], live: readonly PropertyValue[]): PropertyValue {
  if (subsetsText(old) === subsetsText(live)) return old;
  const explicit = new Set(
    old.flatMap(subset =>
      isPropertyMap(subset)
        ? mapsAt(subset, 'ports').flatMap(({map}) => (map['protocol'] === DEFAULT_PROTOCOL ? [portKey(map)] : []))
        : [],
    ),
  );
  return withoutDefaultProtocols(live, explicit);
}

/** One text for all orders of subsets, addresses and ports, with defaults filled in. */
function subsetsText(subsets: readonly PropertyValue[]): string {
  const full = prune(withDefaultProtocols(subsets)) ?? [];
  const texts = (isPropertyList(full) ? full : []).map(subset => {
    if (!isPropertyMap(subset)) return canonicalText(subset);
    const lists = ['addresses', 'notReadyAddresses', 'ports'].map(key => sortedTexts(listAt(subset, key)).join(','));
    return lists.join('|');
  });
  return [...new Set(texts)].sort().join('\n');
}

const sortedTexts = (list: readonly PropertyValue[]): string[] => [...new Set(list.map(canonicalText))].sort();
const portKey = (port: PropertyMap): string => canonicalText([port['port'] ?? null, port['name'] ?? null]);

function withoutDefaultProtocols(subsets: readonly PropertyValue[], explicit: ReadonlySet<string>): PropertyValue {
  return subsets.map(subset => {
    if (!isPropertyMap(subset) || !isPropertyList(subset['ports'])) return subset;
    const ports = subset['ports'].map(port => {
      if (!isPropertyMap(port) || port['protocol'] !== DEFAULT_PROTOCOL || explicit.has(portKey(port))) return port;
      const {protocol: _dropped, ...rest} = port;
      return rest;
    });
    return {...subset, ports};
  });
}
