// SPDX-License-Identifier: Apache-2.0
import type {ObjectAnswer} from '../answer/answer.ts';
import {type CachedObject, decodeItem} from '../cache/cached-object.ts';
import {shownForm} from '../registry/own-form.ts';
import {isDueForRemoval} from './object/deletion.ts';
import type {RequestContext} from './object/request-context.ts';

/** An object as its kind shows it; through a subresource, or when the write was its end, as it was written. */
export const objectAnswer = (
  context: RequestContext,
  code: ObjectAnswer['code'],
  object: CachedObject,
): ObjectAnswer => {
  const {kind, info} = context;
  const asWritten = info.subresource !== '' || (kind.shown !== undefined && isGone(context, object));
  return {type: 'object', code, kind, object: asWritten ? object : shownForm(kind, object)};
};

const isGone = ({kind, services}: RequestContext, object: CachedObject): boolean =>
  isDueForRemoval(kind, decodeItem(object), services.clock.now());
