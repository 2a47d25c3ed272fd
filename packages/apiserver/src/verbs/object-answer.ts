// SPDX-License-Identifier: Apache-2.0
import type {ObjectAnswer} from '../answer/answer.ts';
import type {CachedObject} from '../cache/cached-object.ts';
import {shownForm} from '../registry/own-form.ts';
import type {RequestContext} from './object/request-context.ts';

/** An object as its kind shows it; through a subresource, as it is stored. */
export const objectAnswer = (
  {kind, info}: RequestContext,
  code: ObjectAnswer['code'],
  object: CachedObject,
): ObjectAnswer => ({type: 'object', code, kind, object: info.subresource === '' ? shownForm(kind, object) : object});
