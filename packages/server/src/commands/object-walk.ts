// SPDX-License-Identifier: Apache-2.0
/** Looks through the objects of every served kind, metadata only, page by page, and keeps those that are asked for. */
import {apiVersionOf, isKubeError, type KubeClient, type ObjectMeta} from '@palisade/client';
import {resourceName, type Served, type ServedKind} from './served-kinds.ts';

const PAGE = 500;
/** How many objects are named; the others are counted. */
export const NAMED_MAX = 100;

/** One object in the way of a deletion. */
export type FoundObject = {
  /** `endpoints`, `roles.rbac.authorization.k8s.io`. */
  readonly resource: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** '' for kinds without one. */
  readonly namespace: string;
  readonly name: string;
  readonly finalizers: readonly string[];
  readonly deleted: boolean;
};
export type Found = {
  /** At most NAMED_MAX. */
  readonly objects: readonly FoundObject[];
  readonly count: number;
  /** `resource: why` of kinds that could not be looked through. */
  readonly unseen: readonly string[];
};

/** Statuses that say that this kind is not for us to list; anything else ends the walk. */
const NOT_FOR_US: ReadonlySet<number> = new Set([403, 404, 405]);

async function* allMetadata(client: KubeClient, kind: ServedKind, namespace: string): AsyncGenerator<ObjectMeta> {
  for (let token = ''; ; ) {
    const page = await client
      .resource(kind)
      .list(namespace, {limit: PAGE, metadataOnly: true, ...(token === '' ? {} : {continue: token})});
    const items = page.items as typeof page.items | null; // Go writes an empty list of this kind so
    for (const {metadata} of items ?? []) if (metadata !== undefined) yield metadata;
    token = page.metadata?.continue ?? '';
    if (token === '') return;
  }
}

const toFound = (kind: ServedKind, metadata: ObjectMeta): FoundObject => ({
  resource: resourceName(kind),
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  finalizers: metadata.finalizers ?? [],
  deleted: metadata.deletionTimestamp != null,
});

/** `namespace` '': every namespace, and the kinds without one. Kinds that cannot be listed (reviews) hold nothing. */
export const findObjects = async (
  client: KubeClient,
  served: Served,
  namespace: string,
  wanted: (metadata: ObjectMeta) => boolean,
): Promise<Found> => {
  const objects: FoundObject[] = [];
  const unseen: string[] = [...served.unread];
  let count = 0;
  for (const kind of served.kinds) {
    if (!kind.verbs.includes('list') || (namespace !== '' && !kind.namespaced)) continue;
    try {
      for await (const metadata of allMetadata(client, kind, namespace)) {
        if (!wanted(metadata)) continue;
        count += 1;
        if (objects.length < NAMED_MAX) objects.push(toFound(kind, metadata));
      }
    } catch (error) {
      if (!isKubeError(error) || !NOT_FOR_US.has(error.status.code)) throw error;
      unseen.push(`${resourceName(kind)}: ${error.message}`);
    }
  }
  return {objects, count, unseen};
};

/** One line for a reader. */
export const objectText = ({resource, namespace, name, finalizers, deleted}: FoundObject): string =>
  [
    `${resource}/${name}${namespace === '' ? '' : ` in namespace ${namespace}`}`,
    finalizers.length === 0 ? 'no finalizers' : `finalizers ${finalizers.join(' ')}`,
    deleted ? 'being deleted' : 'not deleted',
  ].join(', ');
