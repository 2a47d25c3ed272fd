// SPDX-License-Identifier: Apache-2.0
/** The rules of an intrusion-detection endpoint over its inputs; unknowns are skipped. Ref: requirements I.2, contracts of Cloud IDS. */
import {listAt, mapAt, stringAt} from '../property-access.ts';
import {formatPropertyPath} from '../property-path.ts';
import type {CheckFailure} from '../provider.ts';
import {isUnknown, type PropertyMap, type PropertyValue} from '../value.ts';

const ENDPOINT_ID = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ZERO_UUID = '00000000-0000-0000-0000-000000000000';
const LABEL_KEY = /^[a-z][a-z0-9_-]{0,62}$/;
const LABEL_VALUE_MAX = 63;
const LABELS_MAX = 64;
/** As Cloud IDS. */
export const THREAT_EXCEPTIONS_MAX = 99;
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

export const isEndpointId = (text: string): boolean => ENDPOINT_ID.test(text);

/** True when a value is given; an unset severity is none. */
export function isSet(key: string, value: PropertyValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return false;
  return !(key === 'severity' && value === SEVERITY_UNSPECIFIED);
}

/** Faults beyond names and types; `inputs` have the configuration's defaults filled in. */
export function idsEndpointFaults(inputs: PropertyMap): CheckFailure[] {
  const failures = placeFaults(inputs);
  const fault: AddFault = (property, reason) => failures.push({property, reason});
  requireKeys(inputs, ['network', 'severity'], fault);
  requestIdFault(inputs['requestId'], fault);
  labelFaults(mapAt(inputs, 'labels'), fault);
  exceptionFaults(inputs, fault);
  return failures;
}

/** Faults of what names an endpoint: id, project and location. */
export function placeFaults(inputs: PropertyMap): CheckFailure[] {
  const failures: CheckFailure[] = [];
  const fault: AddFault = (property, reason) => failures.push({property, reason});
  const id = inputs['endpointId'];
  if (typeof id === 'string' && !isEndpointId(id)) {
    const rule =
      'must start with a lowercase letter, followed by up to 62 lowercase letters, digits or hyphens, and must not end with a hyphen';
    fault('endpointId', `invalid value ${JSON.stringify(id)}: ${rule} (INVALID_ARGUMENT)`); // the code by requirement I-025
  }
  requireKeys(inputs, ['project', 'location'], fault);
  for (const key of ['project', 'location']) {
    const text = stringAt(inputs, key);
    if (text !== undefined && (text === '-' || text.includes('/'))) {
      fault(key, `invalid value ${JSON.stringify(text)}: must be the id of one ${key}`);
    }
  }
  return failures;
}

function requireKeys(inputs: PropertyMap, keys: readonly DefaultedKey[], fault: AddFault): void {
  for (const key of keys) {
    if (isSet(key, inputs[key])) continue;
    const ways = `set it here, as cloudnative:${key} in the configuration, or as ${DEFAULTED[key]} in the environment`;
    fault(key, `missing required property: ${ways}`);
  }
}

type AddFault = (property: string, reason: string) => unknown;

function requestIdFault(value: PropertyValue | undefined, add: AddFault): void {
  if (typeof value !== 'string') return;
  const fault = (rule: string) => add('requestId', `invalid value ${JSON.stringify(value)}: ${rule}`);
  if (!UUID.test(value)) fault('must be a UUID');
  else if (value === ZERO_UUID) fault('must not be the all-zero UUID');
}

function labelFaults(labels: PropertyMap, fault: AddFault): void {
  const entries = Object.entries(labels);
  if (entries.length > LABELS_MAX) fault('labels', `too many: ${entries.length}, at most ${LABELS_MAX}`);
  for (const [key, value] of entries) {
    const path = formatPropertyPath(['labels', key]);
    if (!LABEL_KEY.test(key)) {
      fault(
        path,
        'the key must start with a lowercase letter, followed by up to 62 lowercase letters, digits, "_" or "-"',
      );
    }
    if (typeof value === 'string' && value.length > LABEL_VALUE_MAX) {
      fault(path, `the value must be no more than ${LABEL_VALUE_MAX} characters`);
    }
  }
}

function exceptionFaults(inputs: PropertyMap, fault: AddFault): void {
  const exceptions = listAt(inputs, 'threatExceptions');
  exceptions.forEach((exception, i) => {
    if (exception === '') fault(`threatExceptions[${i}]`, 'must not be empty');
  });
  const known = exceptions.filter(exception => !isUnknown(exception));
  const distinct = new Set(known).size + exceptions.length - known.length;
  if (distinct > THREAT_EXCEPTIONS_MAX) {
    fault('threatExceptions', `too many: ${distinct}, at most ${THREAT_EXCEPTIONS_MAX}`);
  }
}
