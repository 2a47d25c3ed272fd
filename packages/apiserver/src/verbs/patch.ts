// SPDX-License-Identifier: Apache-2.0
/** PATCH: JSON patch, merge patch, strategic merge patch, and apply. */
import {
  convertUnstructured,
  type Decoded,
  DecodeError,
  decodeJson,
  decodePatched,
  goQuote,
  isStrayField,
  type Json,
  type JsonObject,
  operationFaults,
  type Spelling,
} from '@palisade/kube-wire';
import {jsonPatch, mergePatch, type PatchResult, strategicMergePatch} from '@palisade/kube-wire/patch';
import type {ObjectAnswer} from '../answer/answer.ts';
import {groupVersionOf, type KubeObject} from '../base/object.ts';
import {badRequest, notFound, unknownFormat} from '../base/status-error.ts';
import {typesOf} from '../registry/object-codec.ts';
import {managerOf, type PatchOptions, parsePatchOptions} from '../request/options/write-options.ts';
import {apply} from './apply.ts';
import {checkNameParameter} from './name-parameter.ts';
import type {RequestContext} from './object/request-context.ts';
import {settleTracked} from './object/settle-object.ts';
import {trackFields} from './object/track-fields.ts';
import {updateObject} from './object/update-object.ts';
import {objectAnswer} from './object-answer.ts';
import {faultToStatus, refusePatch, toPatchedObject} from './patched-object.ts';
import {handleStrictErrors} from './read-object.ts';
import {sentManagedFields} from './sent-managed-fields.ts';

const PATCH_TYPE = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

export const PATCH_TYPES: readonly string[] = Object.values(PATCH_TYPE);

/** What of a patch is kept as it was written. */
const SPELLINGS: {readonly [type: string]: Spelling} = {
  [PATCH_TYPE.json]: 'operations',
  [PATCH_TYPE.merge]: 'leaves',
  [PATCH_TYPE.strategic]: 'numbers',
};

export const patch = async (context: RequestContext): Promise<ObjectAnswer> => {
  const {body, query, kind, userAgent, info} = context;
  if (!PATCH_TYPES.includes(body.contentType)) throw unknownFormat(PATCH_TYPES);
  const isApply = body.contentType === PATCH_TYPE.apply;
  const bytes = await body.read();
  const options = parsePatchOptions(query, isApply);
  checkNameParameter(context);
  if (isApply) return apply(context, bytes, options);
  const manager = managerOf(options, userAgent);
  // Decoded once, but only when there is an object to patch: a missing one is told first.
  let sent: SentPatch | undefined;
  const change = (current: KubeObject): KubeObject => {
    sent ??= decodePatch(body.contentType, bytes, options);
    const result = patchDocument(context, current as unknown as JsonObject, sent.value, options);
    if (!result.ok) throw faultToStatus(result.fault);
    const decoded = decodeResult(context, result, current as unknown as JsonObject);
    const errors = [...sent.strictErrors, ...decoded.strictErrors];
    handleStrictErrors(context, options.fieldValidation, errors, why => refusePatch(result.text(), why));
    const object = toPatchedObject(context, decoded.object);
    const entries = sentManagedFields(result.value, current.metadata.managedFields);
    return settleTracked(context, trackFields(context, manager, current, object, entries));
  };
  const object = await updateObject(context, {change, dryRun: options.dryRun});
  if (object === undefined) throw notFound(kind, info.name);
  return objectAnswer(context, 200, object);
};

type SentPatch = {readonly value: Json; readonly strictErrors: readonly string[]};

const NO_FAULTS: readonly string[] = [];

/** Throws StatusError 400. */
const decodePatch = (contentType: string, bytes: Buffer, {fieldValidation}: PatchOptions): SentPatch => {
  const checked = fieldValidation !== 'Ignore';
  try {
    const {value, duplicates} = decodeJson(bytes, {spelling: SPELLINGS[contentType]});
    if (contentType !== PATCH_TYPE.json)
      return {value, strictErrors: duplicates.map(path => `duplicate field ${goQuote(path)}`)};
    return {value, strictErrors: checked ? faultsOfOperations(value, bytes, duplicates.length > 0) : NO_FAULTS};
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    if (contentType === PATCH_TYPE.merge && !checked) throw badRequest('Invalid JSON Patch');
    throw badRequest(
      checked && contentType !== PATCH_TYPE.strategic ? `error decoding patch: ${error.message}` : error.message,
    );
  }
};

/** Only operations in which there are faults are read again, for the order of these. */
const faultsOfOperations = (operations: Json, bytes: Buffer, hasTwice: boolean): readonly string[] =>
  hasTwice || (Array.isArray(operations) && operations.some(hasStrayField)) ? operationFaults(bytes) : NO_FAULTS;

const hasStrayField = (operation: Json): boolean =>
  typeof operation === 'object' && operation !== null && Object.keys(operation).some(isStrayField);

const patchDocument = (
  {body, kind, services}: RequestContext,
  live: JsonObject,
  sent: Json,
  {fieldValidation}: PatchOptions,
): PatchResult => {
  const checked = fieldValidation !== 'Ignore';
  if (body.contentType === PATCH_TYPE.json) return jsonPatch(live, sent, checked);
  if (body.contentType === PATCH_TYPE.merge) return mergePatch(live, sent, checked);
  return strategicMergePatch(live, sent, typesOf(kind, services.compat), kind.typeName);
};

type PatchedDocument = Extract<PatchResult, {ok: true}>;

/** The patched document as an object of the kind. Throws StatusError 422. */
const decodeResult = (
  {body, kind, services}: RequestContext,
  {value, text}: PatchedDocument,
  live: JsonObject,
): Decoded => {
  const types = typesOf(kind, services.compat);
  try {
    if (body.contentType !== PATCH_TYPE.strategic)
      return decodePatched(types, kind, value, {text, live}) ?? asNoVersion(value);
    const {object, strictErrors} = convertUnstructured(types, kind.typeName, value);
    return {object: Object.assign(object, {kind: kind.kind, apiVersion: groupVersionOf(kind)}), strictErrors};
  } catch (error) {
    if (error instanceof DecodeError) throw refusePatch(text(), error.message);
    throw error;
  }
};

/** Without an apiVersion the reference decodes into nothing: each field is unknown, and there is no name. */
const asNoVersion = (value: Json): Decoded => {
  const unknown = Object.keys((value ?? {}) as JsonObject).filter(key => key !== 'kind' && key !== 'apiVersion');
  return {object: {}, strictErrors: unknown.sort().map(key => `unknown field "${key}"`)};
};
