// SPDX-License-Identifier: Apache-2.0
/**
 * Creation by a write that could have been an update (PUT, apply): the version in the draft is read, but not compared, and who
 * writes needs the right to create too. Ref: kubernetes v1.36 apiserver/pkg/endpoints/handlers/update.go withAuthorization.
 */
import {attributesOf} from '../authz/attributes.ts';
import {accessFault} from '../authz/forbidden-access.ts';
import type {KubeObject} from '../base/object.ts';
import {plainInternal} from '../base/status-error.ts';
import type {CachedObject} from '../cache/cached-object.ts';
import {uint64Fault} from '../request/options/parse-integer.ts';
import {createObject} from './object/create-object.ts';
import type {RequestContext} from './object/request-context.ts';

/** Of a subresource, its own word counts. */
export const mayCreateOnUpdate = (
  {kind, info: {subresource}}: RequestContext,
  whole: {readonly allowCreateOnUpdate: boolean},
): boolean =>
  (subresource === '' ? whole : kind.subresources?.find(({name}) => name === subresource))?.allowCreateOnUpdate ===
  true;

/** Throws StatusError; 500 for a version that is no number, 403 without the right to create. */
export const createOnUpdate = (context: RequestContext, draft: KubeObject, dryRun: boolean): Promise<CachedObject> =>
  createObject(context, draft, {
    dryRun,
    onceAdmitted: () => {
      const version = draft.metadata.resourceVersion ?? '';
      const fault = version === '' ? undefined : uint64Fault(version);
      if (fault !== undefined) throw plainInternal(fault);
    },
    beforeWrite: () => mayCreate(context),
  });

/** Asked last, so a refusal of the object itself is told first. Throws StatusError 403. */
const mayCreate = async ({services, user, info}: RequestContext): Promise<void> => {
  const fault = await accessFault(services.authorizer, attributesOf(user, {...info, verb: 'create'}));
  if (fault !== undefined) throw fault;
};
