// SPDX-License-Identifier: Apache-2.0
/**
 * The part that PUT, patches and apply share: read, transform, check, write, and all of it again when somebody else was
 * faster. Ref: kubernetes v1.36 apiserver/pkg/registry/generic/registry/store.go Update, rest/update.go BeforeUpdate.
 */
import {type FieldError, invalid, type JsonObject, OBJECT_MODIFIED} from '@palisade/kube-wire';
import {keepTimesIfUnchanged} from '@palisade/kube-wire/apply';
import type {KubeObject} from '../../base/object.ts';
import {conflict, invalidObject, plainInternal} from '../../base/status-error.ts';
import type {CachedObject} from '../../cache/cached-object.ts';
import {keepForUpdate} from '../../kind/meta/fill-system-fields.ts';
import {validateObjectMetaUpdate} from '../../kind/meta/validate-object-meta.ts';
import {inOwnForm, toStoredForm} from '../../registry/own-form.ts';
import {ChangedMeanwhile} from '../../registry/registry.ts';
import {uint64Fault} from '../../request/options/parse-integer.ts';
import {decodeCurrent} from './decode-current.ts';
import {takeAlong} from './delete-object.ts';
import {isDueForRemoval} from './deletion.ts';
import {ownerPermissionFaults} from './owner-permission.ts';
import {reportReleased} from './released-holds.ts';
import {type RequestContext, strategyContext} from './request-context.ts';

export type Transform = {
  /** Makes the draft from the live object, both as the kind shows them; called again on each attempt. The draft's metadata must be its own copy. */
  readonly change: (current: KubeObject) => KubeObject;
  /** A uid that the live object must have (PUT). */
  readonly uid?: string | undefined;
  readonly dryRun: boolean;
};

/** Answers the object as it is stored. Undefined when there is no such object. Throws StatusError. */
export const updateObject = async (
  context: RequestContext,
  transform: Transform,
): Promise<CachedObject | undefined> => {
  const {registry, info, kind, services} = context;
  const namespace = kind.namespaced ? info.namespace : '';
  for (let attempt = 0; attempt < services.limits.updateAttemptsMax; attempt++) {
    const cached = registry.get(namespace, info.name);
    await kind.strategy.access?.({to: 'change', namespace, name: info.name, current: cached}, strategyContext(context));
    if (cached === undefined) return undefined;
    const current = decodeCurrent(registry.kind, cached);
    const shown = kind === registry.kind ? current : decodeCurrent(kind, inOwnForm(kind, cached));
    const draft = toStoredForm(kind, transform.change(shown));
    checkUid(context, cached, current, transform);
    if (info.subresource === '') kind.strategy.guard?.(draft, current, strategyContext(context));
    checkVersion(context, cached, draft);
    const endReservation = reserve(context, current, draft, transform.dryRun);
    try {
      const ready = prepare(context, current, draft);
      const written = await write(context, {cached, current}, ready, transform.dryRun);
      if (!transform.dryRun) reportReleased(context, current, ready);
      return written;
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
    } finally {
      endReservation?.();
    }
  }
  throw conflict(kind, info.name, OBJECT_MODIFIED);
};

const checkUid = (
  {kind, info}: RequestContext,
  cached: CachedObject,
  {metadata}: KubeObject,
  {uid, dryRun}: Transform,
): void => {
  if (uid === undefined || uid === '' || uid === metadata.uid) return;
  const found = metadata.uid ?? '';
  throw conflict(kind, info.name, uidMismatch(kind.registryPath, cached, {wanted: uid, found, dryRun}));
};

const checkVersion = ({kind, info}: RequestContext, cached: CachedObject, draft: KubeObject): void => {
  const version = draft.metadata.resourceVersion ?? '';
  const fault = version === '' ? undefined : uint64Fault(version);
  if (fault !== undefined) throw plainInternal(fault);
  if (version === '' || BigInt(version) === 0n) {
    if (kind.strategy.allowUnconditionalUpdate) return;
    const named = {group: kind.group, kind: kind.resource}; // the reference takes the resource for the kind here
    throw invalidObject(named, info.name, [invalid('metadata.resourceVersion', 0, 'must be specified for an update')]);
  }
  if (BigInt(version) !== cached.revision) throw conflict(kind, info.name, OBJECT_MODIFIED);
};

/** The reference's storage error, which clients see as it is. A dry run stops before the storage adds its prefix. */
export const uidMismatch = (
  registryPath: string,
  at: {readonly namespace: string; readonly name: string},
  {wanted, found, dryRun}: {readonly wanted: string; readonly found: string; readonly dryRun: boolean},
): string => {
  const key = `${dryRun ? '' : '/registry'}/${registryPath}/${at.namespace === '' ? '' : `${at.namespace}/`}${at.name}`;
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`;
};

const reserve = (
  context: RequestContext,
  current: KubeObject,
  draft: KubeObject,
  dryRun: boolean,
): (() => void) | undefined =>
  context.info.subresource === ''
    ? context.registry.reservations?.reserve({draft, current, dryRun}, strategyContext(context))
    : undefined;

const prepare = (context: RequestContext, current: KubeObject, draft: KubeObject): KubeObject => {
  const {kind, registry, info} = context;
  const about = strategyContext(context);
  const hooks =
    info.subresource === '' ? kind.strategy : kind.subresources?.find(({name}) => name === info.subresource);
  keepForUpdate(draft, current, about.compat);
  hooks?.prepareForUpdate?.(draft, current, about);
  const own = hooks?.validateUpdate?.(draft, current, about) ?? [];
  const changes = info.subresource === '' ? (kind.strategy.validateChange?.(draft, current) ?? []) : [];
  const faults: FieldError[] = [
    ...validateObjectMetaUpdate(draft.metadata, current.metadata, kind, {own, changes}, info.subresource),
    ...ownerPermissionFaults(context, draft, current),
  ];
  if (faults.length > 0) throw invalidObject(registry.kind, info.name, faults);
  if (info.subresource === '') {
    const refused = kind.strategy.admit?.(draft, current) ?? [];
    if (refused.length > 0) throw invalidObject(registry.kind, info.name, refused);
  }
  for (const text of hooks?.warningsOnUpdate?.(draft, current, about) ?? []) context.warn(text);
  return draft;
};

/** An object whose last hold is gone is answered as the request left it, without the way through the storage. */
const write = async (
  context: RequestContext,
  {cached, current}: {readonly cached: CachedObject; readonly current: KubeObject},
  draft: KubeObject,
  dryRun: boolean,
): Promise<CachedObject> => {
  const {registry, kind, services} = context;
  if (isDueForRemoval(kind, draft, services.clock.now())) {
    const gone = registry.preview(draft, cached);
    if (!dryRun) {
      await registry.remove(cached);
      await takeAlong(context, cached);
    }
    return gone;
  }
  kind.strategy.canonicalize?.(draft);
  const stored = keepTimesIfUnchanged(
    current as unknown as JsonObject,
    draft as unknown as JsonObject,
    !services.compat.timeOnCoOwnership,
  ) as unknown as KubeObject;
  if (dryRun) return registry.preview(stored, cached);
  delete stored.metadata.selfLink;
  return registry.update(cached, stored, current);
};
