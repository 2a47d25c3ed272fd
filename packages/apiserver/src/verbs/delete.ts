// SPDX-License-Identifier: Apache-2.0
/** DELETE of one object. */
import {successStatus} from '@palisade/kube-wire';
import type {ObjectAnswer, StatusAnswer} from '../answer/answer.ts';
import {CachedObject, decodeItem} from '../cache/cached-object.ts';
import type {KindDefinition} from '../kind/kind.ts';
import {encodeStored} from '../registry/object-codec.ts';
import {parseDeleteOptions} from '../request/options/delete-options.ts';
import {checkNameParameter} from './name-parameter.ts';
import {deleteObject} from './object/delete-object.ts';
import type {RequestContext} from './object/request-context.ts';
import {objectAnswer} from './object-answer.ts';
import {readDeleteOptions} from './options-body.ts';

export const deleteOne = async (context: RequestContext): Promise<ObjectAnswer | StatusAnswer> => {
  const {kind, registry, query, info} = context;
  const options = parseDeleteOptions(await readDeleteOptions(context), query);
  checkNameParameter(context);
  const {removed, object, uid} = await deleteObject(context, info.name, options);
  // 202 for those that ask in the old way to wait for what depends on the object
  if (!removed) return {type: 'object', code: options.orphanDependents === false ? 202 : 200, kind, object};
  // as upstream: the trial run stops at an object that it has not read yet
  if (options.dryRun && isHeld(object)) return {type: 'object', code: 200, kind, object: emptyObject(registry.kind)};
  if (kind.strategy.deletion?.answersDeleted === true) return objectAnswer(context, 200, object);
  const status = successStatus({name: info.name, group: kind.group, kind: kind.resource, uid});
  return {type: 'status', code: 200, status};
};

const isHeld = (object: CachedObject): boolean => (decodeItem(object).metadata.finalizers ?? []).length > 0;

const emptyObject = (kind: KindDefinition): CachedObject =>
  new CachedObject({namespace: '', name: ''}, encodeStored(kind, {metadata: {}}), 0n, '');
