// SPDX-License-Identifier: Apache-2.0
import {MEDIA_TYPE} from '../http/accept.ts';
import {notServedYet} from '../status-error.ts';
import {checkBodyType} from './read-object.ts';
import {yamlToJson} from './yaml-body.ts';

/** The body of a DELETE as JSON. Throws StatusError 415. */
export const optionsBodyToJson = (contentType: string, body: Buffer): Buffer => {
  checkBodyType(contentType);
  if (contentType === MEDIA_TYPE.yaml) return Buffer.from(yamlToJson(body).text);
  if (contentType === MEDIA_TYPE.protobuf) throw notServedYet('a protobuf body of DeleteOptions');
  return body;
};
