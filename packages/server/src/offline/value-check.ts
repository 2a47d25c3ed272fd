// SPDX-License-Identifier: Apache-2.0
/** Whether a value of the store can be decoded as what its key says it is. The key layouts: docs/reference/formats.md. */
import {CachedObject, groupVersionOf, hasObjects, type KindDefinition, resourcePrefix} from '@palisade/apiserver';
import {kubeModule} from '@palisade/kinds';
import {decodeObject} from '@palisade/kube-wire';

const KUBE = '/kube/';
/** JSON documents: the IDS side, and what both sides keep in addition to their objects. */
const DOCUMENTS = ['/ids/', '/kube-meta/', '/store-meta/'];

const kinds: ReadonlyMap<string, KindDefinition> = new Map(
  kubeModule.kinds
    .filter(kind => hasObjects(kind) && kind.storedAs === undefined)
    .map(kind => [resourcePrefix(kind), kind]),
);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Undefined: it is sound. */
export const valueFault = (key: string, value: Uint8Array): string | undefined => {
  try {
    if (key.startsWith(`${KUBE}-/`)) return undefined; // marks of starts
    if (key.startsWith(KUBE)) return objectFault(key, value);
    if (DOCUMENTS.some(prefix => key.startsWith(prefix)))
      JSON.parse(new TextDecoder('utf-8', {fatal: true}).decode(value));
    else return 'no part of this version writes such a key';
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
};

function objectFault(key: string, value: Uint8Array): string | undefined {
  const [, , group = '', resource = '', ...place] = key.split('/');
  const kind = kinds.get(resourcePrefix({group: group === 'core' ? '' : group, resource, namespaced: false}));
  const [name = '', namespace = ''] = place.reverse();
  const {metadata} = new CachedObject({namespace, name}, value, 0n, '').decode();
  if (metadata.name !== name || (metadata.namespace ?? '') !== namespace)
    return `it is the object ${[metadata.namespace, metadata.name].filter(Boolean).join('/')}`;
  if (kind === undefined) return undefined; // of a part that this command does not load: its JSON is whole
  const stored = JSON.parse(Buffer.from(value).toString()) as {readonly kind?: unknown; readonly apiVersion?: unknown};
  if (stored.kind !== kind.kind || stored.apiVersion !== groupVersionOf(kind))
    return `it is ${JSON.stringify(stored.kind)} of ${JSON.stringify(stored.apiVersion)}, and ${kind.kind} of ${groupVersionOf(kind)} was expected`;
  return decodeObject(kind.types, kind.typeName, value).strictErrors[0];
}
