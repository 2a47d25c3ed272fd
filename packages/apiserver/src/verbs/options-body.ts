// SPDX-License-Identifier: Apache-2.0
import {DecodeError, kubeTypes} from '@palisade/wire/kube';
import {yamlToJson} from '../codec/yaml.ts';
import {MEDIA_TYPE} from '../http/accept.ts';
import {decodeProtobufBody} from '../protobuf.ts';
import {badRequest} from '../status-error.ts';
import {checkBodyType} from './read-object.ts';

const DELETE_OPTIONS = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';

/** The DeleteOptions in the body of a DELETE as JSON. Throws StatusError 400, 415. */
export const optionsBodyToJson = (contentType: string, body: Buffer): Buffer => {
  checkBodyType(contentType);
  try {
    if (contentType === MEDIA_TYPE.yaml) return Buffer.from(yamlToJson(body).text);
    if (contentType !== MEDIA_TYPE.protobuf) return body;
    return Buffer.from(JSON.stringify(decodeProtobufBody(kubeTypes, DELETE_OPTIONS, body, () => {})));
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
};
