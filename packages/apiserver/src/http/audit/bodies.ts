// SPDX-License-Identifier: Apache-2.0
/** Bodies of requests and answers of the Kubernetes API as the JSON that an audit event has. */
import {decodeRequestBody, encodeJson} from '@palisade/kube-wire';
import {yamlToJson} from '@palisade/kube-wire/yaml';
import type {Answer, ListAnswer, ObjectAnswer, WatchAnswer} from '../../answer/answer.ts';
import {isWithin} from '../../answer/list-body.ts';
import type {Compat} from '../../base/compat.ts';
import type {KindDefinition} from '../../kind/kind.ts';
import {listHeadOf, typesOf, wholeJson} from '../../registry/object-codec.ts';
import {MEDIA_TYPE} from '../../request/accept.ts';
import type {AuditTrail, BodyText} from './audit-trail.ts';
import type {AuditObjectRef} from './event.ts';

type Sent = {readonly contentType: string; readonly bytes: Buffer};

/** A longer list is left out of its event. */
const LIST_BYTES_MAX = 1024 * 1024;

/** What was sent, as it was sent. A YAML patch is the JSON that it stands for; protobuf is decoded as an object of the kind. */
export const bodyText =
  (kind: KindDefinition, compat: Compat, {contentType, bytes}: Sent, trail: AuditTrail): BodyText =>
  () => {
    if (bytes.length === 0) return undefined;
    return withoutManagedFields(jsonOf(kind, compat, {contentType, bytes}), trail);
  };

const jsonOf = (kind: KindDefinition, compat: Compat, {contentType, bytes}: Sent): string => {
  if (contentType === MEDIA_TYPE.protobuf) {
    const types = typesOf(kind, compat);
    return encodeJson(types, kind.typeName, decodeRequestBody(types, kind, {bytes, protobuf: true}).object);
  }
  const text = bytes.toString('utf8');
  return /yaml/.test(contentType) && !text.startsWith('{') ? yamlToJson(bytes).text : text;
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
