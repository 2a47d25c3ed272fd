// SPDX-License-Identifier: Apache-2.0
/**
 * POST of a kind that is answered and never stored. Options, decoding and field owners are those of every create; what is
 * answered is what the kind makes of it. Ref: kubernetes v1.36 pkg/registry/authorization (REST.Create), handlers/create.go.
 */

import type {ObjectAnswer} from '../answer/answer.ts';
import {attributesOf} from '../authz/attributes.ts';
import {groupVersionOf, type KubeObject} from '../base/object.ts';
import {CachedObject} from '../cache/cached-object.ts';
import type {KindDefinition, ReviewHandler} from '../kind/kind.ts';
import {encodeStored} from '../registry/object-codec.ts';
import {managerOf, parseWriteOptions} from '../request/options/write-options.ts';
import {settleNamespace} from './object/admit-namespace.ts';
import {type RequestContext, strategyContext} from './object/request-context.ts';
import {trackFields} from './object/track-fields.ts';
import {checkBodyType, readObject} from './read-object.ts';

export const review = async (context: RequestContext, handler: ReviewHandler): Promise<ObjectAnswer> => {
  const {kind, query, userAgent, user, info, body} = context;
  checkBodyType(body.contentType);
  const bytes = await body.read();
  const options = parseWriteOptions(query, 'CreateOptions');
  const {object, sentManagedFields} = readObject(context, options.fieldValidation, bytes);
  settleNamespace(context, object);
  kind.applyDefaults?.(object);
  if (info.subresource === '') dropSystemFields(object); // questions about an object may name its uid
  const draft = trackFields(context, managerOf(options, userAgent), undefined, object, sentManagedFields);
  const answer = await handler(draft, {...strategyContext(context), attributes: attributesOf(user, info)});
  return {type: 'object', code: 201, kind, object: toUnstored(kind, answer)};
};

const dropSystemFields = ({metadata}: KubeObject): void => {
  delete metadata.creationTimestamp;
  delete metadata.uid;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
};

/** In the form of objects that are sent: without kind and apiVersion, with everything in wire order. */
const toUnstored = (kind: KindDefinition, answer: KubeObject): CachedObject => {
  const value = encodeStored(kind, {...answer, kind: kind.kind, apiVersion: groupVersionOf(kind)});
  const {namespace = '', name = ''} = answer.metadata;
  return new CachedObject({namespace, name}, value, 0n, '');
};
