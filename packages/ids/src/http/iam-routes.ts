// SPDX-License-Identifier: Apache-2.0
/**
 * `POST /v1/{resource}:testIamPermissions`: `{"permissions": ["ids.threats.update", …]}` → those of them that the caller has, in the order
 * given. The resource is a location or an endpoint; `-` may stand for parts. Ref: google.iam.v1.IAMPolicy.TestIamPermissions.
 */
import {PERMISSIONS_EVERYWHERE, parseIdsEndpointName, parseLocationName, WILDCARD} from '@palisade/ids-wire';
import {PERMISSIONS, type Permission} from '../auth.ts';
import {TESTED_PERMISSIONS_MAX} from '../limits.ts';
import {objectOf, unknownFields} from '../request-body.ts';
import {invalidArgument} from '../rpc-error.ts';
import {sendJson} from './answer.ts';
import {readJson} from './exchange.ts';
import type {Call, Route} from './routes.ts';

const RESOURCE = /^(projects\/[^/]+\/locations\/[^/]+(?:\/endpoints\/[^/:]+)?):testIamPermissions$/;

const isPermission = (text: unknown): text is Permission =>
  typeof text === 'string' && Object.hasOwn(PERMISSIONS, text);

/** Throws INVALID_ARGUMENT with every fault. */
const parseBody = (body: unknown): readonly Permission[] => {
  const given = objectOf(body);
  const {permissions = []} = given;
  const violations = unknownFields(given, ['permissions']);
  if (!Array.isArray(permissions))
    violations.push({field: 'permissions', description: 'must be a list of permissions'});
  else if (permissions.length > TESTED_PERMISSIONS_MAX)
    violations.push({
      field: 'permissions',
      description: `has ${permissions.length} permissions; at most ${TESTED_PERMISSIONS_MAX} are tested at once`,
    });
  else
    for (const [at, permission] of permissions.entries())
      if (!isPermission(permission))
        violations.push({
          field: `permissions[${at}]`,
          description: `${JSON.stringify(permission)} is not a permission; they are ${Object.keys(PERMISSIONS).join(', ')}`,
        });
  if (violations.length > 0) throw invalidArgument(violations);
  return permissions as readonly Permission[];
};

const handle = async ({caller, name, query, request, response}: Call): Promise<void> => {
  const asked = [...new Set(parseBody(await readJson(request)))];
  const endpoint = parseIdsEndpointName(name);
  const project = (endpoint ?? parseLocationName(name))?.project ?? '';
  const id = endpoint === undefined || endpoint.endpointId === WILDCARD ? {} : {id: endpoint.endpointId};
  const isWide = (permission: Permission): boolean => PERMISSIONS_EVERYWHERE.includes(permission);
  const found = new Set([
    ...(await caller.permitted(
      asked.filter(permission => !isWide(permission)),
      {project, ...id},
    )),
    ...(await caller.permitted(asked.filter(isWide), {project: WILDCARD})),
  ]);
  const permissions = asked.filter(permission => found.has(permission));
  sendJson(response, query, permissions.length === 0 ? {} : {permissions});
};

export const IAM_ROUTES: readonly Route[] = [{method: 'POST', path: RESOURCE, parameters: [], handle}];
