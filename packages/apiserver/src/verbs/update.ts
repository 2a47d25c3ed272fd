// SPDX-License-Identifier: Apache-2.0
/** PUT of one object, or of its status; creates what is absent where the kind allows it. */

import type {ObjectAnswer} from '../answer/answer.ts';
import type {KubeObject} from '../base/object.ts';
import {conflict, notFound} from '../base/status-error.ts';
import {managerOf, parseWriteOptions} from '../request/options/write-options.ts';
import {createOnUpdate, mayCreateOnUpdate} from './create-on-update.ts';
import {createOrAgain} from './create-or-again.ts';
import {checkNameParameter} from './name-parameter.ts';
import {checkName, settleNamespace} from './object/admit-namespace.ts';
import type {RequestContext} from './object/request-context.ts';
import {settleSent} from './object/settle-object.ts';
import {trackFields} from './object/track-fields.ts';
import {uidMismatch, updateObject} from './object/update-object.ts';
import {objectAnswer} from './object-answer.ts';
import {checkBodyType, readObject} from './read-object.ts';

export const update = async (context: RequestContext): Promise<ObjectAnswer> => {
  const {kind, query, userAgent, info, body} = context;
  const bytes = await body.read();
  const options = parseWriteOptions(query, 'UpdateOptions');
  checkBodyType(body.contentType);
  const {object, sentManagedFields} = readObject(context, options.fieldValidation, bytes);
  settleNamespace(context, object);
  checkName(context, object);
  checkNameParameter(context);
  settleSent(context, object);
  const manager = managerOf(options, userAgent);
  const {uid} = object.metadata;
  const change = (current: KubeObject | undefined): KubeObject =>
    trackFields(context, manager, current, object, sentManagedFields);
  return createOrAgain(context, async (): Promise<ObjectAnswer> => {
    const updated = await updateObject(context, {change, uid, dryRun: options.dryRun});
    if (updated !== undefined) return objectAnswer(context, 200, updated);
    if (!mayCreateOnUpdate(context, kind.strategy)) throw notFound(kind, info.name);
    if (uid !== undefined && uid !== '') {
      const at = {namespace: object.metadata.namespace ?? '', name: info.name};
      throw conflict(
        kind,
        info.name,
        uidMismatch(kind.registryPath, at, {wanted: uid, found: '', dryRun: options.dryRun}),
      );
    }
    const created = await createOnUpdate(context, change(undefined), options.dryRun);
    return objectAnswer(context, 201, created);
  });
};
