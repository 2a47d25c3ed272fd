// SPDX-License-Identifier: Apache-2.0
/**
 * The body of a create or update as an object of the kind. Unknown and duplicate fields are refused, warned about or passed
 * over, as fieldValidation says.
 * Ref: kubernetes v1.36 apiserver/pkg/endpoints/handlers/{create,rest}.go; apimachinery/pkg/runtime/serializer/json/json.go.
 */
import {type Decoded, DecodeError, decodeJson, type Json} from '@palisade/wire/kube';
import {yamlToJson} from '../codec/yaml.ts';
import {MEDIA_TYPE} from '../http/accept.ts';
import {groupVersionOf, type KubeObject} from '../object.ts';
import {asKubeObject, decodeText} from '../object-codec.ts';
import type {FieldValidation} from '../options/write-options.ts';
import {decodeProtobufBody} from '../protobuf.ts';
import {badRequest, unsupportedMediaType} from '../status-error.ts';
import type {RequestContext} from './request-context.ts';
import {sentManagedFields} from './sent-managed-fields.ts';

const BODY_TYPES = [MEDIA_TYPE.json, MEDIA_TYPE.yaml, MEDIA_TYPE.protobuf];
const SUMMARY_BYTES = 30;
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

type TypeMeta = {readonly kind: string; readonly apiVersion: string};

/** Refuses what the reference refuses before it reads the body. */
export const checkBodyType = (contentType: string): void => {
  if (contentType === '' || BODY_TYPES.includes(contentType)) return;
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${BODY_TYPES.join(', ')}`,
  );
};

export const handleStrictErrors = (
  context: RequestContext,
  validation: FieldValidation,
  errors: readonly string[],
  refuse: (text: string) => Error,
): void => {
  if (errors.length === 0 || validation === 'Ignore') return;
  if (validation === 'Strict') throw refuse(`strict decoding error: ${errors.join(', ')}`);
  for (const error of errors) context.warn(error);
};

export type SentObject = {
  readonly object: KubeObject;
  /** `metadata.managedFields` as it was written: an empty list is a reset, absence is not. */
  readonly sentManagedFields: Json | undefined;
};

/** Throws StatusError 400, 413, 415. */
export const readObject = async (context: RequestContext, validation: FieldValidation): Promise<SentObject> => {
  const {kind, body} = context;
  checkBodyType(body.contentType);
  const bytes = await body.read();
  const decoded = decodeBytes(context, bytes);
  const named = typeMetaOf(context, decoded.object);
  checkType(context, named);
  handleStrictErrors(context, validation, decoded.strictErrors, why =>
    badRequest(cannotBeHandled(named, kind.kind, why)),
  );
  return {object: asKubeObject(decoded.object), sentManagedFields: decoded.sentManagedFields};
};

type Read = Decoded & {readonly sentManagedFields: Json | undefined};

/** Only a body that speaks of managedFields is looked at twice. */
const managedFieldsIn = (text: Buffer | string): Json | undefined =>
  text.includes('"managedFields"') ? sentManagedFields(decodeJson(text).value) : undefined;

const decodeBytes = (context: RequestContext, bytes: Buffer): Read => {
  const {kind, services, body} = context;
  if (body.contentType === MEDIA_TYPE.protobuf) return fromProtobuf(context, bytes);
  const source = body.contentType === MEDIA_TYPE.yaml ? fromYaml(context, bytes) : {text: bytes, strictErrors: []};
  try {
    const decoded = decodeText(kind, services.compat, source.text);
    return {
      object: decoded.object,
      strictErrors:
        source.strictErrors.length === 0 ? decoded.strictErrors : [...source.strictErrors, ...decoded.strictErrors],
      sentManagedFields: managedFieldsIn(source.text),
    };
  } catch (error) {
    if (error instanceof DecodeError) throw explain(context, bytes, source.text, error);
    throw error;
  }
};

const fromYaml = (context: RequestContext, bytes: Buffer): {text: Buffer | string; strictErrors: readonly string[]} => {
  try {
    return yamlToJson(bytes);
  } catch (error) {
    if (error instanceof DecodeError) throw unrecognized(context, bytes, `couldn't get version/kind; ${error.message}`);
    throw error;
  }
};

const fromProtobuf = (context: RequestContext, bytes: Buffer): Read => {
  try {
    const {types, typeName} = context.kind;
    const object = decodeProtobufBody(types, typeName, bytes, named => checkType(context, named));
    return {object: object as Decoded['object'], strictErrors: [], sentManagedFields: undefined};
  } catch (error) {
    if (error instanceof DecodeError) throw unrecognized(context, bytes, error.message);
    throw error;
  }
};

/** A body that cannot be decoded: no JSON at all, no object, another kind, or a value of the wrong type. In that order. */
const explain = (context: RequestContext, bytes: Buffer, text: Buffer | string, cause: DecodeError): Error => {
  let value: Json;
  try {
    value = decodeJson(text).value;
  } catch (error) {
    return unrecognized(
      context,
      bytes,
      `couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : ''}`,
    );
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    const type = Array.isArray(value)
      ? 'array'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value === 'string'
          ? 'string'
          : 'number';
    return unrecognized(
      context,
      bytes,
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go value of type ${TYPE_META}`,
    );
  }
  const named = typeMetaOf(context, value);
  try {
    checkType(context, named);
  } catch (error) {
    return error as Error;
  }
  return badRequest(cannotBeHandled(named, context.kind.kind, cause.message));
};

const typeMetaOf = ({kind}: RequestContext, object: object): TypeMeta => {
  const {kind: named, apiVersion} = object as {kind?: unknown; apiVersion?: unknown};
  return {
    kind: typeof named === 'string' && named !== '' ? named : kind.kind,
    apiVersion: typeof apiVersion === 'string' && apiVersion !== '' ? apiVersion : groupVersionOf(kind),
  };
};

/** Refuses an object of another kind or version than the path is for. */
const checkType = ({kind}: RequestContext, named: TypeMeta): void => {
  const expected = groupVersionOf(kind);
  if (named.kind === kind.kind && named.apiVersion === expected) return;
  const version = shortVersion(named.apiVersion);
  if (named.apiVersion !== expected) {
    throw badRequest(
      cannotBeHandled(
        named,
        kind.kind,
        `no kind ${JSON.stringify(named.kind)} is registered for version ${JSON.stringify(named.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
      ),
    );
  }
  throw badRequest(
    cannotBeHandled(
      named,
      kind.kind,
      `converting (${version}.${named.kind}) to (${kind.internalName}): unknown conversion`,
    ),
  );
};

const shortVersion = (apiVersion: string): string => apiVersion.slice(apiVersion.indexOf('/') + 1);

export const cannotBeHandled = (named: TypeMeta, kind: string, why: string): string =>
  `${named.kind} in version ${JSON.stringify(shortVersion(named.apiVersion))} cannot be handled as a ${kind}: ${why}`;

const unrecognized = ({kind}: RequestContext, bytes: Buffer, why: string): Error =>
  badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): ${why} (${summary(bytes)})`);

/** The first bytes, readable when they look like JSON. */
const summary = (bytes: Buffer): string => {
  if (bytes.length === 0) return '<empty>';
  const head = bytes.subarray(0, SUMMARY_BYTES);
  const shown = bytes[0] === 0x7b ? head.toString('utf8') : head.toString('hex');
  return bytes.length > SUMMARY_BYTES ? `${shown} ...` : shown;
};
