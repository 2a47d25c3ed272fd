// SPDX-License-Identifier: Apache-2.0
/**
 * Makes the registration and its Lease what this process wants, whatever is there: nothing, its own of an earlier start, one that
 * expired. What another user, another process or another machine holds is left as it is.
 *
 * I1 the registration is not written before its Lease is known to be free.
 * I2 a Lease of another holder is taken only after a whole duration of it without a renewal that was seen from here, or once the
 *    server says that it expired: the times in it are those of another clock.
 */
import {type Clock, isAlreadyExists, isConflict, isNotFound} from '@palisade/client';
import {CommandError} from '../command-line/io.ts';
import {hostOf, type seenFrom} from './holder.ts';
import {
  applyRegistration,
  ifFound,
  type Lease,
  microTime,
  nameText,
  ownerReference,
  ownUser,
  type Registration,
  type RegistrationObjects,
  type RegistrationSpec,
} from './objects.ts';
import type {RegisterEvent} from './register-events.ts';

export type Wanted = {
  /** Without addresses: that of this machine on the route to the server. */
  readonly spec: RegistrationSpec & {readonly ttlSeconds: number};
  readonly labels: Readonly<Record<string, string>>;
};

/** What the process is given of its machine. */
export type World = {
  /** Never jumps. */
  readonly clock: Clock;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly identity: string;
  readonly seenFrom: typeof seenFrom;
  /** Rejects with TransportError or CommandError. */
  readonly ownAddress: () => Promise<string>;
  readonly report: (event: RegisterEvent) => void;
  /** Aborted when this process has to leave. */
  readonly stop: AbortSignal;
  /** Aborted when it has to leave without more waiting. */
  readonly hurry: AbortSignal;
};

/** What was reached so far; kept over failures. */
export type Held = {
  /** Of the registration; undefined before it was written. */
  uid?: string;
  addresses?: readonly string[];
  /** Those of the registration, also of other writers. */
  labels?: Readonly<Record<string, string>>;
  /** As last seen; undefined while it has to be looked at again. */
  lease?: Lease | undefined;
};

/** Looks at a Lease so many times while it waits for its end. */
const LOOKS = 5;
/** Writes that another client may come between. */
const TRIES_MAX = 5;

export const heldElsewhere = (name: string, holder: string): CommandError =>
  new CommandError(
    `${nameText(name)} is held by another machine or process (${holder}), which renews its Lease; give this one another name with --name NAME, or stop ${hostOf(holder)}`,
  );

const refuseForeign = async (
  objects: RegistrationObjects,
  {spec}: Wanted,
  {spec: current, metadata}: Registration,
): Promise<void> => {
  const {name} = objects;
  const user = current?.user ?? '';
  const own = user === '' ? undefined : await ownUser(objects);
  if (own !== undefined && own !== user)
    throw new CommandError(
      `${nameText(name)} belongs to the user ${JSON.stringify(user)}, not to ${JSON.stringify(own)}; give this one another name with --name NAME, or let that user or an administrator delete it: palisade deregister ${name}`,
    );
  if (current?.group !== spec.group)
    throw new CommandError(
      `${nameText(name)} is for the group ${JSON.stringify(current?.group ?? '')}, and a group cannot be changed; give this one another name with --name NAME, or delete it first: palisade deregister ${name}`,
    );
  if (metadata?.deletionTimestamp !== undefined)
    throw new CommandError(
      `${nameText(name)} is being deleted and finalizers hold it; see palisade why-not-deleted ${nameText(name)}`,
    );
};

const isSameRenewal = (a: Lease | undefined, b: Lease): boolean =>
  a?.spec?.holderIdentity === b.spec?.holderIdentity && a?.spec?.renewTime === b.spec?.renewTime;

/** Resolves to the Lease once it is free, to undefined once it is gone. Throws CommandError as soon as its holder renews it. */
const outlive = async (
  {leases, namespace, name}: RegistrationObjects,
  lease: Lease,
  {ttlSeconds}: Wanted['spec'],
  world: World,
): Promise<Lease | undefined> => {
  const seconds = lease.spec?.leaseDurationSeconds ?? ttlSeconds;
  const holder = lease.spec?.holderIdentity ?? '';
  world.report({event: 'waiting', holder, seconds});
  for (let look = 1; ; look++) {
    await world.clock.sleep(Math.ceil((seconds * 1000) / LOOKS), world.stop);
    const now = await ifFound(leases.get(namespace, name));
    if (now === undefined || (now.spec?.holderIdentity ?? '') === '') return now;
    if (!isSameRenewal(now, lease)) throw heldElsewhere(name, now.spec?.holderIdentity ?? '');
    if (look === LOOKS) return now;
  }
};

/** Resolves to the Lease that may be taken; undefined where there is no Lease. */
const freeLease = async (
  objects: RegistrationObjects,
  registration: Registration | undefined,
  wanted: Wanted,
  held: Held,
  world: World,
): Promise<Lease | undefined> => {
  const {leases, namespace, name} = objects;
  const lease = await ifFound(leases.get(namespace, name));
  const holder = lease?.spec?.holderIdentity ?? '';
  if (lease === undefined || holder === '' || holder === world.identity) return lease;
  if (held.uid !== undefined) throw heldElsewhere(name, holder); // it was ours
  const seen = world.seenFrom(world.identity, holder);
  if (typeof seen === 'number')
    throw new CommandError(
      `${nameText(name)} is held by process ${seen} of this machine; stop it, or give this one another name with --name NAME`,
    );
  if (seen === 'gone' || registration?.status?.state === 'Expired') return lease;
  return outlive(objects, lease, wanted.spec, world);
};

/** The Lease with this process as its holder. */
export const renewed = (lease: Lease | undefined, ttlSeconds: number, {identity, now}: World): Lease => {
  const {managedFields: _, ...metadata} = lease?.metadata ?? {};
  const time = microTime(now());
  const isOwn = lease?.spec?.holderIdentity === identity;
  const transitions = lease?.spec?.leaseTransitions ?? 0;
  return {
    ...lease,
    metadata,
    spec: {
      ...lease?.spec,
      holderIdentity: identity,
      leaseDurationSeconds: ttlSeconds,
      acquireTime: isOwn ? (lease?.spec?.acquireTime ?? time) : time,
      renewTime: time,
      leaseTransitions: lease === undefined || isOwn ? transitions : transitions + 1,
    },
  };
};

const takeLease = (
  {leases, namespace, name}: RegistrationObjects,
  lease: Lease | undefined,
  registration: Registration,
  ttlSeconds: number,
  world: World,
): Promise<Lease> => {
  const {metadata, ...rest} = renewed(lease, ttlSeconds, world);
  const draft = {...rest, metadata: {...metadata, name, ownerReferences: [ownerReference(registration)]}};
  return lease === undefined ? leases.create(namespace, draft) : leases.replace(namespace, draft);
};

/** The Lease is not as it was read: it was changed, deleted or created meanwhile. */
export const isRace = (error: unknown): boolean => isConflict(error) || isAlreadyExists(error) || isNotFound(error);

const addressesOf = async ({spec}: Wanted, held: Held, world: World): Promise<readonly string[]> => {
  if (spec.addresses !== undefined) return spec.addresses;
  try {
    return [await world.ownAddress()];
  } catch (error) {
    if (held.addresses === undefined || !(error instanceof CommandError)) throw error;
    return held.addresses; // the server is reached now from where nobody else could reach this machine
  }
};

/** Resolves when it is held. Throws CommandError, KubeError, TransportError, and the reason of `stop`. */
export const hold = async (objects: RegistrationObjects, wanted: Wanted, held: Held, world: World): Promise<void> => {
  const {registrations, namespace, name} = objects;
  held.lease = undefined;
  for (let tries = 1; held.lease === undefined; tries++) {
    const current = await ifFound(registrations.get(namespace, name));
    if (current !== undefined) await refuseForeign(objects, wanted, current);
    const free = await freeLease(objects, current, wanted, held, world);
    const addresses = await addressesOf(wanted, held, world);
    const registration = await applyRegistration(objects, wanted.labels, {...wanted.spec, addresses});
    held.uid = registration.metadata?.uid ?? '';
    held.addresses = addresses;
    held.labels = registration.metadata?.labels ?? {};
    try {
      held.lease = await takeLease(objects, free, registration, wanted.spec.ttlSeconds, world);
    } catch (error) {
      if (!isRace(error) || (free === undefined && isNotFound(error)) || tries === TRIES_MAX) throw error;
    }
  }
};
