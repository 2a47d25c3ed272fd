// SPDX-License-Identifier: Apache-2.0
/** One object's deletion, with its preconditions; shared by DELETE, deletecollection and the controllers. */

import type {KubeObject} from '../../base/object.ts';
import {conflict, notFound, StatusError} from '../../base/status-error.ts';
import type {CachedObject} from '../../cache/cached-object.ts';
import {ChangedMeanwhile} from '../../registry/registry.ts';
import {type DeleteOptions, PLAIN_DELETE} from '../../request/options/delete-options.ts';
import {decodeCurrent} from './decode-current.ts';
import {planDeletion} from './deletion.ts';
import {reportReleased} from './released-holds.ts';
import {type RequestContext, strategyContext} from './request-context.ts';
import {systemContext} from './system-context.ts';

export type Deletion = {
  /** Gone: it is no longer in the store. */
  readonly removed: boolean;
  /** The object as it is now, or as it was when it went; with the version of the deletion where it is answered. */
  readonly object: CachedObject;
  readonly uid: string;
};

/** Throws StatusError 404, 409. */
export const deleteObject = async (
  context: RequestContext,
  name: string,
  options: DeleteOptions,
): Promise<Deletion> => {
  const {kind, registry, info, services} = context;
  const namespace = kind.namespaced ? info.namespace : '';
  for (let attempt = 0; attempt < services.limits.updateAttemptsMax; attempt++) {
    const cached = registry.get(namespace, name);
    await kind.strategy.access?.({to: 'delete', namespace, name, current: cached}, strategyContext(context));
    if (cached === undefined) throw notFound(kind, name);
    const current = decodeCurrent(registry.kind, cached);
    checkPreconditions(context, cached, current, name, options);
    kind.strategy.deletion?.admit?.(name, strategyContext(context));
    try {
      return await step(context, cached, current, options);
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
    }
  }
  throw conflict(kind, name, 'the object keeps being modified; please try again');
};

const step = async (
  context: RequestContext,
  cached: CachedObject,
  current: KubeObject,
  options: DeleteOptions,
): Promise<Deletion> => {
  const {registry, services} = context;
  const {kind} = registry;
  const plan = planDeletion(kind, current, options, {compat: services.compat, nowMs: services.clock.now()});
  const uid = current.metadata.uid ?? '';
  if (plan.outcome === 'unchanged') return {removed: false, object: cached, uid};
  if (plan.outcome === 'mark') {
    const object = options.dryRun ? registry.preview(plan.draft, cached) : await registry.update(cached, plan.draft);
    if (!options.dryRun) reportReleased(context, current, plan.draft);
    return {removed: false, object, uid};
  }
  if (options.dryRun) return {removed: true, object: cached, uid};
  const revision = await registry.remove(cached);
  await takeAlong(context, cached);
  reportReleased(context, current, undefined);
  return {removed: true, object: kind.strategy.deletion?.answersDeleted === true ? cached.at(revision) : cached, uid};
};

/**
 * Objects of the same name that go with one that is gone. The deletion is done, whatever becomes of them: one that cannot go
 * stays, and the log says so. Ref: kubernetes v1.36 pkg/registry/core/service/storage/storage.go afterDelete.
 */
export const takeAlong = async ({kind, services}: RequestContext, {namespace, name}: CachedObject): Promise<void> => {
  for (const {group, resource} of kind.strategy.deletion?.takesAlong?.(services.compat) ?? []) {
    const other = services.kinds.find(each => each.group === group && each.resource === resource);
    if (other === undefined || services.registryOf(other).get(namespace, name) === undefined) continue;
    try {
      await deleteObject(systemContext(services, other, namespace), name, PLAIN_DELETE);
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) continue;
      const fields = {err: error, component: kind.resource, resource, namespace, name};
      services.log.error(fields, `${kind.resource} deleted without the object that goes along, delete it by hand`);
    }
  }
};

/** The reference names the kind here, not the resource. */
const checkPreconditions = (
  {registry: {kind}}: RequestContext,
  cached: CachedObject,
  current: KubeObject,
  name: string,
  {preconditions: {uid, resourceVersion}}: DeleteOptions,
): void => {
  const {inPhases = false} = kind.strategy.deletion ?? {};
  const of = inPhases ? kind : {group: kind.group, resource: kind.kind};
  const words = inPhases ? STORAGE_WORDS : WORDS;
  const found = current.metadata.uid ?? '';
  if (uid !== undefined && uid !== found) throw conflict(of, name, words.uid(uid, found));
  if (resourceVersion !== undefined && resourceVersion !== cached.resourceVersion) {
    throw conflict(of, name, words.version(resourceVersion, cached.resourceVersion));
  }
};

type Words = Readonly<Record<'uid' | 'version', (wanted: string, found: string) => string>>;

const WORDS: Words = {
  uid: (wanted, found) =>
    `the UID in the precondition (${wanted}) does not match the UID in record (${found}). The object might have been deleted and then recreated`,
  version: (wanted, found) =>
    `the ResourceVersion in the precondition (${wanted}) does not match the ResourceVersion in record (${found}). The object might have been modified`,
};

const STORAGE_WORDS: Words = {
  uid: (wanted, found) => `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`,
  version: (wanted, found) =>
    `Precondition failed: ResourceVersion in precondition: ${wanted}, ResourceVersion in object meta: ${found}`,
};
