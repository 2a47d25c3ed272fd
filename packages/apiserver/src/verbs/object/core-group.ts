// SPDX-License-Identifier: Apache-2.0
/** E-257: in owner references and in managedFields `core/v1` counts as `v1`. */
import type {Json, JsonObject} from '@palisade/kube-wire';
import {isJsonArray, isJsonObject} from '@palisade/kube-wire';
import type {RequestContext} from './request-context.ts';

const isOfCore = (item: Json): item is JsonObject => isJsonObject(item) && item['apiVersion'] === 'core/v1';

/** The items of a list, whatever it is, with `v1` where they say `core/v1`. What does not change is shared. */
export const withCoreVersions = ({services}: RequestContext, list: Json | undefined): Json | undefined =>
  services.compat.takesCoreGroup && isJsonArray(list) && list.some(isOfCore)
    ? list.map(item => (isOfCore(item) ? {...item, apiVersion: 'v1'} : item))
    : list;

/** The same for the owners in a configuration that is applied. */
export const withCoreOwners = (context: RequestContext, applied: Json): Json => {
  const metadata = isJsonObject(applied) ? applied['metadata'] : undefined;
  if (!isJsonObject(applied) || !isJsonObject(metadata)) return applied;
  const sent = metadata['ownerReferences'];
  const ownerReferences = withCoreVersions(context, sent);
  return ownerReferences === undefined || ownerReferences === sent
    ? applied
    : {...applied, metadata: {...metadata, ownerReferences}};
};
