// SPDX-License-Identifier: Apache-2.0
/** `projects/P/locations/L/endpoints/E/threats/ID` and its parts. */
import {isIdsError} from '@palisade/client/browser';

export type RecordName = {
  readonly name: string;
  /** Full resource name of the IDS endpoint. */
  readonly endpoint: string;
  readonly id: string;
  readonly project: string;
  readonly location: string;
  readonly endpointId: string;
};

const NAME = /^(projects\/([^/?#\s]+)\/locations\/([^/?#\s]+)\/endpoints\/([^/?#\s]+))\/threats\/([^/?#\s]+)$/;

/** Undefined if the text is not the full resource name of one threat; no part may be `-`. */
export function parseRecordName(name: string): RecordName | undefined {
  const [, endpoint = '', project = '', location = '', endpointId = '', id = ''] = NAME.exec(name) ?? [];
  if (endpoint === '' || [project, location, endpointId, id].includes('-')) return undefined;
  return {name, endpoint, id, project, location, endpointId};
}

/** Whether a failure says that no threat has the name: none is stored, or the id cannot be one. */
export const isNoThreat = (error: unknown): boolean =>
  isIdsError(error, 'NOT_FOUND') ||
  (isIdsError(error, 'INVALID_ARGUMENT') && error.violations.some(({field}) => field === 'id'));
