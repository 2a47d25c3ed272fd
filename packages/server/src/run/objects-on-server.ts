// SPDX-License-Identifier: Apache-2.0
import type {ManagedObject} from '@palisade/engine';

const ANSWER_MS_MAX = 5_000;

type Identified = Pick<ManagedObject, 'type' | 'id'>;

/** Where a server has an object, by the id that a stack knows it by. */
const PATHS: Readonly<Record<string, (id: readonly string[]) => string>> = {
  'platform:core/v1:Endpoints': ([namespace, name]) => `/api/v1/namespaces/${namespace}/endpoints/${name}`,
  'cloudnative:intrusion/v1:Endpoint': id => `/v1/${id.join('/')}`,
};

const pathOf = ({type, id}: Identified): string | undefined => PATHS[type]?.(id.split('/').map(encodeURIComponent));

/**
 * False: a server that needs no token has none of the objects. One after the other is asked for, as the first is there as a rule. What
 * cannot be told, since the server does not answer or an object is of another type, counts as there.
 */
export async function hasAnyOf(http: string, objects: readonly Identified[]): Promise<boolean> {
  for (const object of objects) {
    const path = pathOf(object);
    if (path === undefined) return true;
    const status = await fetch(http + path, {signal: AbortSignal.timeout(ANSWER_MS_MAX)}).then(
      async response => {
        await response.body?.cancel();
        return response.status;
      },
      () => undefined,
    );
    if (status !== 404) return true;
  }
  return objects.length === 0;
}
