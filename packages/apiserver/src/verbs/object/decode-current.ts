// SPDX-License-Identifier: Apache-2.0
import {groupVersionOf, type KubeObject} from '../../base/object.ts';
import {type CachedObject, decodeItem} from '../../cache/cached-object.ts';
import type {KindDefinition} from '../../kind/kind.ts';

/** The live object of a kind, with kind and apiVersion. */
export const decodeCurrent = (kind: KindDefinition, cached: CachedObject): KubeObject => {
  const {metadata, ...rest} = decodeItem(cached);
  return {kind: kind.kind, apiVersion: groupVersionOf(kind), metadata, ...rest};
};
