// SPDX-License-Identifier: Apache-2.0
/** How a machine leaves its group: it asks for no new work, waits, and deletes its registration. */
import {isConflict, isKubeError, isTransportError} from '@palisade/client';
import {type Held, heldElsewhere, isRace, renewed, type Wanted, type World} from './hold.ts';
import {applyRegistration, ifFound, type RegistrationObjects} from './objects.ts';
import {renewalMs, retryMs} from './pace.ts';

/** How long a server that is away is tried. */
const LEAVE_MS_MAX = 5_000;
const TOO_MANY = 429;

/** It may go away by itself: no answer, or a server that cannot answer now. */
export const isPassing = (error: unknown): error is Error =>
  isTransportError(error) ||
  isConflict(error) ||
  (isKubeError(error) && (error.status.code === TOO_MANY || error.status.code >= 500));

/** Ends early when `hurry` says so. */
const pause = async (ms: number, {clock, hurry}: World): Promise<void> => {
  try {
    await clock.sleep(ms, hurry);
  } catch (error) {
    if (!hurry.aborted) throw error;
  }
};

const renewOnce = async ({leases, namespace}: RegistrationObjects, wanted: Wanted, held: Held, world: World) => {
  if (held.lease === undefined) return;
  try {
    held.lease = await leases.replace(namespace, renewed(held.lease, wanted.spec.ttlSeconds, world));
  } catch (error) {
    if (!isPassing(error) && !isRace(error)) throw error;
    held.lease = await ifFound(leases.get(namespace, held.lease.metadata?.name ?? '')).catch(() => held.lease);
  }
};

/** Not ready for `drainSeconds`; renewed meanwhile, as a drain may be longer than the TTL. */
const drain = async (
  objects: RegistrationObjects,
  wanted: Wanted,
  held: Held,
  world: World,
  drainSeconds: number,
): Promise<void> => {
  const spec = {...wanted.spec, ...(held.addresses === undefined ? {} : {addresses: held.addresses})};
  try {
    await applyRegistration(objects, wanted.labels, {...spec, draining: true});
  } catch (error) {
    if (isPassing(error)) return; // nobody would see it drain
    throw error;
  }
  world.report({event: 'draining', seconds: drainSeconds});
  const endsAt = world.clock.now() + drainSeconds * 1000;
  for (
    let leftMs = endsAt - world.clock.now();
    leftMs > 0 && !world.hurry.aborted;
    leftMs = endsAt - world.clock.now()
  ) {
    await pause(Math.min(leftMs, renewalMs(wanted.spec.ttlSeconds, world.random())), world);
    if (world.clock.now() < endsAt && !world.hurry.aborted) await renewOnce(objects, wanted, held, world);
  }
};

/** Another holder means another machine: its registration is not ours to delete. */
const remove = async ({registrations, leases, namespace, name}: RegistrationObjects, uid: string, world: World) => {
  const holder = (await ifFound(leases.get(namespace, name)))?.spec?.holderIdentity ?? '';
  if (holder !== '' && holder !== world.identity) throw heldElsewhere(name, holder);
  try {
    await ifFound(registrations.delete(namespace, name, {uid, propagationPolicy: 'Background'}));
  } catch (error) {
    if (!isConflict(error)) throw error; // it is another one by now
  }
};

/** Deletes the registration; its Lease goes with it. Throws KubeError, CommandError; a server that is away is reported. */
export const leave = async (
  objects: RegistrationObjects,
  wanted: Wanted,
  held: Held,
  world: World,
  drainSeconds: number,
): Promise<void> => {
  const {uid} = held;
  if (uid === undefined) return; // nothing was written
  if (drainSeconds > 0 && !world.hurry.aborted) await drain(objects, wanted, held, world, drainSeconds);
  const {ttlSeconds} = wanted.spec;
  const endsAt = world.clock.now() + LEAVE_MS_MAX;
  for (let failures = 1; ; failures++) {
    try {
      await remove(objects, uid, world);
      world.report({event: 'left', deleted: true, ttlSeconds});
      return;
    } catch (error) {
      if (!isPassing(error)) throw error;
      const waitMs = retryMs(ttlSeconds, failures, world.random());
      if (world.hurry.aborted || world.clock.now() + waitMs >= endsAt) {
        world.report({event: 'left', deleted: false, error: error.message, ttlSeconds});
        return;
      }
      await pause(waitMs, world);
    }
  }
};
