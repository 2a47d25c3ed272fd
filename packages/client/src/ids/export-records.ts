// SPDX-License-Identifier: Apache-2.0
/** All records that match, as a file: CSV or NDJSON, streamed by the server, oldest first. */
import {resourcePath} from './resource-path.ts';

export type ExportOptions = {
  readonly format: 'csv' | 'ndjson';
  readonly filter?: string | undefined;
  /** RFC 3339: records from then on, and before then. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
};

/**
 * Path and query of the export, below the server's address: what a browser opens as a download, so that any number of records goes to disk
 * and not into memory. `name`: of an endpoint, whose parts may be `-`.
 */
export const exportPath = (name: string, kind: 'threats' | 'traffic', options: ExportOptions): string => {
  const {format, filter, since, until} = options;
  const query = new URLSearchParams({format});
  for (const [key, value] of Object.entries({filter, since, until}))
    if (value !== undefined && value !== '') query.set(key, value);
  return `${resourcePath(`${name}/${kind}`)}?${query}`;
};
