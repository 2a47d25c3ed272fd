// SPDX-License-Identifier: Apache-2.0
/** Names and ids of Kubernetes objects: automatic naming, `<namespace>/<name>`. Ref: requirements E-031, E-032. */
import {SUBDOMAIN_LENGTH_MAX} from '@palisade/kube-wire';
import {isGiven, mapAt, stringAt} from '../../property-access.ts';
import type {CheckFailure, CheckRequest} from '../../provider.ts';
import {isUnknown, type PropertyMap} from '../../value.ts';
import {parseUrn} from '../resource.ts';

export const DEFAULT_NAMESPACE = 'default';
/** Hexadecimal characters that an automatic name ends in. */
const SUFFIX_LENGTH = 7;

export type ObjectKey = {readonly namespace: string; readonly name: string};

export const formatId = (key: ObjectKey): string => `${key.namespace}/${key.name}`;

/** `namespace/name`, or a name alone for the default namespace; undefined for anything else. */
export function parseId(id: string): ObjectKey | undefined {
  const parts = id.split('/');
  if (parts.length > 2 || parts.includes('')) return undefined;
  const [first = '', second] = parts;
  return second === undefined ? {namespace: DEFAULT_NAMESPACE, name: first} : {namespace: first, name: second};
}

/** The namespace that inputs or outputs mean: none given is `default`. Ref: requirements E-147. */
export const namespaceOf = (properties: PropertyMap): string =>
  stringAt(mapAt(properties, 'metadata'), 'namespace') ?? DEFAULT_NAMESPACE;

/**
 * Inputs with `metadata.name` filled in when neither it nor `generateName` is given: the name of the last deployment, else the
 * project's proposal, else the resource's name and seven hexadecimal characters of the seed.
 */
export function fillName(request: CheckRequest, inputs: PropertyMap): {inputs: PropertyMap; failures: CheckFailure[]} {
  const metadata = inputs['metadata'];
  if (isUnknown(metadata)) return {inputs, failures: []};
  const given = mapAt(inputs, 'metadata');
  if (isGiven(given, 'name') || isGiven(given, 'generateName')) return {inputs, failures: []};
  const kept = stringAt(mapAt(request.olds, 'metadata'), 'name');
  if (kept === undefined && request.autonaming?.mode === 'disable') {
    const reason = 'automatic naming is disabled by the project: give metadata.name or metadata.generateName';
    return {inputs, failures: [{property: 'metadata.name', reason}]};
  }
  const name = kept ?? request.autonaming?.proposedName ?? automaticName(request.urn, request.randomSeed);
  return {inputs: {...inputs, metadata: {...given, name}}, failures: []};
}

function automaticName(urn: string, seed: Uint8Array): string {
  const hex = [...seed].map(byte => byte.toString(16).padStart(2, '0')).join('');
  return `${namePrefix(urn)}-${hex.slice(0, SUFFIX_LENGTH).padEnd(SUFFIX_LENGTH, '0')}`;
}

/** The resource's name as far as an object may be called so. */
function namePrefix(urn: string): string {
  const text = parseUrn(urn)
    .name.toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-');
  const parts = text.split('.').map(part => part.replace(/^-+|-+$/g, ''));
  const prefix = parts.filter(part => part !== '').join('.');
  return (prefix === '' ? parseUrn(urn).type.replace(/^.*:/, '').toLowerCase() : prefix)
    .slice(0, SUBDOMAIN_LENGTH_MAX - SUFFIX_LENGTH - 1)
    .replace(/[-.]+$/, '');
}

/** True when the name looks like one that `fillName` makes for this resource: a replacement then gets another one. */
export function isAutomaticName(urn: string, name: string): boolean {
  const prefix = `${namePrefix(urn)}-`;
  return name.startsWith(prefix) && /^[0-9a-f]{7}$/.test(name.slice(prefix.length));
}
