// SPDX-License-Identifier: Apache-2.0
/** The rules of an endpoint's fields. Each returns all violations; the codec has already checked types. */
import {
  ENDPOINT_ID,
  ENDPOINT_ID_RULE,
  type EndpointField,
  type EndpointInput,
  type EndpointSpec,
  type FieldViolation,
  type Severity,
} from '@palisade/wire/ids';
import {
  DESCRIPTION_LENGTH_MAX,
  LABEL_VALUE_LENGTH_MAX,
  LABELS_MAX,
  NETWORK_LENGTH_MAX,
  THREAT_EXCEPTION_LENGTH_MAX,
  THREAT_EXCEPTIONS_MAX,
} from '../limits.ts';

/** Ref: requirements I-020 to I-025. */
export const validateEndpointId = (id: string): readonly FieldViolation[] => {
  if (ENDPOINT_ID.test(id)) return [];
  const description = id === '' ? `is required; it ${ENDPOINT_ID_RULE}` : `"${id}" ${ENDPOINT_ID_RULE}`;
  return [{field: 'endpointId', description}];
};

const NETWORK_NAME = '[A-Za-z0-9]([A-Za-z0-9._-]{0,126}[A-Za-z0-9])?';
/** A bare name, or anything that ends in `networks/NAME`: `global/networks/n`, `projects/p/global/networks/n`, a compute URL. */
const NETWORK = new RegExp(`^([^\\s?#]*/)?networks/${NETWORK_NAME}$|^${NETWORK_NAME}$`);

/** Ref: requirements I-026, I-027. */
const validateNetwork = (network: string | undefined): readonly string[] => {
  if (network === undefined || network === '') return ['is required: the network whose traffic is inspected'];
  if (network.length > NETWORK_LENGTH_MAX) return [`is longer than ${NETWORK_LENGTH_MAX} characters`];
  if (NETWORK.test(network)) return [];
  return [`"${network}" is not a network: use a name, projects/PROJECT/global/networks/NAME, or the URL of one`];
};

/** Ref: requirements I-028 to I-030, I-044. */
const validateSeverity = (severity: string | undefined): readonly string[] =>
  severity === undefined || severity === 'SEVERITY_UNSPECIFIED'
    ? ['is required: INFORMATIONAL, LOW, MEDIUM, HIGH or CRITICAL']
    : [];

const LABEL_KEY = /^[a-z][a-z0-9_-]{0,62}$/;

const validateLabels = (labels: Readonly<Record<string, string>> = {}): readonly string[] => {
  const faults: string[] = [];
  const entries = Object.entries(labels);
  if (entries.length > LABELS_MAX) faults.push(`${entries.length} labels; at most ${LABELS_MAX} are allowed`);
  for (const [key, value] of entries) {
    if (!LABEL_KEY.test(key))
      faults.push(
        `key "${key}" must start with a lowercase letter, followed by up to 62 lowercase letters, digits, hyphens or underscores`,
      );
    if ([...value].length > LABEL_VALUE_LENGTH_MAX)
      faults.push(`the value of "${key}" is longer than ${LABEL_VALUE_LENGTH_MAX} characters`);
  }
  return faults;
};

/** Ref: requirements I-041. */
const validateExceptions = (exceptions: readonly string[] = []): readonly string[] => {
  const faults: string[] = [];
  const distinct = new Set(exceptions);
  if (distinct.size > THREAT_EXCEPTIONS_MAX)
    faults.push(`${distinct.size} threat exceptions; at most ${THREAT_EXCEPTIONS_MAX} are allowed`);
  for (const [i, exception] of exceptions.entries()) {
    if (exception.trim() === '') faults.push(`element ${i} is empty; an exception is a threat id such as 1:2019401`);
    else if (exception.length > THREAT_EXCEPTION_LENGTH_MAX)
      faults.push(`element ${i} is longer than ${THREAT_EXCEPTION_LENGTH_MAX} characters`);
  }
  return faults;
};

const validateDescription = (description = ''): readonly string[] =>
  description.length > DESCRIPTION_LENGTH_MAX ? [`is longer than ${DESCRIPTION_LENGTH_MAX} characters`] : [];

const RULES: Readonly<Record<EndpointField, (input: EndpointInput) => readonly string[]>> = {
  network: input => validateNetwork(input.network),
  severity: input => validateSeverity(input.severity),
  description: input => validateDescription(input.description),
  labels: input => validateLabels(input.labels),
  trafficLogs: () => [],
  threatExceptions: input => validateExceptions(input.threatExceptions),
};

/** Violations of the named fields. */
export const validateEndpoint = (input: EndpointInput, fields: readonly EndpointField[]): readonly FieldViolation[] =>
  fields.flatMap(field => RULES[field](input).map(description => ({field: `endpoint.${field}`, description})));

/** A valid input with its defaults; duplicate exceptions dropped, their order kept. Ref: requirements I-041, I-043. */
export const toSpec = (input: EndpointInput): EndpointSpec => ({
  network: input.network ?? '',
  severity: (input.severity ?? 'SEVERITY_UNSPECIFIED') as Severity,
  description: input.description ?? '',
  labels: {...input.labels},
  trafficLogs: input.trafficLogs ?? false,
  threatExceptions: [...new Set(input.threatExceptions)],
});
