// SPDX-License-Identifier: Apache-2.0
/** DELETE of one object. */

import {successStatus} from '@palisade/wire/kube';
import {parseDeleteOptions} from '../options/delete-options.ts';
import type {ObjectAnswer, StatusAnswer} from './answer.ts';
import {deleteObject} from './delete-object.ts';
import {checkNameParameter} from './name-parameter.ts';
import {optionsBodyToJson} from './options-body.ts';
import {type RequestContext, strategyContext} from './request-context.ts';

export const deleteOne = async (context: RequestContext): Promise<ObjectAnswer | StatusAnswer> => {
  const {kind, query, info, body} = context;
  const bytes = await body.read();
  const options = parseDeleteOptions(bytes, query, text => optionsBodyToJson(body.contentType, text));
  kind.strategy.admitDelete?.(info.name, strategyContext(context));
  checkNameParameter(context);
  const {removed, object, uid} = await deleteObject(context, info.name, options);
  if (!removed) return {type: 'object', code: 200, kind, object};
  const status = successStatus({name: info.name, group: kind.group, kind: kind.resource, uid});
  return {type: 'status', code: 200, status};
};
