// SPDX-License-Identifier: Apache-2.0
import {groupVersionOf, type KubeObject} from '../../base/object.ts';
import {type CachedObject, decodeItem} from '../../cache/cached-object.ts';
import type {RequestContext} from './request-context.ts';

/** The live object as the transform sees it: with kind and apiVersion. */
export const decodeCurrent = (context: RequestContext, cached: CachedObject): KubeObject => {
  const {metadata, ...rest} = decodeItem(cached);
  return {kind: context.kind.kind, apiVersion: groupVersionOf(context.kind), metadata, ...rest};
};
