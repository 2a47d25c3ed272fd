// SPDX-License-Identifier: Apache-2.0
/** Looks through the objects of every served kind, metadata only, page by page, and keeps those that are asked for. */
import {apiVersionOf, type KubeClient} from '../kube-client.ts';
import {isKubeError} from '../kube-error.ts';
import {listAll} from '../list-all.ts';
import type {ObjectMeta} from '../objects.ts';
import {resourceName, type Served, type ServedKind} from '../served-kinds.ts';

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
  /** What could not be looked through and may hold such objects. */
  readonly unseen: readonly Unseen[];
};
/** `what`: `roles.rbac.authorization.k8s.io`, or words for kinds that are not known. */
export type Unseen = {readonly what: string; readonly why: string};

const FORBIDDEN = 403;
/** There are no such objects, or nobody can list them: the server's controllers do not see any either. Anything else ends the walk. */
const NONE: ReadonlySet<number> = new Set([404, 405]);

/**
 * The server's controllers wait only for what they can delete, and what nobody can create is never there.
 * Ref: kubernetes v1.36 garbagecollector.go GetDeletableResources.
 */
const canHold = ({verbs}: ServedKind): boolean => ['list', 'delete', 'create'].every(verb => verbs.includes(verb));

/** The same objects as `events`, under another group. Ref: kubernetes v1.36 pkg/registry/events/rest. */
const SECOND_VIEW = 'events.events.k8s.io';

async function* allMetadata(client: KubeClient, kind: ServedKind, namespace: string): AsyncGenerator<ObjectMeta> {
  for await (const {metadata} of listAll(client.resource(kind), namespace, {metadataOnly: true}))
    if (metadata !== undefined) yield metadata;
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

/** `namespace` '': every namespace, and the kinds without one. Kinds that hold nothing (reviews, what is only read) are left out. */
export const findObjects = async (
  client: KubeClient,
  served: Served,
  namespace: string,
  wanted: (metadata: ObjectMeta) => boolean,
): Promise<Found> => {
  const objects: FoundObject[] = [];
  const unseen: Unseen[] = [...served.unread];
  let count = 0;
  for (const kind of served.kinds) {
    if (!canHold(kind) || resourceName(kind) === SECOND_VIEW || (namespace !== '' && !kind.namespaced)) continue;
    try {
      for await (const metadata of allMetadata(client, kind, namespace)) {
        if (!wanted(metadata)) continue;
        count += 1;
        if (objects.length < NAMED_MAX) objects.push(toFound(kind, metadata));
      }
    } catch (error) {
      const code = isKubeError(error) ? error.status.code : 0;
      if (code === FORBIDDEN) unseen.push({what: resourceName(kind), why: (error as Error).message});
      else if (!NONE.has(code)) throw error;
    }
  }
  return {objects, count, unseen};
};

/** One line for a reader: `endpoints/web in namespace shop, finalizers a b, being deleted`. */
export const objectText = ({resource, namespace, name, finalizers, deleted}: FoundObject): string =>
  [
    `${resource}/${name}${namespace === '' ? '' : ` in namespace ${namespace}`}`,
    ...(finalizers.length === 0 ? [] : [`finalizers ${finalizers.join(' ')}`]),
    ...(deleted ? ['being deleted'] : []),
  ].join(', ');
