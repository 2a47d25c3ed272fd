// SPDX-License-Identifier: Apache-2.0
/** POST of a collection. */
import {dropForCreate} from '../meta/fill-system-fields.ts';
import {uint64Fault} from '../options/parse-integer.ts';
import {managerOf, parseWriteOptions} from '../options/write-options.ts';
import {plainInternal} from '../status-error.ts';
import {settleNamespace} from './admit-namespace.ts';
import type {ObjectAnswer} from './answer.ts';
import {createObject} from './create-object.ts';
import {checkBodyType, readObject} from './read-object.ts';
import type {RequestContext} from './request-context.ts';
import {review} from './review.ts';
import {settleSent} from './settle-object.ts';
import {trackFields} from './track-fields.ts';

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
  const created = await createObject(context, draft, {
    dryRun: options.dryRun,
    beforeWrite: () => {
      if (!options.dryRun) refuseVersion(object.metadata.resourceVersion ?? '');
    },
  });
  return {type: 'object', code: 201, kind, object: created};
};

/** A version above 0 on something new is the client's mistake; 0 and what is no number count as none. A dry run does not look. */
const refuseVersion = (version: string): void => {
  if (version !== '' && uint64Fault(version) === undefined && BigInt(version) > 0n) {
    throw plainInternal('resourceVersion should not be set on objects to be created');
  }
};
