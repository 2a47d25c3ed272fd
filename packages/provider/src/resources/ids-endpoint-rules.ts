// SPDX-License-Identifier: Apache-2.0
/** The rules of an intrusion-detection endpoint over its inputs, those of the API; unknowns are skipped. Ref: requirements I.2, contracts of Cloud IDS. */
import {
  descriptionFaults,
  ENDPOINT_ID,
  ENDPOINT_ID_RULE,
  exceptionFaults,
  idleExceptions,
  isForeignThreatId,
  isNameSegment,
  labelFaults,
  mistakenExceptions,
  networkFaults,
  type RuleFault,
  requestIdFaults,
  WILDCARD,
} from '@palisade/ids-wire';
import {listAt, mapAt, stringAt} from '../property-access.ts';
import {formatPropertyPath} from '../property-path.ts';
import type {CheckFailure} from '../provider.ts';
import type {PropertyMap, PropertyValue} from '../value.ts';

/** The severity that means "not set". */
export const SEVERITY_UNSPECIFIED = 'SEVERITY_UNSPECIFIED';

/** Inputs that may come from the provider's configuration, and how to set them. */
export const DEFAULTED = {
  project: 'CLOUDSDK_CORE_PROJECT',
  location: 'CLOUDSDK_COMPUTE_ZONE',
  network: 'PALISADE_NETWORK',
  severity: 'PALISADE_SEVERITY',
} as const;
export type DefaultedKey = keyof typeof DEFAULTED;

/** True when a value is given; an unset severity is none. */
export function isSet(key: string, value: PropertyValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return false;
  return !(key === 'severity' && value === SEVERITY_UNSPECIFIED);
}

/** Faults beyond names and types; `inputs` have the configuration's defaults filled in. */
export function idsEndpointFaults(inputs: PropertyMap): CheckFailure[] {
  const failures = placeFaults(inputs);
  requireKeys(inputs, ['network', 'severity'], failures);
  const judge = (key: string, faults: readonly RuleFault[]): void => {
    failures.push(...faults.map(fault => failureOf(key, fault)));
  };
  const textRule = (key: string, rule: (text: string) => RuleFault[]): void => {
    const text = stringAt(inputs, key);
    if (text !== undefined && text !== '') judge(key, rule(text));
  };
  textRule('network', networkFaults);
  textRule('description', descriptionFaults);
  judge('labels', labelFaults(mapAt(inputs, 'labels')));
  const exceptions = listAt(inputs, 'threatExceptions');
  judge('threatExceptions', exceptionFaults(exceptions));
  judge('threatExceptions', mistakenExceptions(exceptions));
  if (typeof inputs['requestId'] === 'string') judge('requestId', requestIdFaults(inputs['requestId']));
  return failures;
}

/** What is accepted and does nothing. */
export function idsEndpointWarnings(inputs: PropertyMap): CheckFailure[] {
  const exceptions = listAt(inputs, 'threatExceptions');
  return idleExceptions(exceptions)
    .filter(({at}) => isForeignThreatId(exceptions[Number(at)]))
    .map(fault => failureOf('threatExceptions', fault));
}

const failureOf = (key: string, {at, reason}: RuleFault): CheckFailure => ({
  property: formatPropertyPath(at === undefined ? [key] : [key, at]),
  reason,
});

/** Faults of what names an endpoint: id, project and location. */
export function placeFaults(inputs: PropertyMap): CheckFailure[] {
  const failures: CheckFailure[] = [];
  const id = inputs['endpointId'];
  if (typeof id === 'string' && !ENDPOINT_ID.test(id)) {
    const reason = `invalid value ${JSON.stringify(id)}: ${ENDPOINT_ID_RULE} (INVALID_ARGUMENT)`; // the code by requirement I-025
    failures.push({property: 'endpointId', reason});
  }
  requireKeys(inputs, ['project', 'location'], failures);
  for (const key of ['project', 'location']) {
    const text = stringAt(inputs, key);
    if (text !== undefined && text !== '' && (text === WILDCARD || !isNameSegment(text))) {
      failures.push({property: key, reason: `invalid value ${JSON.stringify(text)}: must be the id of one ${key}`});
    }
  }
  return failures;
}

function requireKeys(inputs: PropertyMap, keys: readonly DefaultedKey[], failures: CheckFailure[]): void {
  for (const key of keys) {
    if (isSet(key, inputs[key])) continue;
    const ways = `set it here, as cloudnative:${key} in the configuration, or as ${DEFAULTED[key]} in the environment`;
    failures.push({property: key, reason: `missing required property: ${ways}`});
  }
}
