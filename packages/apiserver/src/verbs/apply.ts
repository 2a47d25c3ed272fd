// SPDX-License-Identifier: Apache-2.0
/** Server-side apply of one object: creates it, or lays the configuration over it as far as its owners allow. */
import {convertUnstructured, DecodeError, type Json, type JsonObject} from '@palisade/kube-wire';
import {manageApply} from '@palisade/kube-wire/apply';
import type {ObjectAnswer} from '../answer/answer.ts';
import type {KubeObject} from '../base/object.ts';
import {badRequest, conflict, notFound} from '../base/status-error.ts';
import {typesOf} from '../registry/object-codec.ts';
import type {PatchOptions} from '../request/options/write-options.ts';
import {createOnUpdate, mayCreateOnUpdate} from './create-on-update.ts';
import {createOrAgain} from './create-or-again.ts';
import {withCoreOwners} from './object/core-group.ts';
import type {RequestContext} from './object/request-context.ts';
import {settleTracked} from './object/settle-object.ts';
import {writeContext} from './object/track-fields.ts';
import {updateObject} from './object/update-object.ts';
import {objectAnswer} from './object-answer.ts';
import {faultToStatus, refusePatch, toPatchedObject} from './patched-object.ts';
import {handleStrictErrors} from './read-object.ts';
import {applyBodyToValue} from './yaml-body.ts';

/** `refuse` throws for a live object that is not to be touched; it is asked again at each attempt. */
export const apply = async (
  context: RequestContext,
  bytes: Buffer,
  options: PatchOptions,
  refuse?: (current: KubeObject) => void,
): Promise<ObjectAnswer> => {
  const {kind, info} = context;
  const {value, strictErrors} = applyBodyToValue(bytes);
  const applied = withCoreOwners(context, value);
  const change = (current: KubeObject | undefined): KubeObject => {
    if (current !== undefined) refuse?.(current);
    const result = manageApply({
      ...writeContext(context, options.fieldManager),
      kind: kind.kind,
      live: current as unknown as JsonObject | undefined,
      applied,
      force: options.force,
    });
    if (!result.ok) throw faultToStatus(result.fault);
    handleStrictErrors(context, options.fieldValidation, strictErrors, () =>
      badRequest(`error strict decoding YAML: ${strictErrors.join(', ')}`),
    );
    if (current === undefined) refuseUid(context, value);
    const object = toPatchedObject(context, decodeMerged(context, result.object));
    return settleTracked(context, withOwners(object, result.managedFields));
  };
  return createOrAgain(context, async (): Promise<ObjectAnswer> => {
    const updated = await updateObject(context, {change, dryRun: options.dryRun});
    if (updated !== undefined) return objectAnswer(context, 200, updated);
    if (!mayCreateOnUpdate(context, {allowCreateOnUpdate: true})) throw notFound(kind, info.name);
    const created = await createOnUpdate(context, change(undefined), options.dryRun);
    return objectAnswer(context, 201, created);
  });
};

/** As structs are made from merged objects: integers that are too large are cut. Throws StatusError 422. */
const decodeMerged = ({kind, services}: RequestContext, merged: JsonObject): JsonObject => {
  try {
    return convertUnstructured(typesOf(kind, services.compat), kind.typeName, merged).object;
  } catch (error) {
    if (error instanceof DecodeError) throw refusePatch(JSON.stringify(merged), error.message);
    throw error;
  }
};

/** The owners as the apply left them: decoding must not touch their order or contents. */
const withOwners = (object: KubeObject, managedFields: readonly JsonObject[] | undefined): KubeObject => {
  const metadata = {...object.metadata};
  if (managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = managedFields as never;
  return {...object, metadata};
};

/** A configuration that names a uid is for an object that exists. */
const refuseUid = ({kind, info}: RequestContext, applied: Json): void => {
  const uid = ((applied as JsonObject | null)?.['metadata'] as JsonObject | null | undefined)?.['uid'];
  if (typeof uid !== 'string' || uid === '') return;
  throw conflict(
    kind,
    info.name,
    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
  );
};
