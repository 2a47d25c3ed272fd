// SPDX-License-Identifier: Apache-2.0
/** `palisade describe endpoints/NAME`: the object in words, with who controls it and, when it is deleted, who holds it. */
import type {EndpointSubset, Endpoints, KubeClient, KubeObject} from '@palisade/client';
import {expandSubsets} from '@palisade/wire/kube';
import {clientOf, type Holder, holdersOf, type Target} from './why-not-deleted.ts';

const NAME_WIDTH = 22;
const row = (name: string, value: string): string =>
  `${`${name}:`.padEnd(NAME_WIDTH)} ${value === '' ? '<none>' : value}\n`;
/** kubectl's own copy of the manifest: long, and of no use to a reader. */
const HIDDEN_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
const pairs = (map: Readonly<Record<string, string>> | undefined): string =>
  Object.entries(map ?? {})
    .filter(([key]) => key !== HIDDEN_ANNOTATION)
    .map(([key, value]) => `${key}=${value.includes('\n') ? JSON.stringify(value) : value}`)
    .join(', ');

const subsetLines = (subsets: readonly EndpointSubset[]): string => {
  const shown = expandSubsets(subsets).map(
    e =>
      `  ${e.ready ? 'ready    ' : 'not ready'} ${e.ip}${e.port === undefined ? '' : ` port ${e.port}/${e.protocol ?? 'TCP'}`}${e.portName === undefined ? '' : ` (${e.portName})`}${e.nodeName === undefined ? '' : ` on ${e.nodeName}`}\n`,
  );
  return shown.join('');
};

const controllerOf = (object: KubeObject): string => {
  const owner = object.metadata?.ownerReferences?.find(reference => reference.controller === true);
  return owner === undefined ? '' : `${owner.kind}/${owner.name}`;
};

export type KubeDescription = {readonly object: KubeObject; readonly holders: readonly Holder[]};

export const describeKube = async (client: KubeClient, target: Target): Promise<KubeDescription> => {
  const object: KubeObject = await clientOf(client, target).get(target.namespace, target.name);
  const deleted = object.metadata?.deletionTimestamp != null;
  return {object, holders: deleted ? await holdersOf(client, target, object) : []};
};

export const kubeText = ({object, holders}: KubeDescription): string => {
  const {metadata} = object;
  const {subsets} = object as Endpoints;
  const deletion = metadata?.deletionTimestamp == null ? '' : row('Deleted', `to go at ${metadata.deletionTimestamp}`);
  return [
    row('Name', metadata?.name ?? ''),
    metadata?.namespace === undefined ? '' : row('Namespace', metadata.namespace),
    row('Labels', pairs(metadata?.labels)),
    row('Annotations', pairs(metadata?.annotations)),
    row('Controlled By', controllerOf(object)),
    row('Finalizers', (metadata?.finalizers ?? []).join(', ')),
    deletion,
    ...holders.map(h => `  held by ${h.holder}: ${h.what}; ${h.next}\n`),
    subsets === undefined ? '' : `Endpoints:\n${subsetLines(subsets)}`,
  ].join('');
};
