// SPDX-License-Identifier: Apache-2.0
/**
 * Decodes an Endpoint from JSON by the rules of proto3 JSON: camelCase and snake_case names, null = default, enums by name or
 * number, unknown fields refused. Output-only fields are ignored whatever they hold. All faults are returned, none is thrown.
 */
import {SEVERITY_NAMES, type SeverityName} from './endpoint.ts';
import type {FieldViolation} from './rpc-status.ts';

/** What the client sent; undefined = absent or null. */
export type EndpointInput = {
  readonly network?: string | undefined;
  readonly severity?: SeverityName | undefined;
  readonly description?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly trafficLogs?: boolean | undefined;
  readonly threatExceptions?: readonly string[] | undefined;
};
export type EndpointField = keyof EndpointInput;

export const INPUT_FIELDS: readonly EndpointField[] = [
  'network',
  'severity',
  'description',
  'labels',
  'trafficLogs',
  'threatExceptions',
];
export const OUTPUT_ONLY_FIELDS: readonly string[] = [
  'name',
  'createTime',
  'updateTime',
  'endpointForwardingRule',
  'endpointIp',
  'state',
  'satisfiesPzs',
  'satisfiesPzi',
];

export const toSnakeCase = (camel: string): string => camel.replace(/[A-Z]/g, c => `_${c.toLowerCase()}`);

/** camelCase name of a field of the message, from either form; undefined: the message has no such field. */
export const endpointFieldName = (text: string): string | undefined => FIELD_NAMES.get(text);

const FIELD_NAMES: ReadonlyMap<string, string> = new Map(
  [...INPUT_FIELDS, ...OUTPUT_ONLY_FIELDS].flatMap(name => [
    [name, name],
    [toSnakeCase(name), name],
  ]),
);

type Read = (value: unknown) => {readonly value: unknown} | {readonly fault: string};

const kindOf = (value: unknown): string =>
  Array.isArray(value)
    ? 'a list'
    : value === null
      ? 'null'
      : typeof value === 'object'
        ? 'an object'
        : `a ${typeof value}`;

const readString: Read = value =>
  typeof value === 'string' ? {value} : {fault: `must be a string, not ${kindOf(value)}`};
const readBoolean: Read = value =>
  typeof value === 'boolean' ? {value} : {fault: `must be true or false, not ${kindOf(value)}`};

const readSeverity: Read = value => {
  if (typeof value === 'string') {
    return (SEVERITY_NAMES as readonly string[]).includes(value)
      ? {value}
      : {fault: `"${value}" is not one of ${SEVERITY_NAMES.slice(1).join(', ')}`};
  }
  if (typeof value !== 'number') return {fault: `must be the name or number of a severity, not ${kindOf(value)}`};
  const name = SEVERITY_NAMES[value];
  return name === undefined ? {fault: `${value} is not the number of a severity (0 to 5)`} : {value: name};
};

const readLabels: Read = value => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return {fault: `must be an object of strings, not ${kindOf(value)}`};
  const wrong = Object.entries(value).find(([, v]) => typeof v !== 'string');
  return wrong === undefined
    ? {value}
    : {fault: `the value of "${wrong[0]}" must be a string, not ${kindOf(wrong[1])}`};
};

const readStrings: Read = value => {
  if (!Array.isArray(value)) return {fault: `must be a list of strings, not ${kindOf(value)}`};
  const wrong = value.findIndex(v => typeof v !== 'string');
  return wrong === -1 ? {value} : {fault: `element ${wrong} must be a string, not ${kindOf(value[wrong])}`};
};

const READERS: Readonly<Record<EndpointField, Read>> = {
  network: readString,
  severity: readSeverity,
  description: readString,
  labels: readLabels,
  trafficLogs: readBoolean,
  threatExceptions: readStrings,
};

/** `prefix` goes before each violation's field, for example `endpoint`. */
export const decodeEndpointInput = (
  json: unknown,
  prefix = 'endpoint',
): {readonly input: EndpointInput; readonly violations: readonly FieldViolation[]} => {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    const description = `the request body must be a JSON object, not ${kindOf(json)}`;
    return {input: {}, violations: [{field: prefix, description}]};
  }
  const violations: FieldViolation[] = [];
  const input: Record<string, unknown> = {};
  const seen = new Set<string>();
  for (const [key, value] of Object.entries(json)) {
    const name = endpointFieldName(key);
    if (name === undefined) {
      violations.push({field: `${prefix}.${key}`, description: `Unknown name "${key}": Cannot find field.`});
      continue;
    }
    if (seen.has(name))
      violations.push({field: `${prefix}.${name}`, description: `"${name}" is there twice, in both spellings`});
    seen.add(name);
    const read = READERS[name as EndpointField] as Read | undefined;
    if (read === undefined || value === null) continue;
    const result = read(value);
    if ('fault' in result) violations.push({field: `${prefix}.${name}`, description: result.fault});
    else input[name] = result.value;
  }
  return {input, violations};
};
