// SPDX-License-Identifier: Apache-2.0
/** What blocks the deletion of an object. Ref: requirements E-126, E-193, E-198, E-233; apimachinery finalizers. */
import {apiVersionOf, type KubeClient} from '../kube-client.ts';
import type {KubeObject, ObjectMeta, OwnerReference} from '../objects.ts';
import {isKindOfReference, isNamespace, resourceName, type ServedKind} from '../served-kinds.ts';
import type {DeletionTarget, Held, Holder} from './deletion.ts';
import {type Found, type FoundObject, findObjects, type Unseen} from './object-walk.ts';
import {unseenContent} from './unseen-content.ts';

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';
/** The server's own hold on a namespace. */
const KUBERNETES = 'kubernetes';

const objectsOf = ({objects, count}: Found) => ({
  objects,
  ...(count > objects.length ? {more: count - objects.length} : {}),
});
const unseenText = (unseen: readonly Unseen[]): string =>
  unseen.length === 0 ? '' : `; not checked: ${unseen.map(({what, why}) => `${what}: ${why}`).join('; ')}`;

const namespaceFlag = (namespace: string, {word}: DeletionTarget): string =>
  namespace === '' ? '' : ` --namespace ${word(namespace)}`;

const askAbout = ({resource, name, namespace}: FoundObject, target: DeletionTarget): string =>
  `palisade why-not-deleted ${target.word(`${resource}/${name}`)}${namespaceFlag(namespace, target)}${target.connection}`;

/** Those that the garbage collector does not look at. Ref: kubernetes v1.36 garbagecollector/graph_builder.go ignoredResources. */
const IGNORED: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io']);
const isCollected = (kind: ServedKind): boolean => !IGNORED.has(resourceName(kind));

type Dependents = Found & {
  /** Those that have its uid and another name, kind or namespace: they block it with --compat kubernetes only. */
  readonly misnamed: number;
};

/** Those in its namespace, or if there are none, in all the others. */
const dependentsOf = async (
  client: KubeClient,
  target: DeletionTarget,
  uid: string,
  blockingOnly: boolean,
): Promise<Dependents> => {
  const {served, namespace} = target;
  const collected = {...served, kinds: served.kinds.filter(isCollected)};
  let misnamed = 0;
  const isWanted = (metadata: ObjectMeta): boolean => {
    const references = (metadata.ownerReferences ?? []).filter(
      owner => owner.uid === uid && (!blockingOnly || owner.blockOwnerDeletion === true),
    );
    if (references.length === 0 || metadata.uid === uid) return false;
    const isNear = namespace === '' || metadata.namespace === namespace;
    if (!isNear || !references.some(owner => isNamedBy(target, owner))) misnamed++;
    return true;
  };
  const near = await findObjects(client, collected, namespace, isWanted);
  if (near.count > 0 || namespace === '') return {...near, misnamed};
  const far = await findObjects(client, collected, '', isWanted);
  const seen = ({what}: Unseen): boolean => !near.unseen.some(each => each.what === what);
  const outside = (each: Unseen): Unseen => ({...each, what: `${each.what} outside ${namespace}`});
  return {...far, misnamed, unseen: far.unseen.map(each => (seen(each) ? outside(each) : each))};
};

/** `core/v1` counts as `v1`, also where it was stored as it was sent (E-257). */
const isNamedBy = ({kind, name}: DeletionTarget, owner: OwnerReference): boolean =>
  owner.name === name &&
  isKindOfReference(kind, owner) &&
  (owner.apiVersion === 'core/v1' ? 'v1' : owner.apiVersion) === apiVersionOf(kind);

const misnamedText = (misnamed: number, count: number): string => {
  if (misnamed === 0) return '';
  const [refer, block] = misnamed === 1 ? ['refers', 'this blocks'] : ['refer', 'these block'];
  const which = misnamed === count ? 'which' : `${misnamed} of them`;
  return `, ${which} ${refer} to its UID with another name, kind or namespace; ${block} it only with --compat kubernetes`;
};

const foreground = async (client: KubeClient, target: DeletionTarget, uid: string): Promise<Holder> => {
  const found = await dependentsOf(client, target, uid, true);
  const {count, misnamed, unseen} = found;
  const [first] = found.objects;
  if (first === undefined)
    return {
      holder: FOREGROUND,
      what: `no blocking dependent was found${unseenText(unseen)}`,
      next:
        unseen.length === 0 ? 'wait, the server removes the finalizer' : 'try again as a user who may list these kinds',
    };
  return {
    holder: FOREGROUND,
    what: `waits for ${count} dependent${count === 1 ? '' : 's'} with blockOwnerDeletion${misnamedText(misnamed, count)}${unseenText(unseen)}`,
    next: `see what blocks them (${askAbout(first, target)}), or remove blockOwnerDeletion from their references`,
    ...objectsOf(found),
  };
};

/** The server itself blocks it: kinds that may not be listed can only make the number larger. */
const orphan = async (client: KubeClient, target: DeletionTarget, uid: string): Promise<Holder> => {
  const found = await dependentsOf(client, target, uid, false);
  return {
    holder: ORPHAN,
    what: `the server removes the references to it from its dependents (${found.unseen.length === 0 ? '' : 'at least '}${found.count} left)`,
    next: 'wait',
    ...objectsOf(found),
  };
};

/** What an administrator may do about a finalizer whose component does not return. */
const wayOut = (target: DeletionTarget, {metadata}: KubeObject): string =>
  isNamespace(target.kind)
    ? `remove the finalizer: kubectl edit namespace ${target.name}`
    : `remove the object: palisade confirm-deletion ${target.word(`${resourceName(target.kind)}/${target.name}`)}${namespaceFlag(target.namespace, target)} --uid ${metadata?.uid ?? ''} --reason TEXT${target.connection}`;

const finalizerHolder = async (
  client: KubeClient,
  target: DeletionTarget,
  finalizer: string,
  object: KubeObject,
): Promise<Holder> => {
  const uid = object.metadata?.uid ?? '';
  if (finalizer === FOREGROUND) return foreground(client, target, uid);
  if (finalizer === ORPHAN) return orphan(client, target, uid);
  return {
    holder: finalizer,
    what: `the component behind ${finalizer} must finish its work and remove it`,
    next: `check that component; or ${wayOut(target, object)}`,
  };
};

/** Finalizers of the specification, which only the finalize subresource removes. */
const specHolder = (target: DeletionTarget, finalizer: string): Holder =>
  finalizer === KUBERNETES
    ? {holder: finalizer, what: 'the server removes it when the namespace is empty', next: 'wait'}
    : {
        holder: finalizer,
        what: `the component behind ${finalizer} must finish its work and remove it from spec.finalizers`,
        next: `check that component; or write the object without it: kubectl replace --raw /api/v1/${target.kind.plural}/${target.name}/finalize -f FILE`,
      };

/** `deletionTimestamp` is the time at which the object goes: the request plus its grace period. */
const timeHolder = (object: KubeObject, nowMs: number): Holder[] => {
  const {deletionTimestamp, deletionGracePeriodSeconds = 0} = object.metadata ?? {};
  const left = Math.ceil((Date.parse(deletionTimestamp ?? '') - nowMs) / 1000);
  if (deletionGracePeriodSeconds === 0 || !(left > 0)) return [];
  return [
    {
      holder: 'grace period',
      what: `the object is removed in ${left} s, at ${deletionTimestamp}`,
      next: 'wait, or delete again with a shorter --grace-period',
    },
  ];
};

const contentHolder = async (client: KubeClient, target: DeletionTarget, {status}: Held): Promise<Holder[]> => {
  const found = await findObjects(client, target.served, target.name, () => true);
  const unseen = unseenContent(found.unseen, target.served, status?.conditions ?? []);
  const [first] = found.objects;
  if (first === undefined && unseen.length === 0) return [];
  return [
    {
      holder: 'content',
      what: `the namespace contains ${found.count} object${found.count === 1 ? '' : 's'}${unseenText(unseen)}`,
      next:
        first === undefined
          ? 'try again as a user who may list these kinds'
          : `see what blocks them, for example: ${askAbout(first, target)}`,
      ...objectsOf(found),
    },
  ];
};

/** What blocks the deletion of an object; empty when nothing does. `nowMs`: epoch milliseconds. Throws KubeError and TransportError. */
export const holdersOf = async (
  client: KubeClient,
  target: DeletionTarget,
  object: Held,
  nowMs: number,
): Promise<readonly Holder[]> => {
  const finalizers = await Promise.all(
    (object.metadata?.finalizers ?? []).map(name => finalizerHolder(client, target, name, object)),
  );
  const inside = isNamespace(target.kind)
    ? [
        ...(object.spec?.finalizers ?? []).map(name => specHolder(target, name)),
        ...(object.spec?.finalizers?.includes(KUBERNETES) === true ? await contentHolder(client, target, object) : []),
      ]
    : [];
  return [...timeHolder(object, nowMs), ...finalizers, ...inside];
};
