// SPDX-License-Identifier: Apache-2.0
/** Registers this machine and renews its Lease until it has to stop; then leaves. */
import {isKubeError, isTransportError, isUntrustedCertificate} from '@palisade/client';
import {groupDoubts} from './group-doubts.ts';
import {type Held, hold, isRace, renewed, type Wanted, type World} from './hold.ts';
import {isPassing, leave} from './leave.ts';
import type {RegistrationObjects} from './objects.ts';
import {renewalMs, retryMs} from './pace.ts';

/** Whether it is worth to try again. A certificate that is not trusted at the start is a fault of the flags. */
const isToRetry = (error: unknown, held: Held): error is Error =>
  isPassing(error) && !(held.uid === undefined && isTransportError(error) && isUntrustedCertificate(error));

const waitAsked = (error: unknown): number => ((isKubeError(error) && error.status.retryAfterSeconds) || 0) * 1000;

/** One renewal; everything is looked at again where the Lease is not as this process left it, and after failures. */
const renew = async (objects: RegistrationObjects, wanted: Wanted, held: Held, world: World): Promise<void> => {
  if (held.lease === undefined) return hold(objects, wanted, held, world);
  try {
    const lease = renewed(held.lease, wanted.spec.ttlSeconds, world);
    held.lease = await objects.leases.replace(objects.namespace, lease, {signal: world.stop});
  } catch (error) {
    if (!isRace(error)) throw error;
    await hold(objects, wanted, held, world);
  }
};

/** Resolves when it left. Throws CommandError, KubeError, TransportError for what does not go away by itself. */
export const keepRegistered = async (
  objects: RegistrationObjects,
  wanted: Wanted,
  world: World,
  drainSeconds: number,
): Promise<void> => {
  const {group, ttlSeconds} = wanted.spec;
  const held: Held = {};
  let failures = 0;
  let reported = '';
  const sayHeld = async (): Promise<void> => {
    const {uid, addresses = []} = held;
    const now = [uid, ...addresses].join();
    if (failures > 0) world.report({event: 'back', failures});
    failures = 0;
    if (now === reported) return;
    reported = now;
    world.report({event: 'registered', group, addresses, ttlSeconds});
    for (const message of await groupDoubts(objects, wanted, held, world.stop))
      world.report({event: 'warning', message});
  };
  const fail = (error: Error): number => {
    held.lease = undefined;
    failures++;
    if (failures === 1) world.report({event: 'renewal-failed', error: error.message});
    return Math.max(retryMs(ttlSeconds, failures, world.random()), waitAsked(error));
  };
  while (!world.stop.aborted) {
    try {
      let waitMs: number;
      try {
        await renew(objects, wanted, held, world);
        await sayHeld();
        waitMs = renewalMs(ttlSeconds, world.random());
      } catch (error) {
        if (world.stop.aborted || !isToRetry(error, held)) throw error;
        waitMs = fail(error);
      }
      await world.clock.sleep(waitMs, world.stop);
    } catch (error) {
      if (!world.stop.aborted) throw error;
    }
  }
  await leave(objects, wanted, held, world, drainSeconds);
};
