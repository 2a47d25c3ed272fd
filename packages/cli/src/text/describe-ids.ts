// SPDX-License-Identifier: Apache-2.0
/** `palisade describe NAME`: an IDS endpoint with its health in words. */
import type {EndpointHealth, IdsEndpoint} from '@palisade/client';

const scalar = (value: unknown): string =>
  Array.isArray(value)
    ? value.length === 0
      ? '-'
      : value.map(scalar).join(', ')
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
          .map(([k, v]) => `${k} ${scalar(v)}`)
          .join(', ')
      : String(value);

const isSentence = (value: unknown): boolean => typeof value === 'string' && value.includes(' ');

/** One row a member; of a list of sentences, one line each. */
export const endpointText = (endpoint: IdsEndpoint, health: EndpointHealth): string => {
  const rows = [...Object.entries(endpoint), ...Object.entries(health).map(([k, v]) => [`health.${k}`, v] as const)];
  const width = Math.max(...rows.map(([k]) => k.length)) + 2;
  const lineEnd = `\n${' '.repeat(width)} `;
  const cell = (value: unknown): string =>
    Array.isArray(value) && value.some(isSentence) ? value.map(scalar).join(lineEnd) : scalar(value);
  return rows.map(([k, v]) => `${`${k}:`.padEnd(width)} ${cell(v)}\n`).join('');
};
