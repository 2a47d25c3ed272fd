// SPDX-License-Identifier: Apache-2.0
/** The record that an ID of a command line means: on the endpoint given, or on any one, which needs the right to all. */
import type {IdsClient} from '@palisade/client';
import {timeOfRecordId} from '@palisade/ids-wire';
import {CommandError, UsageError} from '../command-line/io.ts';
import {EVERYWHERE, resolveEndpoint} from '../connection/connection.ts';

const PAGE = 500;
const LIST_HINT = 'palisade threats lists IDs (column ID, "id" with --json)';

/** `endpoint`: full resource name. */
export type ThreatPlace = {readonly endpoint: string; readonly id: string};

/** A full name, as receivers of exported records have it: `projects/…/endpoints/E/threats/ID`. Undefined: it is not such a name. */
export const placeOfName = (text: string): ThreatPlace | undefined => {
  const [, endpoint = '', id = ''] =
    /^(projects\/[^/]+\/locations\/[^/]+\/endpoints\/[^/]+)\/threats\/([^/]+)$/.exec(text) ?? [];
  return id === '' ? undefined : {endpoint, id};
};

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** Endpoints with a record of this id; the time in the id says where to look. */
const holdersOf = async (client: IdsClient, name: string, id: string, micros: number): Promise<string[]> => {
  const ms = Math.floor(micros / 1000);
  const query = {since: isoOf(ms), until: isoOf(ms + 1), pageSize: PAGE};
  const found: string[] = [];
  for (let pageToken = ''; ; ) {
    const page = await client.listRecords(name, 'threats', pageToken === '' ? query : {...query, pageToken});
    for (const record of page.records) if (record.id === id) found.push(record.endpoint);
    pageToken = page.nextPageToken;
    if (pageToken === '') return found;
  }
};

/** Throws UsageError for what is no ID, CommandError when no record has it, or several have. */
export const findThreat = async (
  client: IdsClient,
  id: string | undefined,
  endpoint: string | undefined,
): Promise<ThreatPlace> => {
  if (id === undefined) throw new UsageError(`the ID of a threat is required; ${LIST_HINT}`);
  const place = placeOfName(id);
  if (place !== undefined && endpoint !== undefined)
    throw new UsageError(`"${id}" names its endpoint: leave --endpoint out`);
  if (place !== undefined && timeOfRecordId(place.id) !== undefined) return place;
  const micros = timeOfRecordId(id);
  if (micros === undefined) throw new UsageError(`"${id}": not the ID of a threat record; ${LIST_HINT}`);
  const name =
    endpoint === undefined ? `${EVERYWHERE}/endpoints/-` : await resolveEndpoint(client, endpoint, {mayBeGone: true});
  if (!name.split('/').includes('-')) return {endpoint: name, id};
  const [only, ...others] = await holdersOf(client, name, id, micros);
  if (only === undefined)
    throw new CommandError(`no threat record has the ID ${id}: it may have been deleted to make room; ${LIST_HINT}`);
  if (others.length > 0)
    throw new CommandError(
      `several endpoints have a record ${id}; give --endpoint, one of\n  ${[only, ...others].join('\n  ')}`,
    );
  return {endpoint: only, id};
};
