// SPDX-License-Identifier: Apache-2.0
/** Between the verbs and the pure module of field ownership. */
import type {Json, JsonObject} from '@palisade/kube-wire';
import {
  type FieldSet,
  fieldPath,
  fieldSetOf,
  malformedEntryFaults,
  manageUpdate,
  type WriteContext,
} from '@palisade/kube-wire/apply';
import {groupVersionOf, type KubeObject, toKubeTime} from '../../base/object.ts';
import {invalidObject} from '../../base/status-error.ts';
import {typesOf} from '../../registry/object-codec.ts';
import {withCoreVersions} from './core-group.ts';
import type {RequestContext} from './request-context.ts';

const resetSets = new WeakMap<readonly (readonly string[])[], FieldSet>();

const resetFieldsOf = (context: RequestContext): FieldSet | undefined => {
  const {kind, info} = context;
  const paths =
    info.subresource === ''
      ? kind.strategy.resetFields
      : kind.subresources?.find(({name}) => name === info.subresource)?.resetFields;
  if (paths === undefined) return undefined;
  let set = resetSets.get(paths);
  if (set === undefined) {
    set = fieldSetOf(...paths.map(path => fieldPath(...path)));
    resetSets.set(paths, set);
  }
  return set;
};

export const writeContext = (context: RequestContext, manager: string): WriteContext => ({
  types: typesOf(context.kind, context.services.compat),
  typeName: context.kind.typeName,
  apiVersion: groupVersionOf(context.kind),
  manager,
  now: toKubeTime(context.services.clock.now()),
  subresource: context.info.subresource,
  resetFields: resetFieldsOf(context),
  specTimes: context.services.compat.timeOnCoOwnership,
});

/** Entries that a client changed must make sense; those it only gave back are ours. */
const refuseMalformed = (
  context: RequestContext,
  draft: KubeObject,
  sent: Json | undefined,
  current: KubeObject | undefined,
): void => {
  const {kind, services, info} = context;
  if (!services.compat.refuseMalformedManagedFields || sent === undefined || info.subresource !== '') return;
  if (sent === (current?.metadata.managedFields as unknown)) return;
  const faults = malformedEntryFaults(sent);
  if (faults.length > 0) throw invalidObject(kind, draft.metadata.name ?? '', faults);
};

/** The draft with its owners noted. Shares with `draft` what did not change; metadata is the result's own. */
export const trackFields = (
  context: RequestContext,
  manager: string,
  current: KubeObject | undefined,
  draft: KubeObject,
  sentManagedFields: Json | undefined,
): KubeObject => {
  const sent = withCoreVersions(context, sentManagedFields);
  refuseMalformed(context, draft, sent, current);
  const {object} = manageUpdate({
    ...writeContext(context, manager),
    live: current as unknown as JsonObject | undefined,
    next: draft as unknown as JsonObject,
    sentManagedFields: sent,
    empties: !context.services.compat.keepOwnersOfEqualContent,
  });
  const tracked = object as unknown as KubeObject;
  return {...tracked, metadata: {...tracked.metadata}};
};
