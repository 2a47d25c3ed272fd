// SPDX-License-Identifier: Apache-2.0
/**
 * Of a Service that is only a name upstream keeps an `internalTrafficPolicy` and does not show it, and keeps a `clusterIP` that
 * came with the change to this type and shows it twice; both but for the events of watches.
 * Ref: kubernetes v1.36 pkg/registry/core/service/storage/storage.go defaultOnReadService.
 */
import {CachedObject, decodeItem} from '@palisade/apiserver';
import {encodeJson, type JsonObject, kubeTypes} from '@palisade/kube-wire';
import {normalizeClusterIps} from './allocation/normalize.ts';
import {asService, EXTERNAL_NAME, type ServiceSpec} from './types.ts';

const TYPE_NAME = 'io.k8s.api.core.v1.Service';
const NAME_ONLY = Buffer.from(`"type":"${EXTERNAL_NAME}"`);

/** As upstream reads it, also before it is changed. */
export const readSpec = (spec: ServiceSpec): ServiceSpec => {
  if (spec.type !== EXTERNAL_NAME) return spec;
  const {internalTrafficPolicy: _, ...rest} = spec;
  normalizeClusterIps(rest, undefined);
  return rest;
};

export const shownService = (object: CachedObject): CachedObject => {
  if (!object.value.includes(NAME_ONLY)) return object;
  const {metadata, ...service} = asService(decodeItem(object));
  const {spec} = service;
  const isWhole =
    spec.internalTrafficPolicy === undefined && (spec.clusterIP === undefined) === (spec.clusterIPs === undefined);
  if (spec.type !== EXTERNAL_NAME || isWhole) return object;
  const {resourceVersion: _, ...stored} = metadata;
  const shown = {kind: 'Service', apiVersion: 'v1', ...service, metadata: stored, spec: readSpec(spec)};
  const value = Buffer.from(encodeJson(kubeTypes, TYPE_NAME, shown as unknown as JsonObject));
  return new CachedObject(object, value, object.revision, object.resourceVersion);
};
