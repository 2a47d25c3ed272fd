// SPDX-License-Identifier: Apache-2.0
/**
 * Of a Service that is only a name upstream keeps an `internalTrafficPolicy` and does not show it, and keeps a `clusterIP` that
 * came with the change to this type and shows it twice; both but for the events of watches.
 * Ref: kubernetes v1.36 pkg/registry/core/service/storage/storage.go defaultOnReadService.
 */
import {type CachedObject, decodeItem, type KubeObject} from '@palisade/apiserver';
import {normalizeClusterIps} from './allocation/normalize.ts';
import {asService, EXTERNAL_NAME, type ServiceSpec} from './types.ts';

const NAME_ONLY = Buffer.from(`"type":"${EXTERNAL_NAME}"`);

/** As upstream reads it, also before it is changed. */
export const readSpec = (spec: ServiceSpec): ServiceSpec => {
  if (spec.type !== EXTERNAL_NAME) return spec;
  const {internalTrafficPolicy: _, ...rest} = spec;
  normalizeClusterIps(rest, undefined);
  return rest;
};

/** Undefined: all of it is shown. */
export const shownService = (object: CachedObject): KubeObject | undefined => {
  if (!object.value.includes(NAME_ONLY)) return undefined;
  const service = asService(decodeItem(object));
  const {spec} = service;
  const isWhole =
    spec.internalTrafficPolicy === undefined && (spec.clusterIP === undefined) === (spec.clusterIPs === undefined);
  return spec.type !== EXTERNAL_NAME || isWhole ? undefined : {...service, spec: readSpec(spec)};
};
