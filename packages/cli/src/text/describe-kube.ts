// SPDX-License-Identifier: Apache-2.0
/** `palisade describe RESOURCE/NAME`: the object in words, with its owners and, when it is deleted, what blocks the deletion. */
import type {EndpointSubset, Endpoints, KubeObject} from '@palisade/client';
import {conditionText, type Deletion, type OwnerState, objectLines} from '@palisade/client';
import {expandSubsets} from '@palisade/kube-wire';
import {GROUP_STATUS_SHOWN, groupCount, isGroup, memberLines} from './describe-group.ts';

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

/** Every owner, those that do not control too; what each is worth where that is known (E-153). */
const ownerLines = (object: KubeObject, states: readonly OwnerState[]): string => {
  const lines = (object.metadata?.ownerReferences ?? []).map(({kind, name, controller}, i) => {
    const what = states[i]?.what;
    return `  ${kind}/${name}${controller === true ? ' (controller)' : ''}${what === undefined ? '' : ` ${what}`}\n`;
  });
  return lines.length === 0 ? '' : `Owners:\n${lines.join('')}`;
};

/** Fields with rows of their own. */
const SHOWN: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'subsets']);
/** Parts of these that have rows of their own. */
const SHOWN_WITHIN: Readonly<Record<string, readonly string[]>> = {
  spec: ['finalizers'],
  status: ['phase', 'conditions'],
};

/** Undefined for what has rows of its own as a whole. */
const unshown = (object: KubeObject, name: string, value: unknown): unknown => {
  if (SHOWN.has(name)) return undefined;
  const shown = SHOWN_WITHIN[name];
  const within = shown && name === 'status' && isGroup(object) ? [...shown, ...GROUP_STATUS_SHOWN] : shown;
  if (within === undefined || typeof value !== 'object' || value === null) return value;
  const rest = Object.entries(value).filter(([field]) => !within.includes(field));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
};

/** Whatever else a kind has, as YAML. */
const otherFields = async (object: KubeObject): Promise<string> => {
  const others = Object.entries(object).flatMap(([name, value]) => {
    const rest = unshown(object, name, value);
    return rest === undefined ? [] : [[name, rest] as const];
  });
  if (others.length === 0) return '';
  const {jsonToYaml} = await import('@palisade/kube-wire/yaml');
  return jsonToYaml(JSON.stringify(Object.fromEntries(others)));
};

/** The time at which the object goes, unless it is held. */
const dueText = (deletionTimestamp: string, nowMs: number): string =>
  `due ${Date.parse(deletionTimestamp) > nowMs ? 'at' : 'since'} ${deletionTimestamp}`;

/** An object of any kind. `nowMs`: epoch milliseconds. Phase, conditions and finalizers of the specification are shown where a kind has them. */
export const kubeText = async ({object, holders, owners}: Deletion, nowMs: number): Promise<string> => {
  const {metadata, spec, status} = object;
  const {subsets} = object as Endpoints;
  const finalizers = [...(metadata?.finalizers ?? []), ...(spec?.finalizers ?? []).map(name => `${name} (spec)`)];
  const conditions = status?.conditions ?? [];
  return [
    row('Name', metadata?.name ?? ''),
    metadata?.namespace === undefined ? '' : row('Namespace', metadata.namespace),
    row('Labels', pairs(metadata?.labels)),
    row('Annotations', pairs(metadata?.annotations)),
    row('Controlled By', controllerOf(object)),
    ownerLines(object, owners),
    row('Finalizers', finalizers.join(', ')),
    status?.phase === undefined ? '' : row('Phase', status.phase),
    conditions.length === 0 ? '' : `Conditions:\n${conditions.map(c => `  ${conditionText(c)}\n`).join('')}`,
    metadata?.deletionTimestamp == null ? '' : row('Deleted', dueText(metadata.deletionTimestamp, nowMs)),
    ...holders.map(h => `  blocked by ${h.holder}: ${h.what}; ${h.next}\n${objectLines(h, '    ')}`),
    isGroup(object) ? `${row('Members', groupCount(object))}${memberLines(object, nowMs)}` : '',
    subsets === undefined ? '' : `Endpoints:\n${subsetLines(subsets)}`,
    await otherFields(object),
  ].join('');
};
