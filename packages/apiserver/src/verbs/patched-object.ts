// SPDX-License-Identifier: Apache-2.0
/** A patched document becomes an object again; what cannot is 422 with the document (or the patch) as the bad value. */
import {compareUtf8, failureStatus, invalid, type JsonObject} from '@palisade/kube-wire';
import type {PatchFault} from '@palisade/kube-wire/patch';
import type {KubeObject} from '../base/object.ts';
import {invalidObject, StatusError} from '../base/status-error.ts';
import {asKubeObject} from '../registry/object-codec.ts';
import {checkName, settleNamespace} from './object/admit-namespace.ts';
import type {RequestContext} from './object/request-context.ts';
import {settlePatched} from './object/settle-object.ts';

export const faultToStatus = ({code, reason, message, causes, emptyDetails}: PatchFault): StatusError =>
  new StatusError(
    failureStatus(code, reason, message, causes !== undefined ? {causes} : emptyDetails === true ? {} : undefined),
  );

/** `text` is the document or the patch as the reference quotes it. */
export const refusePatch = (text: string, why: string): StatusError =>
  invalidObject({group: '', kind: ''}, '', [invalid('patch', text, why)]);

/** The maps of a patched document went through an encoder, which sorts them; faults are told in that order. */
const inKeyOrder = (map: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(map).sort(([a], [b]) => compareUtf8(a, b)));

/** The object of the path, ready to be tracked and checked. Throws StatusError 400. */
export const toPatchedObject = (context: RequestContext, decoded: JsonObject): KubeObject => {
  const object = asKubeObject(decoded);
  const {metadata} = object;
  if (metadata.labels !== undefined) metadata.labels = inKeyOrder(metadata.labels);
  if (metadata.annotations !== undefined) metadata.annotations = inKeyOrder(metadata.annotations);
  settleNamespace(context, object);
  checkName(context, object);
  settlePatched(context, object);
  return object;
};
