// SPDX-License-Identifier: Apache-2.0
/**
 * The body of a create or update as an object of the kind. Unknown and duplicate fields are refused, warned about or passed
 * over, as fieldValidation says.
 * Ref: kubernetes v1.36 apiserver/pkg/endpoints/handlers/{create,rest}.go; apimachinery/pkg/runtime/serializer/json/json.go.
 */
import {
  cannotHandle,
  DecodeError,
  decodeMember,
  decodeRequestBody,
  type Json,
  type RequestBody,
  unrecognized,
} from '@palisade/kube-wire';
import {yamlToJson} from '@palisade/kube-wire/yaml';
import type {KubeObject} from '../base/object.ts';
import {badRequest, unknownFormat} from '../base/status-error.ts';
import {asKubeObject, typesOf} from '../registry/object-codec.ts';
import {MEDIA_TYPE} from '../request/accept.ts';
import type {FieldValidation} from '../request/options/write-options.ts';
import type {RequestContext} from './object/request-context.ts';

const BODY_TYPES = [MEDIA_TYPE.json, MEDIA_TYPE.yaml, MEDIA_TYPE.protobuf];

/** Refuses what the reference refuses before it reads the body. */
export const checkBodyType = (contentType: string): void => {
  if (contentType !== '' && !BODY_TYPES.includes(contentType)) throw unknownFormat(BODY_TYPES);
};

/** What a YAML reader found is one text of many lines; each becomes a warning. */
const YAML_ERRORS = /^(?:error converting YAML to JSON: )?yaml: unmarshal errors:\n/;

export const handleStrictErrors = (
  context: RequestContext,
  validation: FieldValidation,
  errors: readonly string[],
  refuse: (text: string) => Error,
): void => {
  if (errors.length === 0 || validation === 'Ignore') return;
  if (validation === 'Strict') throw refuse(`strict decoding error: ${errors.join(', ')}`);
  for (const error of errors) {
    const lines = YAML_ERRORS.test(error) ? error.replace(YAML_ERRORS, '').split('\n') : [error];
    for (const line of lines) context.warn(line.trim());
  }
};

export type SentObject = {
  readonly object: KubeObject;
  /** `metadata.managedFields` as it was written: an empty list is a reset, absence is not. */
  readonly sentManagedFields: Json | undefined;
};

/** Throws StatusError 400. `bytes` is the body, of a type that `checkBodyType` let pass. */
export const readObject = (context: RequestContext, validation: FieldValidation, bytes: Buffer): SentObject => {
  const {kind, services, body} = context;
  const {json, strictErrors} = body.contentType === MEDIA_TYPE.yaml ? fromYaml(context, bytes) : AS_SENT;
  const sent: RequestBody = {bytes, json, protobuf: body.contentType === MEDIA_TYPE.protobuf};
  const decoded = asBadRequest(() => decodeRequestBody(typesOf(kind, services.compat), kind, sent));
  handleStrictErrors(context, validation, [...strictErrors, ...decoded.strictErrors], why =>
    badRequest(cannotHandle(kind, kind, why)),
  );
  return {
    object: asKubeObject(decoded.object),
    sentManagedFields: sent.protobuf === true ? undefined : managedFieldsIn(json ?? bytes),
  };
};

type Source = {readonly json: string | undefined; readonly strictErrors: readonly string[]};

const AS_SENT: Source = {json: undefined, strictErrors: []};

const fromYaml = ({kind}: RequestContext, bytes: Buffer): Source => {
  try {
    const {text, strictErrors} = yamlToJson(bytes);
    return {json: text, strictErrors};
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(unrecognized(kind, error.message, bytes));
    throw error;
  }
};

const asBadRequest = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
};

/** Only a body that speaks of managedFields is looked at twice. */
const managedFieldsIn = (text: Buffer | string): Json | undefined =>
  (typeof text === 'string' ? text.includes(MANAGED_FIELDS_KEY) : text.indexOf(MANAGED_FIELDS_BYTES) >= 0)
    ? asBadRequest(() => decodeMember(text, MANAGED_FIELDS))
    : undefined;

const MANAGED_FIELDS = ['metadata', 'managedFields'];
const MANAGED_FIELDS_KEY = '"managedFields"';
const MANAGED_FIELDS_BYTES = Buffer.from(MANAGED_FIELDS_KEY);
