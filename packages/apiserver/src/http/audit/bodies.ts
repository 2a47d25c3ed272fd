// SPDX-License-Identifier: Apache-2.0
/** Bodies of requests and answers of the Kubernetes API as the JSON that an audit event has. */
import {decodeDeleteOptions, decodeRequestBody, encodeJson, kubeTypes} from '@palisade/kube-wire';
import {yamlToJson} from '@palisade/kube-wire/yaml';
import type {Answer, ListAnswer, ObjectAnswer, WatchAnswer} from '../../answer/answer.ts';
import {isWithin} from '../../answer/list-body.ts';
import type {Compat} from '../../base/compat.ts';
import {groupVersionOf} from '../../base/object.ts';
import type {KindDefinition} from '../../kind/kind.ts';
import {listHeadOf, typesOf, wholeJson} from '../../registry/object-codec.ts';
import {MEDIA_TYPE} from '../../request/accept.ts';
import type {AuditTrail, BodyText} from './audit-trail.ts';
import type {AuditObjectRef} from './event.ts';

type Sent = {readonly method: string; readonly contentType: string; readonly bytes: Buffer};

/** A longer list is left out of its event. */
const LIST_BYTES_MAX = 1024 * 1024;

/**
 * What a body was decoded as: the object of the path's kind without unknown fields, or DeleteOptions. Throws for any other body: it may be
 * a secret that was sent to the wrong path. A patch is as it was sent. Ref: kubernetes v1.36 apiserver/pkg/audit/request.go
 * (LogRequestObject, LogRequestPatch); that a patch of another kind is left out is ours.
 */
export const bodyText =
  (kind: KindDefinition, compat: Compat, sent: Sent, trail: AuditTrail): BodyText =>
  () =>
    sent.bytes.length === 0 ? undefined : withoutManagedFields(jsonOf(kind, compat, sent), trail);

const jsonOf = (kind: KindDefinition, compat: Compat, sent: Sent): string => {
  if (sent.method === 'PATCH') return patchText(kind, sent);
  const body = {
    bytes: sent.bytes,
    protobuf: sent.contentType === MEDIA_TYPE.protobuf,
    json: sent.contentType === MEDIA_TYPE.yaml ? yamlToJson(sent.bytes).text : undefined,
  };
  if (sent.method === 'DELETE') return encodeJson(kubeTypes, DELETE_OPTIONS, decodeDeleteOptions(kubeTypes, body));
  const types = typesOf(kind, compat);
  const {object} = decodeRequestBody(types, kind, body);
  return encodeJson(types, kind.typeName, {...object, kind: kind.kind, apiVersion: groupVersionOf(kind)});
};

const DELETE_OPTIONS = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';

const patchText = (kind: KindDefinition, {contentType, bytes}: Sent): string => {
  const text = bytes.toString('utf8');
  const json = /yaml/.test(contentType) && !text.startsWith('{') ? yamlToJson(bytes).text : text;
  const sent: unknown = JSON.parse(json);
  const documents = Array.isArray(sent) ? sent.map(wholeDocument) : [sent];
  if (!documents.every(document => mayBe(kind, document))) throw new TypeError('the patch is for another kind');
  return json;
};

/** Of a JSON patch: a value below a path, such as a targetRef, has a kind of its own. */
const wholeDocument = (operation: {path?: unknown; value?: unknown} | null): unknown =>
  String(operation?.path ?? '').startsWith('/') ? undefined : operation?.value;

/** False: it says that it is of another kind. */
const mayBe = (kind: KindDefinition, document: unknown): boolean => {
  if (typeof document !== 'object' || document === null) return true;
  const expected: Readonly<Record<string, string>> = {kind: kind.kind, apiversion: groupVersionOf(kind)};
  return Object.entries(document).every(
    ([key, value]) => expected[key.toLowerCase()] === undefined || expected[key.toLowerCase()] === value,
  );
};

type WithMetadata = {metadata?: {managedFields?: unknown}; items?: WithMetadata[]};

const withoutManagedFields = (text: string, {omitsManagedFields}: AuditTrail): string => {
  if (!omitsManagedFields || !text.includes('"managedFields"')) return text;
  const object = JSON.parse(text) as WithMetadata;
  for (const each of [object, ...(object.items ?? [])])
    if (each.metadata !== undefined) delete each.metadata.managedFields;
  return JSON.stringify(object);
};

/** Which object it was about, and what was answered. A watch answers no object, and a list names none. */
export const recordAnswer = (trail: AuditTrail, answer: Answer): void => {
  if (answer.type === 'object') trail.object(() => refOf(answer.object));
  if (answer.type !== 'watch') trail.answered(() => withoutManagedFields(answerText(answer), trail));
};

const HEAD_BYTES = 1024;

/** The uid is in front of all that users choose but the names, which have no quotes. */
const refOf = ({namespace, name, resourceVersion, value}: ObjectAnswer['object']): AuditObjectRef => {
  const uid = /"uid":"([^"]+)"/.exec(value.toString('latin1', 0, HEAD_BYTES))?.[1];
  return {namespace, name, resourceVersion, ...(uid === undefined ? {} : {uid})};
};

const answerText = (answer: Exclude<Answer, WatchAnswer>): string => {
  switch (answer.type) {
    case 'object':
      return wholeJson(answer.kind, answer.object).toString('utf8');
    case 'list':
      return listText(answer);
    case 'status':
      return JSON.stringify(answer.status);
    case 'document':
      return answer.json;
  }
};

/** Throws for a list that is too long. */
const listText = ({kind, slices, resourceVersion}: ListAnswer): string => {
  if (!isWithin(slices, LIST_BYTES_MAX)) throw new RangeError('the list is too long for an event');
  const items = slices.flatMap(slice => slice.map(object => itemText(object)));
  return `${listHeadOf(kind)}"metadata":{"resourceVersion":"${resourceVersion}"},"items":[${items.join(',')}]}`;
};

const itemText = (object: ListAnswer['slices'][number][number]): string => {
  const bytes = Buffer.alloc(object.itemBytes);
  return bytes.toString('utf8', 0, object.write(bytes, 0));
};
