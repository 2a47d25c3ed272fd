// SPDX-License-Identifier: Apache-2.0
/**
 * Whether the server has the location of an endpoint that is to be made there: asked in a preview, and before an original is deleted
 * for its replacement. Whatever keeps this from being found out (no server named or reachable, no permission, a server that does not
 * tell its locations) is no fault here: the deployment tells it.
 */
import {type Clock, type IdsClient, isIdsError, TransportError} from '@palisade/client';
import {withDeadline} from '../deadline.ts';
import {stringAt} from '../property-access.ts';
import {ProviderError} from '../provider.ts';
import type {PropertyMap} from '../value.ts';
import {parentOf} from './ids-endpoint-inputs.ts';

const LOOK_TIMEOUT_MS = 5_000;
const PAGE_SIZE = 1_000; // the most that the server gives at once
const SHOWN_MAX = 10;

export type LocationLook = {readonly client: () => IdsClient; readonly clock: Clock; readonly signal: AbortSignal};

/** True when the endpoint of `news` is at another place than that of `oldInputs`. */
export const isMoved = (oldInputs: PropertyMap, news: PropertyMap): boolean => parentOf(oldInputs) !== parentOf(news);

/** Throws `invalid-argument` when the server is known not to have the location; with project or location unknown it asks nobody. */
export async function assertLocation(inputs: PropertyMap, look: LocationLook): Promise<void> {
  const location = stringAt(inputs, 'location');
  const project = stringAt(inputs, 'project');
  if (location === undefined || project === undefined) return;
  const others = await locationsInstead(parentOf(inputs), project, look);
  if (others.length === 0 || others.includes(location)) return;
  const shown = others.slice(0, SHOWN_MAX).join(', ');
  const more = others.length > SHOWN_MAX ? ` and ${others.length - SHOWN_MAX} more` : '';
  const message = `location: invalid value ${JSON.stringify(location)}: the server ${look.client().server} has the locations ${shown}${more}`;
  throw new ProviderError('invalid-argument', message);
}

/** The locations that there are when `name` is none of them; empty when it is one, or nobody can tell. */
async function locationsInstead(
  name: string,
  project: string,
  {client, clock, signal: parent}: LocationLook,
): Promise<string[]> {
  const what = 'the lookup of the location';
  try {
    return await withDeadline({clock, timeoutMs: LOOK_TIMEOUT_MS, parent, what}, async signal => {
      if (await hasLocation(client(), name, signal)) return [];
      return await allLocations(client(), `projects/${project}`, signal);
    });
  } catch (error) {
    if (cannotTell(error)) return [];
    throw error;
  }
}

/** Of every page; `signal` also ends a list without end. */
async function allLocations(client: IdsClient, project: string, signal: AbortSignal): Promise<string[]> {
  const ids: string[] = [];
  for (let pageToken = ''; ; ) {
    const page = await client.listLocations(project, {pageSize: PAGE_SIZE, pageToken: pageToken || undefined, signal});
    ids.push(...(page.locations ?? []).flatMap(({locationId}) => locationId ?? []));
    pageToken = page.nextPageToken ?? '';
    if (pageToken === '') return ids;
  }
}

const cannotTell = (error: unknown): boolean =>
  isIdsError(error) || error instanceof TransportError || error instanceof ProviderError || isAbort(error);

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/** Asked by its name: a list may leave out locations that can be used. */
async function hasLocation(client: IdsClient, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.getLocation(name, {signal});
    return true;
  } catch (error) {
    if (isIdsError(error, 'NOT_FOUND')) return false;
    throw error;
  }
}
