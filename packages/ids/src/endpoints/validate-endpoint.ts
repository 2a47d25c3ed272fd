// SPDX-License-Identifier: Apache-2.0
/** The rules of an endpoint's fields. Each returns all violations; the codec has already checked types. */
import {
  descriptionFaults,
  ENDPOINT_ID,
  ENDPOINT_ID_RULE,
  type EndpointField,
  type EndpointInput,
  type EndpointSpec,
  exceptionFaults,
  type FieldViolation,
  labelFaults,
  networkFaults,
  type RuleFault,
  type Severity,
} from '@palisade/ids-wire';

/** Ref: requirements I-020 to I-025. */
export const validateEndpointId = (id: string): readonly FieldViolation[] => {
  if (ENDPOINT_ID.test(id)) return [];
  const description = id === '' ? `is required; it ${ENDPOINT_ID_RULE}` : `"${id}" ${ENDPOINT_ID_RULE}`;
  return [{field: 'endpointId', description}];
};

/** Ref: requirements I-026, I-027. */
const validateNetwork = (network: string | undefined): readonly RuleFault[] =>
  network === undefined || network === ''
    ? [{reason: 'is required: the network whose traffic is inspected'}]
    : networkFaults(network);

/** Ref: requirements I-028 to I-030, I-044. */
const validateSeverity = (severity: string | undefined): readonly RuleFault[] =>
  severity === undefined || severity === 'SEVERITY_UNSPECIFIED'
    ? [{reason: 'is required: INFORMATIONAL, LOW, MEDIUM, HIGH or CRITICAL'}]
    : [];

const RULES: Readonly<Record<EndpointField, (input: EndpointInput) => readonly RuleFault[]>> = {
  network: input => validateNetwork(input.network),
  severity: input => validateSeverity(input.severity),
  description: input => descriptionFaults(input.description ?? ''),
  labels: input => labelFaults(input.labels ?? {}),
  trafficLogs: () => [],
  threatExceptions: input => exceptionFaults(input.threatExceptions ?? []),
};

const describe = ({at, reason}: RuleFault): string => {
  if (at === undefined) return reason;
  return typeof at === 'number' ? `element ${at} ${reason}` : `${JSON.stringify(at)}: ${reason}`;
};

/** Violations of the named fields. */
export const validateEndpoint = (input: EndpointInput, fields: readonly EndpointField[]): readonly FieldViolation[] =>
  fields.flatMap(field =>
    RULES[field](input).map(fault => ({field: `endpoint.${field}`, description: describe(fault)})),
  );

/** A valid input with its defaults; duplicate exceptions dropped, their order kept. Ref: requirements I-041, I-043. */
export const toSpec = (input: EndpointInput): EndpointSpec => ({
  network: input.network ?? '',
  severity: (input.severity ?? 'SEVERITY_UNSPECIFIED') as Severity,
  description: input.description ?? '',
  labels: {...input.labels},
  trafficLogs: input.trafficLogs ?? false,
  threatExceptions: [...new Set(input.threatExceptions)],
});
