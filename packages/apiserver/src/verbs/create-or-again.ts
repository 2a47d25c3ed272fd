// SPDX-License-Identifier: Apache-2.0
/** Writes that create what is absent (PUT, apply): when somebody else creates it at the same moment, the write becomes an update. */
import {StatusError} from '../base/status-error.ts';
import type {RequestContext} from './object/request-context.ts';

/**
 * Calls `step` until it does not lose that race. `step` looks at the object anew each time. An object that is there but being
 * deleted is refused as it is. Throws StatusError.
 */
export const createOrAgain = async <T>(
  {services, registry, kind, info}: RequestContext,
  step: () => Promise<T>,
): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await step();
    } catch (error) {
      const lost = error instanceof StatusError && error.status.reason === 'AlreadyExists';
      const there = lost ? registry.get(kind.namespaced ? info.namespace : '', info.name) : undefined;
      if (there === undefined || attempt >= services.limits.updateAttemptsMax) throw error;
    }
  }
};
