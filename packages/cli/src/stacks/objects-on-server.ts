// SPDX-License-Identifier: Apache-2.0
import type {ManagedObject} from '@palisade/engine';
import {isPropertyMap, type PropertyMap, revealProperties} from '@palisade/provider';

/** How long a server on this machine may take to answer. */
const ANSWER_MS_MAX = 5_000;

type Identified = Pick<ManagedObject, 'type' | 'id' | 'outputs'>;

/** How a server knows an object of a type: under which path, and which value another one of the same name does not share. */
type Lookup = {
  readonly path: (id: readonly string[]) => string;
  readonly identity: (object: PropertyMap) => unknown;
};

const LOOKUPS: Readonly<Record<string, Lookup>> = {
  'platform:core/v1:Endpoints': {
    path: ([namespace, name]) => `/api/v1/namespaces/${namespace}/endpoints/${name}`,
    identity: ({metadata}) => (isPropertyMap(metadata) ? metadata['uid'] : undefined),
  },
  'cloudnative:intrusion/v1:Endpoint': {
    path: id => `/v1/${id.join('/')}`,
    identity: ({createTime}) => createTime,
  },
};

/**
 * False: a server that needs no token has none of the objects, or others of their names. Objects are asked for one by one, as
 * usually the first exists. When the server does not answer, or an object is of another type, it counts as existing.
 */
export async function hasAnyOf(
  http: string,
  objects: readonly Identified[],
  {answerMsMax = ANSWER_MS_MAX}: {readonly answerMsMax?: number} = {},
): Promise<boolean> {
  for (const object of objects) if (await has(http, object, answerMsMax)) return true;
  return objects.length === 0;
}

async function has(http: string, {type, id, outputs}: Identified, answerMsMax: number): Promise<boolean> {
  const lookup = LOOKUPS[type];
  if (lookup === undefined) return true;
  const url = http + lookup.path(id.split('/').map(encodeURIComponent));
  try {
    const response = await fetch(url, {signal: AbortSignal.timeout(answerMsMax)});
    const text = await response.text();
    if (!response.ok) return response.status !== 404;
    const known = lookup.identity(revealProperties(outputs));
    return known === undefined || known === lookup.identity(JSON.parse(text));
  } catch {
    return true;
  }
}
