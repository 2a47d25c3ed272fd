// SPDX-License-Identifier: Apache-2.0
/** POST of a collection. */

import type {ObjectAnswer} from '../answer/answer.ts';
import type {KubeObject} from '../base/object.ts';
import {plainInternal} from '../base/status-error.ts';
import {decodeItem} from '../cache/cached-object.ts';
import {dropForCreate} from '../kind/meta/fill-system-fields.ts';
import {uint64Fault} from '../request/options/parse-integer.ts';
import {managerOf, parseWriteOptions} from '../request/options/write-options.ts';
import {settleNamespace} from './object/admit-namespace.ts';
import {createObject} from './object/create-object.ts';
import type {RequestContext} from './object/request-context.ts';
import {settleSent} from './object/settle-object.ts';
import {trackFields} from './object/track-fields.ts';
import {objectAnswer} from './object-answer.ts';
import {checkBodyType, readObject} from './read-object.ts';
import {review} from './review.ts';

export const create = async (context: RequestContext): Promise<ObjectAnswer> => {
  const {kind, query, userAgent, body} = context;
  if (kind.review !== undefined) return review(context, kind.review);
  checkBodyType(body.contentType);
  const bytes = await body.read();
  const options = parseWriteOptions(query, 'CreateOptions');
  const {object, sentManagedFields} = readObject(context, options.fieldValidation, bytes);
  settleNamespace(context, object);
  settleSent(context, object);
  dropForCreate(object);
  const draft = trackFields(context, managerOf(options, userAgent), undefined, object, sentManagedFields);
  let revealTo: ((answered: KubeObject) => void) | undefined;
  const created = await createObject(context, draft, {
    dryRun: options.dryRun,
    onAnswerOnce: reveal => {
      revealTo = reveal;
    },
    beforeWrite: () => {
      if (!options.dryRun) refuseVersion(object.metadata.resourceVersion ?? '');
    },
  });
  if (revealTo === undefined || options.dryRun) return objectAnswer(context, 201, created);
  const answered = decodeItem(created);
  revealTo(answered);
  return objectAnswer(context, 201, context.registry.preview(answered, created));
};

/** A version above 0 on something new is the client's mistake; 0 and what is no number count as none. A dry run does not look. */
const refuseVersion = (version: string): void => {
  if (version !== '' && uint64Fault(version) === undefined && BigInt(version) > 0n) {
    throw plainInternal('resourceVersion should not be set on objects to be created');
  }
};
