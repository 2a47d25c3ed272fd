// SPDX-License-Identifier: Apache-2.0
import {DecodeError, decodeDeleteOptions, kubeTypes} from '@palisade/kube-wire';
import {yamlToJson} from '@palisade/kube-wire/yaml';
import {badRequest} from '../base/status-error.ts';
import {MEDIA_TYPE} from '../request/accept.ts';
import type {SentDeleteOptions} from '../request/options/delete-options.ts';
import type {RequestContext} from './object/request-context.ts';
import {checkBodyType} from './read-object.ts';

/** The DeleteOptions in the body of a DELETE; undefined when there is no body. Throws StatusError 400, 413, 415. */
export const readDeleteOptions = async ({body}: RequestContext): Promise<SentDeleteOptions | undefined> => {
  const bytes = await body.read();
  if (bytes.length === 0) return undefined;
  const {contentType} = body;
  checkBodyType(contentType);
  try {
    const json = contentType === MEDIA_TYPE.yaml ? yamlToJson(bytes).text : undefined;
    return decodeDeleteOptions(kubeTypes, {bytes, json, protobuf: contentType === MEDIA_TYPE.protobuf});
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
};
