// SPDX-License-Identifier: Apache-2.0
/** One registration and its Lease, as a server has them: versions, one winner of two writers, an owner reference that takes the Lease along. */
import {KubeError, type ResourceClient, TransportError} from '@palisade/client';
import type {Group, Lease, Registration, RegistrationObjects, RegistrationSpec} from '../objects.ts';

export type FakeRegistry = {
  readonly objects: RegistrationObjects;
  registration: Registration | undefined;
  lease: Lease | undefined;
  /** Undefined: it does not exist. */
  group: Group | undefined;
  user: string;
  /** Thrown by every call. */
  fault: Error | undefined;
  /** Each call that was answered, with its time: `2000 renew`. */
  readonly calls: readonly string[];
};

export const unreachable = new TransportError('unreachable', 'cannot reach http://server: connection refused');

export const refusal = (code: number, reason: string, message = reason): KubeError =>
  new KubeError({code, reason, message, causes: []});

export const fakeRegistry = (now: () => number): FakeRegistry => {
  const calls: string[] = [];
  let version = 0;
  const nextVersion = (): string => String(++version);
  const answer = <T>(call: string, work: () => T): Promise<T> => {
    if (fake.fault !== undefined) return Promise.reject(fake.fault);
    calls.push(`${now()} ${call}`);
    try {
      return Promise.resolve(work());
    } catch (error) {
      return Promise.reject(error);
    }
  };
  const found = <T>(object: T | undefined): T => {
    if (object === undefined) throw refusal(404, 'NotFound');
    return object;
  };
  const apply = (patch: {metadata: Registration['metadata']; spec: RegistrationSpec}): Registration => {
    const known = fake.registration;
    const uid = known?.metadata?.uid ?? `uid-${nextVersion()}`;
    fake.registration = {
      metadata: {...known?.metadata, ...patch.metadata, uid},
      spec: {...patch.spec, user: known?.spec?.user ?? fake.user},
      ...(known?.status === undefined ? {} : {status: known.status}),
    };
    return fake.registration;
  };
  const remove = (uid: string | undefined): undefined => {
    if (found(fake.registration).metadata?.uid !== uid) throw refusal(409, 'Conflict');
    fake.registration = undefined;
    if (fake.lease?.metadata?.ownerReferences?.some(owner => owner.uid === uid)) fake.lease = undefined;
    return undefined;
  };
  const store = (lease: Lease): Lease => {
    fake.lease = {...lease, metadata: {...lease.metadata, uid: 'lease', resourceVersion: nextVersion()}};
    return fake.lease;
  };
  const registrations: Partial<ResourceClient<Registration>> = {
    get: () => answer('get', () => found(fake.registration)),
    patch: (_namespace, _name, type, patch) => answer(type, () => apply(patch as Parameters<typeof apply>[0])),
    delete: (_namespace, _name, options) => answer('delete', () => remove(options?.uid)),
  };
  const leases: Partial<ResourceClient<Lease>> = {
    get: () => answer('get lease', () => found(fake.lease)),
    create: (_namespace, lease) =>
      answer('create lease', () => {
        if (fake.lease !== undefined) throw refusal(409, 'AlreadyExists');
        return store(lease);
      }),
    replace: (_namespace, lease) =>
      answer('renew', () => {
        if (found(fake.lease).metadata?.resourceVersion !== lease.metadata?.resourceVersion)
          throw refusal(409, 'Conflict');
        return store(lease);
      }),
  };
  const fake: FakeRegistry = {
    objects: {
      namespace: 'shop',
      name: 'web-db1',
      registrations: registrations as ResourceClient<Registration>,
      groups: {get: async () => found(fake.group)},
      leases: leases as ResourceClient<Lease>,
      reviews: {
        create: () => answer('who am I', () => ({status: {userInfo: {username: fake.user}}})),
      } as unknown as RegistrationObjects['reviews'],
    },
    registration: undefined,
    lease: undefined,
    group: {spec: {selector: {}}},
    user: 'db1',
    fault: undefined,
    calls,
  };
  return fake;
};
