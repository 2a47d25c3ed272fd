// SPDX-License-Identifier: Apache-2.0
/**
 * Inputs of a Kubernetes object in the forms that comparison, reading and writing need.
 * Invariants: what `toComparable` makes equal, the server stores equal; `projectInputs` of an unchanged object gives the old inputs
 * back unchanged (else every refresh would show drift); `importInputs` gives what a user would have written.
 */
import {canonicalText, mapAt} from '../../property-access.ts';
import {withDefaults, withoutDefaults, withoutEmpty} from '../../schema/meaning.ts';
import type {Properties} from '../../schema/package-description.ts';
import {PLATFORM} from '../../schema/platform.ts';
import {isPropertyList, isPropertyMap, type PropertyMap, type PropertyValue} from '../../value.ts';
import type {KubeKind} from './kube-kind.ts';
import {comparableMetadata, importMetadata, projectMetadata} from './metadata-inputs.ts';
import {metadataPatch} from './metadata-patch.ts';

export const inputsOf = ({token}: KubeKind): Properties => PLATFORM.resources[token]?.inputs ?? {};

/** The content with what the server fills in. */
export const fullContent = (kind: KubeKind, content: PropertyValue): PropertyValue =>
  withDefaults(PLATFORM, kind.content.type, content);

/** Inputs with defaults filled in and everything dropped that means the same as nothing. */
export function toComparable(kind: KubeKind, inputs: PropertyMap): PropertyMap {
  const {key} = kind.content;
  const {metadata, [key]: content} = inputs;
  return withoutEmpty(PLATFORM, inputsOf(kind), {
    ...inputs,
    ...(isPropertyMap(metadata) ? {metadata: comparableMetadata(metadata)} : {}),
    ...(content === undefined ? {} : {[key]: fullContent(kind, content)}),
  });
}

/** The inputs that would have made the live object, for import and get: no server defaults, nothing that only the server sets. */
export function importInputs(kind: KubeKind, live: PropertyMap): PropertyMap {
  const metadata = importMetadata(mapAt(live, 'metadata'));
  return withoutEmpty(PLATFORM, inputsOf(kind), {metadata, [kind.content.key]: writtenContent(kind, live, undefined)});
}

/** The old inputs with the live object's values, only at the keys that the user set. Ref: requirements E-112. */
export function projectInputs(kind: KubeKind, old: PropertyMap, live: PropertyMap): PropertyMap {
  const {key, text = canonicalOrNothing} = kind.content;
  const result: Record<string, PropertyValue> = {...old};
  if (isPropertyMap(old['metadata'])) result['metadata'] = projectMetadata(old['metadata'], mapAt(live, 'metadata'));
  if (old[key] === undefined) return result;
  const [before, now] = [old, live].map(object => text(comparableContent(kind, object)));
  if (before !== now) result[key] = writtenContent(kind, live, old[key]);
  return result;
}

const canonicalOrNothing = (value: PropertyValue | undefined): string => canonicalText(value ?? null);

const comparableContent = (kind: KubeKind, {[kind.content.key]: content}: PropertyMap): PropertyValue | undefined =>
  content === undefined ? undefined : toComparable(kind, {[kind.content.key]: content})[kind.content.key];

function writtenContent(kind: KubeKind, live: PropertyMap, old: PropertyValue | undefined): PropertyValue {
  const {key, type, written} = kind.content;
  const content = live[key] ?? emptyContent(kind);
  return written === undefined ? withoutDefaults(PLATFORM, type, content, old) : written(content, old);
}

/** What an absent content is to somebody who asked for one. */
export const emptyContent = ({content}: KubeKind): PropertyValue => (content.type.kind === 'list' ? [] : {});

/**
 * The strategic merge patch from old to new inputs; undefined: nothing to change. `uid` guards against patching an object that was
 * re-created meanwhile.
 */
export function patchOf(
  kind: KubeKind,
  old: PropertyMap,
  next: PropertyMap,
  uid: string | undefined,
): PropertyMap | undefined {
  const metadata = metadataPatch(mapAt(old, 'metadata'), mapAt(next, 'metadata'));
  const [before, after] = [old, next].map(inputs => canonicalOrNothing(comparableContent(kind, inputs)));
  if (Object.keys(metadata).length === 0 && before === after) return undefined;
  return {
    metadata: uid === undefined ? metadata : {...metadata, uid},
    ...(before === after ? {} : {[kind.content.key]: replacement(next[kind.content.key])}),
  };
}

/** Leaves nothing of what is stored: lists that merge would keep the items of others. */
function replacement(content: PropertyValue | undefined): PropertyValue {
  if (content === undefined || isPropertyList(content)) return content ?? null;
  return isPropertyMap(content) ? {...content, $patch: 'replace'} : content;
}
