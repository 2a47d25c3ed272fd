// SPDX-License-Identifier: Apache-2.0
import {encodeJson} from '../codec/encode.ts';
import {kubeTypes} from '../gen/kube-types.ts';
import type {JsonObject} from '../schema.ts';
import type {Status} from '../status/status.ts';

const STATUS = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status';

/** A Status as compact JSON, without a final newline. Details that are there but empty stay as `{}`. */
export const statusJson = (status: Status): string => {
  const text = encodeJson(kubeTypes, STATUS, status as unknown as JsonObject);
  if (status.details === undefined || text.includes('"details":')) return text;
  return text.replace(/(,"code":\d+)?\}$/, ',"details":{}$1}');
};
