// SPDX-License-Identifier: Apache-2.0
/** A threat by its id, of an endpoint or of all that a name with `-` stands for. */
import {type EndpointName, formatIdsEndpointName, resourceInfoDetail, WILDCARD} from '@palisade/ids-wire';
import {matchingRecords} from '../records/list-records.ts';
import {timeOfId} from '../records/record-id.ts';
import type {RecordStore, StoredRecord} from '../records/record-store.ts';
import {invalidArgument, RpcError} from '../rpc-error.ts';

const THREAT_TYPE = 'ids.googleapis.com/Threat';

export const threatNotFound = (endpoint: string, id: string): RpcError =>
  new RpcError(
    'NOT_FOUND',
    `Resource '${endpoint}/threats/${id}' was not found: the id is wrong, or the record was dropped by retention`,
    [resourceInfoDetail(THREAT_TYPE, `${endpoint}/threats/${id}`)],
  );

/** Throws NOT_FOUND, and INVALID_ARGUMENT where several endpoints have a threat of this id. */
export const findThreat = async (records: RecordStore, name: EndpointName, id: string): Promise<StoredRecord> => {
  const text = formatIdsEndpointName(name);
  const found = [name.project, name.location, name.endpointId].includes(WILDCARD)
    ? await ofSeveral(records, name, id)
    : [await records.get('threats', text, id)];
  const [threat] = found;
  if (threat === undefined) throw threatNotFound(text, id);
  if (found.length === 1) return threat;
  const endpoints = found.map(stored => stored?.endpoint).join(', ');
  throw invalidArgument([
    {field: 'name', description: `several endpoints have a threat ${id}; name one of ${endpoints}`},
  ]);
};

/** An id has the time of its record. */
const ofSeveral = async (records: RecordStore, name: EndpointName, id: string): Promise<StoredRecord[]> => {
  const micros = timeOfId(id);
  if (micros === undefined) return [];
  const sinceMs = Math.floor(micros / 1000);
  const found: StoredRecord[] = [];
  const selection = {kind: 'threats', name, filter: '', sinceMs, untilMs: sinceMs + 1} as const;
  for await (const page of matchingRecords(records, selection)) found.push(...page.filter(stored => stored.id === id));
  return found;
};
