// SPDX-License-Identifier: Apache-2.0
/** How many registrations each user has in a namespace: counted as they come and go, so that a limit costs no look at all of them. */
import {forbidden, type Reservations, type StrategyContext} from '@palisade/apiserver';
import {PLATFORM_GROUP} from '../endpoint-groups/schema.ts';
import type {EndpointRegistration} from './types.ts';

/** One more needs the verb `manage`. */
export const REGISTRATIONS_PER_USER_MAX = 1_000;

const RESOURCE = {group: PLATFORM_GROUP, resource: 'endpointregistrations'};

/** Contexts of creations by users who may have any number: found out where one may wait, used where one may not. */
const unlimited = new WeakSet<StrategyContext>();

export const liftLimit = (context: StrategyContext): void => {
  unlimited.add(context);
};

const holderOf = (namespace: string, user: string): string => `${namespace}/${user}`;

export const registrationsPerUser = (most = REGISTRATIONS_PER_USER_MAX): Reservations => {
  const holders = new Map<string, string>();
  const counts = new Map<string, number>();
  const add = (holder: string, by: 1 | -1): void => {
    const count = (counts.get(holder) ?? 0) + by;
    if (count === 0) counts.delete(holder);
    else counts.set(holder, count);
  };
  return {
    stored: (key, object) => {
      const {metadata, spec} = (object ?? {}) as Partial<EndpointRegistration>;
      const holder = metadata && holderOf(metadata.namespace ?? '', spec?.user ?? '');
      const before = holders.get(key);
      if (holder === before) return;
      if (before !== undefined) add(before, -1);
      if (holder === undefined) holders.delete(key);
      else {
        holders.set(key, holder);
        add(holder, 1);
      }
    },
    damaged: () => {}, // it counts as it did
    reserve: ({draft, current}, context) => {
      if (current !== undefined) return () => {};
      const {namespace = '', name = ''} = draft.metadata;
      const holder = holderOf(namespace, context.user.name);
      if ((counts.get(holder) ?? 0) >= most && !unlimited.has(context)) {
        const why = `User "${context.user.name}" has ${most} registrations in the namespace "${namespace}", the limit of one user; delete some, or ask for the verb "manage"`;
        throw forbidden(RESOURCE, name, why);
      }
      add(holder, 1);
      return () => add(holder, -1);
    },
  };
};
