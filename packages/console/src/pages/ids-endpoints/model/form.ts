// SPDX-License-Identifier: Apache-2.0
/** What people type for an endpoint, as the API takes it, and which field a fault of the API belongs to. */
import {type FieldViolation, type IdsEndpoint, type IdsSeverity, isIdsError} from '@palisade/client/browser';
import {errorText} from '../../../api/words.ts';

export type Draft = {
  readonly project: string;
  readonly location: string;
  readonly id: string;
  readonly network: string;
  readonly severity: string;
  readonly description: string;
  /** `key=value`, one a line. */
  readonly labels: string;
  /** `gid:sid`, one a line or separated by commas. */
  readonly threatExceptions: string;
  readonly trafficLogs: boolean;
};

/** `key=value` lines; a line without `=` has an empty value. The last one of a key counts, as in JSON. */
export const parseLabels = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .map(line => line.trim())
      .filter(line => line !== '')
      .map(line => {
        const at = line.indexOf('=');
        return at === -1 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      }),
  );

export const labelsText = (labels: Readonly<Record<string, string>> | undefined): string =>
  Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join('\n');

/** Each once, in the order typed. */
export const parseExceptions = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))];

export const parentOf = ({project, location}: Pick<Draft, 'project' | 'location'>): string =>
  `projects/${project.trim()}/locations/${location.trim()}`;

export function toEndpoint(draft: Draft): IdsEndpoint {
  const exceptions = parseExceptions(draft.threatExceptions);
  const labels = parseLabels(draft.labels);
  return {
    network: draft.network.trim(),
    severity: draft.severity as IdsSeverity,
    ...(draft.description.trim() === '' ? {} : {description: draft.description.trim()}),
    ...(Object.keys(labels).length === 0 ? {} : {labels}),
    ...(exceptions.length === 0 ? {} : {threatExceptions: exceptions}),
    ...(draft.trafficLogs ? {trafficLogs: true} : {}),
  };
}

export type DraftFaults = Readonly<Partial<Record<keyof Draft, string>>> & {/** Of no field. */ readonly rest?: string};

/** Names of the API and of its resource parts, as they begin a violation's field. */
const FIELDS: readonly (readonly [prefix: RegExp, field: keyof Draft])[] = [
  [/^endpoint_?id/i, 'id'],
  [/^endpoint\.network/, 'network'],
  [/^endpoint\.severity/, 'severity'],
  [/^endpoint\.description/, 'description'],
  [/^endpoint\.labels/, 'labels'],
  [/^endpoint\.(threatExceptions|threat_exceptions)/, 'threatExceptions'],
  [/^endpoint\.(trafficLogs|traffic_logs)/, 'trafficLogs'],
];

const fieldOf = ({field, description}: FieldViolation): keyof Draft | undefined =>
  field === 'parent'
    ? /location/i.test(description)
      ? 'location'
      : 'project'
    : FIELDS.find(([prefix]) => prefix.test(field))?.[1];

/** All faults of a refused request, each at its field, in the server's words. */
export function faultsOf(error: unknown): DraftFaults {
  if (!isIdsError(error) || error.violations.length === 0) return {rest: errorText(error)};
  const faults: Partial<Record<keyof Draft | 'rest', string>> = {};
  for (const violation of error.violations) {
    const field = fieldOf(violation) ?? 'rest';
    const text = field === 'rest' ? `${violation.field}: ${violation.description}` : violation.description;
    faults[field] = [faults[field], text].filter(Boolean).join('\n');
  }
  return faults;
}
