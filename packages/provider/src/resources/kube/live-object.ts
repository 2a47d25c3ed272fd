// SPDX-License-Identifier: Apache-2.0
/** One object on the server: finding it, telling ours from another of the same name, and waiting for what happens to it. */
import {
  type Backoff,
  backoffMs,
  type Clock,
  isConflict,
  isKubeError,
  isNotFound,
  type KubeError,
  type KubeObject,
  type ResourceClient,
  type ResourceType,
} from '@palisade/client';
import {mapAt, stringAt} from '../../property-access.ts';
import {ProviderError} from '../../provider.ts';
import type {PropertyMap} from '../../value.ts';
import type {KubeKind, Progress} from './kube-kind.ts';
import type {ObjectKey} from './object-name.ts';

const LOOK_AGAIN: Backoff = {firstMs: 50, factor: 1.5, maxMs: 2_000};
/** A reason that is gone after this was one of the moment, such as an object of before that is being collected. */
const FAILED_GRACE_MS = 3_000;

/** Where an object is, or will be. */
export type Place = {
  readonly kind: KubeKind;
  readonly client: ResourceClient<KubeObject>;
  readonly clock: Clock;
  readonly key: ObjectKey;
};

export const describePlace = ({kind, key}: Pick<Place, 'kind' | 'key'>): string =>
  `${kind.type.kind} ${JSON.stringify(key.name)} in namespace ${JSON.stringify(key.namespace)}`;

/** The recorded one; undefined of an object whose creation was cut short. */
export const uidOf = (properties: PropertyMap): string | undefined => stringAt(mapAt(properties, 'metadata'), 'uid');

export const isOurs = (live: KubeObject, uid: string | undefined): boolean =>
  uid === undefined || live.metadata?.uid === uid;

/** It goes once its finalizers and its grace allow it. */
export const isMarked = (live: KubeObject): boolean => live.metadata?.deletionTimestamp != null;

export async function findLive({client, key, kind}: Place, signal: AbortSignal): Promise<KubeObject | undefined> {
  try {
    return await client.get(key.namespace, key.name, {signal});
  } catch (error) {
    if (isUnserved(error)) throw unserved(kind.type, error);
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The object with the recorded uid. Throws where it is gone, or another has its name. */
export async function findOurs(place: Place, uid: string | undefined, signal: AbortSignal): Promise<KubeObject> {
  const live = await findLive(place, signal);
  if (live === undefined) throw lost(place, 'not-found', 'no longer exists');
  if (isOurs(live, uid)) return live;
  throw lost(place, 'aborted', 'was deleted and created again by somebody else');
}

const lost = (place: Place, code: 'not-found' | 'aborted', what: string): ProviderError =>
  new ProviderError(code, `${describePlace(place)} ${what}: refresh the stack, then update`);

/** A path that the server does not have, unlike an object: upstream has these words for one, and no Status for a group. */
export const isUnserved = (error: unknown): error is KubeError =>
  isKubeError(error) &&
  error.status.code === 404 &&
  (error.status.reason !== 'NotFound' || error.message === 'the server could not find the requested resource');

export const unserved = ({group, version, plural}: ResourceType, cause: KubeError): ProviderError =>
  new ProviderError(
    'failed-precondition',
    `the server does not serve ${plural} of ${group === '' ? version : `${group}/${version}`}: use a Palisade server that does`,
    {cause},
  );

/** Undefined: nothing of ours is there any more. Another uid means that the object is somebody else's: it stays. */
export async function startDelete(
  place: Place,
  uid: string | undefined,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const {client, key, kind} = place;
  try {
    return await client.delete(key.namespace, key.name, {uid, signal, propagationPolicy: kind.propagation});
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (isConflict(error) && uid !== undefined) {
      const live = await findLive(place, signal);
      if (live === undefined || !isOurs(live, uid)) return undefined;
    }
    throw error;
  }
}

/** Resolves when the object is gone. `onHeld` gets it each time that it is still there. */
export async function untilGone(
  place: Place,
  first: KubeObject | undefined,
  onHeld: (live: KubeObject | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  let held = first;
  for (let attempt = 0; held !== undefined; attempt += 1) {
    onHeld(held);
    await place.clock.sleep(backoffMs(LOOK_AGAIN, attempt), signal);
    const live = await findLive(place, signal);
    held = live?.metadata?.uid === held.metadata?.uid ? live : undefined;
  }
  onHeld(undefined);
}

/** What the server made of a write: with the reason, where it did not get to the end. */
export type Settled = {readonly live: KubeObject; readonly reason?: string};

/**
 * Looks until the kind's controller is done, until it failed for longer than a moment, or until the signal aborts; an object that is
 * being deleted is done with. Throws only when the object is no longer there: otherwise its caller has to know of it.
 */
export async function untilDone(place: Place, first: KubeObject, signal: AbortSignal): Promise<Settled> {
  const {kind, clock} = place;
  let live = first;
  let failedAt: number | undefined;
  for (let attempt = 0; ; attempt += 1) {
    const progress = isMarked(live) ? DONE : (kind.progress?.(live) ?? DONE);
    if (progress.state === 'done') return {live};
    const reason = `${describePlace(place)} ${progress.reason}`;
    failedAt = progress.state === 'failed' ? (failedAt ?? clock.now()) : undefined;
    if (failedAt !== undefined && clock.now() - failedAt >= FAILED_GRACE_MS) return {live, reason};
    try {
      await clock.sleep(backoffMs(LOOK_AGAIN, attempt), signal);
      live = await findOurs(place, live.metadata?.uid, signal);
    } catch (error) {
      if (error instanceof ProviderError && (error.code === 'not-found' || error.code === 'aborted')) throw error;
      return {live, reason: signal.aborted || !(error instanceof Error) ? reason : `${reason} (${error.message})`};
    }
  }
}

const DONE: Progress = {state: 'done'};

export function notGone(place: Pick<Place, 'kind' | 'key'>, held: KubeObject): string {
  const finalizers = held.metadata?.finalizers ?? [];
  const reason =
    finalizers.length > 0
      ? `it waits for the finalizers ${finalizers.join(', ')}`
      : `its deletion time is ${held.metadata?.deletionTimestamp ?? 'not over'}`;
  return `${describePlace(place)} is marked for deletion but still exists: ${reason}`;
}
