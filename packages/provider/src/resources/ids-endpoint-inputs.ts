// SPDX-License-Identifier: Apache-2.0
/** Inputs and outputs of an intrusion-detection endpoint, and the message between them. */
import {canonicalNetwork, formatEndpointName, type IdsEndpoint, parseEndpointName} from '@palisade/client';
import {canonicalText, isGiven, listAt, mapAt, stringAt} from '../property-access.ts';
import {isPropertyList, isUnknown, type PropertyMap, type PropertyValue, UNKNOWN} from '../value.ts';

/** What a patch may change, in the order of the mask. Ref: requirements I-112. */
export const UPDATABLE = ['description', 'labels', 'severity', 'threatExceptions', 'trafficLogs'] as const;
const OUTPUT_ONLY = ['createTime', 'endpointForwardingRule', 'endpointIp', 'name', 'state', 'updateTime'] as const;

/** Equal text for equal meaning: one form of the network, defaults left out, request id left out. */
export function toComparable(inputs: PropertyMap): PropertyMap {
  const {requestId: _transport, ...rest} = inputs;
  const comparable: Record<string, PropertyValue> = {};
  for (const [key, value] of Object.entries(rest)) {
    const isEmpty =
      value === '' ||
      value === false ||
      (value !== null && typeof value === 'object' && Object.keys(value).length === 0);
    if (isUnknown(value) || !isEmpty) comparable[key] = value;
  }
  const network = stringAt(inputs, 'network');
  if (network !== undefined) comparable['network'] = canonicalNetwork(network, stringAt(inputs, 'project') ?? '');
  return comparable;
}

/** `projects/P/locations/L` of complete inputs. */
export const parentOf = (inputs: PropertyMap): string =>
  `projects/${stringAt(inputs, 'project') ?? ''}/locations/${stringAt(inputs, 'location') ?? ''}`;

export const fullNameOf = (inputs: PropertyMap): string =>
  formatEndpointName({
    project: stringAt(inputs, 'project') ?? '',
    location: stringAt(inputs, 'location') ?? '',
    endpointId: stringAt(inputs, 'endpointId') ?? '',
  });

/** The body of a create or patch: inputs that are fields of the message; repeated exceptions once. */
export function toMessage(inputs: PropertyMap): IdsEndpoint {
  const message: Record<string, PropertyValue> = {};
  for (const key of ['network', ...UPDATABLE]) {
    const value = inputs[key];
    if (value !== undefined && value !== null) message[key] = value;
  }
  if (isPropertyList(message['threatExceptions'])) message['threatExceptions'] = distinct(message['threatExceptions']);
  return message as unknown as IdsEndpoint;
}

const distinct = (list: readonly PropertyValue[]): PropertyValue[] => [...new Set(list)];

/** The fields in which two inputs differ and that a patch can change. */
export function changedFields(before: PropertyMap, after: PropertyMap): (typeof UPDATABLE)[number][] {
  const old = toComparable(before);
  const next = toComparable(after);
  return UPDATABLE.filter(key => fieldText(key, old[key]) !== fieldText(key, next[key]));
}

function fieldText(key: string, value: PropertyValue | undefined): string {
  if (key !== 'threatExceptions' || !isPropertyList(value)) return canonicalText(value ?? null);
  return canonicalText(distinct(value).map(String).sort());
}

/**
 * All inputs and outputs of a live endpoint. What the message leaves out for being the default is filled in; what the server has
 * not set yet (address and rule while it is created) is absent.
 */
export function toOutputs(live: IdsEndpoint, inputs: PropertyMap): PropertyMap {
  const {project, location, endpointId} = parseEndpointName(live.name ?? '') ?? {};
  const outputs: Record<string, PropertyValue | undefined> = {
    createTime: live.createTime,
    description: live.description ?? '',
    endpointForwardingRule: live.endpointForwardingRule,
    endpointId,
    endpointIp: live.endpointIp,
    labels: {...live.labels},
    location,
    name: live.name,
    network: live.network,
    project,
    requestId: isGiven(inputs, 'requestId') ? inputs['requestId'] : undefined,
    severity: live.severity,
    state: live.state,
    threatExceptions: [...(live.threatExceptions ?? [])],
    trafficLogs: live.trafficLogs ?? false,
    updateTime: live.updateTime,
  };
  const set = Object.entries(outputs).filter((entry): entry is [string, PropertyValue] => entry[1] !== undefined);
  return Object.fromEntries(set);
}

/** What is known before the server was asked; an update keeps what only a create sets. */
export function previewOutputs(news: PropertyMap, olds?: PropertyMap): PropertyMap {
  const outputs: Record<string, PropertyValue> = {
    description: '',
    labels: {},
    threatExceptions: [],
    trafficLogs: false,
    ...news,
  };
  for (const key of OUTPUT_ONLY) outputs[key] = olds?.[key] ?? UNKNOWN;
  if (olds !== undefined) outputs['updateTime'] = UNKNOWN;
  if (isPropertyList(outputs['threatExceptions'])) outputs['threatExceptions'] = distinct(outputs['threatExceptions']);
  const identity = ['project', 'location', 'endpointId'];
  if (identity.every(key => stringAt(news, key) !== undefined)) outputs['name'] = fullNameOf(news);
  return outputs;
}

/** The inputs that would have made the live endpoint, for import and get: nothing that is a default. */
export function importInputs(live: IdsEndpoint): PropertyMap {
  const all = toOutputs(live, {});
  const inputs: Record<string, PropertyValue> = {};
  for (const key of ['endpointId', 'location', 'network', 'project', 'severity'] as const) {
    if (isGiven(all, key)) inputs[key] = all[key] ?? '';
  }
  if (isGiven(all, 'description')) inputs['description'] = all['description'] ?? '';
  if (Object.keys(mapAt(all, 'labels')).length > 0) inputs['labels'] = mapAt(all, 'labels');
  if (listAt(all, 'threatExceptions').length > 0) inputs['threatExceptions'] = listAt(all, 'threatExceptions');
  if (all['trafficLogs'] === true) inputs['trafficLogs'] = true;
  return inputs;
}

/**
 * The old inputs with the live endpoint's values, only at the keys that the user set. A value that only looks different (another
 * form of the network, another order of the exceptions) stays as written.
 */
export function projectInputs(old: PropertyMap, live: IdsEndpoint): PropertyMap {
  const all = toOutputs(live, old);
  const inputs: Record<string, PropertyValue> = {...old};
  const before = toComparable(old);
  const after = toComparable(all);
  for (const key of ['network', 'severity', ...UPDATABLE]) {
    if (!Object.hasOwn(old, key) || fieldText(key, before[key]) === fieldText(key, after[key])) continue;
    inputs[key] = all[key] ?? null;
  }
  return inputs;
}
