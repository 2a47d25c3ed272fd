// SPDX-License-Identifier: Apache-2.0
/** PATCH: JSON patch, merge patch, strategic merge patch, and apply. */
import {DecodeError, decodeJson, type Json, type JsonObject} from '@palisade/wire/kube';
import type {KubeObject} from '../object.ts';
import {typesOf} from '../object-codec.ts';
import {managerOf, type PatchOptions, parsePatchOptions} from '../options/write-options.ts';
import {jsonPatch, mergePatch, type PatchResult, strategicMergePatch} from '../patch/index.ts';
import {badRequest, notFound} from '../status-error.ts';
import type {ObjectAnswer} from './answer.ts';
import {apply} from './apply.ts';
import {faultToStatus, toPatchedObject} from './patched-object.ts';
import type {RequestContext} from './request-context.ts';
import {sentManagedFields} from './sent-managed-fields.ts';
import {trackFields} from './track-fields.ts';
import {updateObject} from './update-object.ts';

export const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
] as const;

export const APPLY_TYPE = 'application/apply-patch+yaml';

export const patch = async (context: RequestContext): Promise<ObjectAnswer> => {
  const {body, query, kind, userAgent, info} = context;
  const isApply = body.contentType === APPLY_TYPE;
  const options = parsePatchOptions(query, isApply);
  const bytes = await body.read();
  if (isApply) return apply(context, bytes, options);
  const sent = decodePatch(body.contentType, bytes);
  const manager = managerOf(options, userAgent);
  const change = (current: KubeObject): KubeObject => {
    const result = patchDocument(context, current as unknown as JsonObject, sent.value, options);
    if (!result.ok) throw faultToStatus(result.fault);
    const object = toPatchedObject(context, {
      value: result.value,
      text: result.text,
      strictErrors: [...sent.strictErrors, ...result.strictErrors],
      validation: options.fieldValidation,
      isTyped: body.contentType === PATCH_TYPES[2],
    });
    return trackFields(context, manager, current, object, sentManagedFields(result.value));
  };
  const object = await updateObject(context, {change, dryRun: options.dryRun});
  if (object === undefined) throw notFound(kind, info.name);
  return {type: 'object', code: 200, kind, object};
};

const decodePatch = (contentType: string, bytes: Buffer): {value: Json; strictErrors: readonly string[]} => {
  try {
    const {value, duplicates} = decodeJson(bytes);
    const about = contentType === PATCH_TYPES[0] ? 'json patch duplicate field' : 'duplicate field';
    return {value, strictErrors: duplicates.map(path => `${about} "${path}"`)};
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(contentType === PATCH_TYPES[2] ? error.message : `error decoding patch: ${error.message}`);
  }
};

const patchDocument = (
  {body, kind, services}: RequestContext,
  live: JsonObject,
  sent: Json,
  {fieldValidation}: PatchOptions,
): PatchResult => {
  const checked = fieldValidation !== 'Ignore';
  if (body.contentType === PATCH_TYPES[0]) return jsonPatch(live, sent, checked);
  if (body.contentType === PATCH_TYPES[1]) return mergePatch(live, sent, checked);
  return strategicMergePatch(live, sent, typesOf(kind, services.compat), kind.typeName);
};
