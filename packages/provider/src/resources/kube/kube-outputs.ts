// SPDX-License-Identifier: Apache-2.0
/** Outputs of a Kubernetes object: live ones, and those that a preview knows. */
import type {KubeObject} from '@palisade/client';
import {mapAt} from '../../property-access.ts';
import {onlyDescribed} from '../../schema/meaning.ts';
import {PLATFORM} from '../../schema/platform.ts';
import {isUnknown, type PropertyMap, type PropertyValue, UNKNOWN} from '../../value.ts';
import {emptyContent, fullContent} from './kube-inputs.ts';
import type {KubeKind} from './kube-kind.ts';
import {namespaceOf} from './object-name.ts';

/** All inputs and what the server made of them; an empty content that was asked for is shown, though the server leaves it out. */
export function toOutputs(kind: KubeKind, live: KubeObject, inputs: PropertyMap): PropertyMap {
  const {key} = kind.content;
  const object = live as unknown as PropertyMap;
  const content = object[key] ?? (inputs[key] === undefined ? undefined : emptyContent(kind));
  const outputs: Record<string, PropertyValue> = {metadata: object['metadata'] ?? {}};
  if (content !== undefined) outputs[key] = content;
  for (const [name, {type}] of Object.entries(kind.outputs))
    outputs[name] = onlyDescribed(PLATFORM, type, object[name] ?? {});
  return outputs;
}

/** What is known before the server was asked. After a create the system fields come; an update keeps the identity. */
export function previewOutputs(kind: KubeKind, news: PropertyMap, olds?: PropertyMap): PropertyMap {
  const {key} = kind.content;
  const content = news[key];
  const shown: Record<string, PropertyValue> = content === undefined ? {} : {[key]: fullContent(kind, content)};
  for (const name of Object.keys(kind.outputs)) shown[name] = UNKNOWN;
  if (isUnknown(news['metadata'])) return {metadata: UNKNOWN, ...shown};
  const given = mapAt(news, 'metadata');
  const known = olds === undefined ? {} : mapAt(olds, 'metadata');
  const system: Record<string, PropertyValue> = {};
  for (const name of ['name', 'uid', 'creationTimestamp']) {
    if (known[name] !== undefined) system[name] = known[name];
    else if (olds === undefined) system[name] = UNKNOWN;
  }
  if (olds === undefined) system['resourceVersion'] = UNKNOWN;
  const namespace = isUnknown(given['namespace']) ? UNKNOWN : namespaceOf(news);
  return {metadata: {...system, ...given, namespace}, ...shown};
}
