// SPDX-License-Identifier: Apache-2.0
/**
 * A registration belongs to the user who created it: others need the verb `manage` on it to change or delete it, and to write the
 * Lease of the same name, which is its heartbeat. So the roles of machines need no list of names.
 */
import {accessFault, decodeItem, type StatusError, type StrategyContext, type WriteAccess} from '@palisade/apiserver';
import {PLATFORM_GROUP, PLATFORM_VERSION} from '../endpoint-groups/schema.ts';
import type {KindGuard} from '../kind-guard.ts';
import {liftLimit} from './per-user.ts';
import type {EndpointRegistration} from './types.ts';

const REGISTRATIONS = {group: PLATFORM_GROUP, version: PLATFORM_VERSION, resource: 'endpointregistrations'};
const LEASES = {group: 'coordination.k8s.io', version: 'v1', resource: 'leases'};

type Named = Pick<WriteAccess, 'namespace' | 'name'>;

const faultOf = (
  verb: string,
  of: typeof LEASES,
  {namespace, name}: Named,
  {user, authorizer}: StrategyContext,
): Promise<StatusError | undefined> =>
  accessFault(authorizer, {user, verb, resourceRequest: true, subresource: '', path: '', ...of, namespace, name});

/** Nobody owns one that was created by a user without a name: it has no user, and '' equals no absent field. */
const isOwn = ({spec}: EndpointRegistration, {user}: StrategyContext): boolean => spec?.user === user.name;

/** Throws StatusError 403. */
export const registrationAccess = async (write: WriteAccess, context: StrategyContext): Promise<void> => {
  const {to, current} = write;
  if (to === 'create' && (await faultOf('manage', REGISTRATIONS, write, context)) === undefined) liftLimit(context);
  const fault = to === 'create' ? await faultOf('update', LEASES, write, context) : await manageFault(write, context);
  if (fault === undefined) return;
  if (to !== 'create' && current === undefined && (await mayKnow(write, context))) return;
  throw fault;
};

const manageFault = async (write: WriteAccess, context: StrategyContext): Promise<StatusError | undefined> => {
  if (write.current !== undefined && isOwn(decodeItem(write.current), context)) return undefined;
  return faultOf('manage', REGISTRATIONS, write, context);
};

/** Whether the user may find out in another way that there is no such registration: then it is answered as it is. */
const mayKnow = async (write: WriteAccess, context: StrategyContext): Promise<boolean> => {
  for (const verb of write.name === '' ? ['list'] : ['get', 'create'])
    if ((await faultOf(verb, REGISTRATIONS, write, context)) === undefined) return true;
  return false;
};

/** Leases without a registration of the same name are as upstream has them. */
export const leaseGuard: KindGuard = {
  ...LEASES,
  access: async (write, context) => {
    const registration = context.stored(REGISTRATIONS, write.namespace, write.name);
    if (registration === undefined || isOwn(registration, context)) return;
    const fault = await faultOf('manage', REGISTRATIONS, write, context);
    if (fault !== undefined) throw fault;
  },
};
