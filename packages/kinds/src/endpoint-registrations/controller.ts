// SPDX-License-Identifier: Apache-2.0
/**
 * Expires registrations whose Lease nobody renews, and removes those that stay expired. Level-triggered: what is decided here is
 * compared with what is stored, and written if it differs.
 *
 * A renewal is any change of the Lease of the same name; the times in it are the client's, and count for nothing. It costs the
 * decoding of that Lease and a note: no write, no timer, no event for those who watch registrations.
 *
 * I1 nobody expires before a whole TTL without a renewal; a start counts as one for those who are live, and renews nobody else.
 * I2 the duration of a Lease counts if it names the registration as an owner, by uid: one that was there first can be a stranger's,
 *    and what is stored has to say the same to a server that starts as to one that has seen every write.
 * I3 a removal holds for the object that was judged, at the version that was judged.
 */
import {
  type CachedObject,
  type CacheEvent,
  type Controller,
  type ControllerFactory,
  type ControllerHost,
  decodeItem,
  deleteObject,
  type KindDefinition,
  type KubeObject,
  PLAIN_DELETE,
  type RequestContext,
  type Timer,
  trackFields,
  updateObject,
  WorkQueue,
} from '@palisade/apiserver';
import {toMicroTime} from '../checks/time-text.ts';
import {PLATFORM_GROUP, PLATFORM_VERSION} from '../endpoint-groups/schema.ts';
import {type EventRecorder, eventRecorder} from '../events/recorder.ts';
import type {Lease} from '../leases/types.ts';
import {servedKind} from '../served-kind.ts';
import {StepWheel} from './step-wheel.ts';
import {STEP_MS, TrackedRegistration} from './tracked.ts';
import type {EndpointRegistration} from './types.ts';

const CONCURRENCY = 32;
const COMPONENT = 'endpoint-registration-controller';
const MANAGER = 'palisade-endpoint-registration';

const keyOf = ({namespace, name}: CachedObject): string => `${namespace}/${name}`;

export const registrationLeases: ControllerFactory = host => new RegistrationLeases(host);

class RegistrationLeases implements Controller {
  readonly #host: ControllerHost;
  readonly #kind: KindDefinition;
  readonly #leases: KindDefinition;
  readonly #tracked = new Map<string, TrackedRegistration>();
  readonly #wheel = new StepWheel<TrackedRegistration>();
  readonly #queue: WorkQueue<{readonly key: string}>;
  readonly #events: EventRecorder;
  readonly #unsubscribe: (() => void)[] = [];
  #step = 0;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(host: ControllerHost) {
    this.#host = host;
    this.#kind = servedKind(host, 'the expiry of registrations', PLATFORM_GROUP, 'endpointregistrations');
    this.#leases = servedKind(host, 'the expiry of registrations', 'coordination.k8s.io', 'leases');
    this.#events = eventRecorder(host, {component: COMPONENT, manager: MANAGER});
    this.#queue = new WorkQueue({
      timers: host.services.timers,
      log: host.log,
      name: 'endpoint registration',
      counts: host.services.queues.open('endpoint_registration'),
      concurrency: CONCURRENCY,
      work: ({key}) => this.#round(key),
    });
  }

  start(): void {
    const {cache} = this.#registry;
    const leases = this.#host.services.registryOf(this.#leases).cache;
    for (const slice of cache.objects.slices('')) {
      for (const object of slice) {
        const registration = decodeItem(object) as EndpointRegistration;
        const tracked = this.#track(keyOf(object), registration);
        const lease = leases.get(object.namespace, object.name);
        if (lease !== undefined) tracked.readLease(durationOf(lease, tracked));
        tracked.resume(registration, this.#step, this.#nowMs);
        this.#wheel.put(tracked, this.#step);
      }
    }
    this.#unsubscribe.push(
      cache.onEvent(event => this.#registrationChanged(event)),
      leases.onEvent(event => this.#leaseChanged(event)),
    );
    this.#await();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#timer?.cancel();
    await this.#queue.stop();
    await this.#events.stop();
  }

  get #registry(): RequestContext['registry'] {
    return this.#host.services.registryOf(this.#kind);
  }

  get #nowMs(): number {
    return this.#host.services.clock.now();
  }

  #track(key: string, registration: EndpointRegistration): TrackedRegistration {
    const tracked = new TrackedRegistration(key, registration, this.#step);
    tracked.read(registration);
    this.#tracked.set(key, tracked);
    return tracked;
  }

  #registrationChanged({type, object}: CacheEvent): void {
    const key = keyOf(object);
    if (type === 'DELETED') this.#forget(key);
    else this.#seen(key, object);
    this.#await();
  }

  #forget(key: string): void {
    const tracked = this.#tracked.get(key);
    if (tracked !== undefined) this.#wheel.remove(tracked);
    this.#tracked.delete(key);
  }

  #seen(key: string, object: CachedObject): void {
    const registration = decodeItem(object) as EndpointRegistration;
    const known = this.#tracked.get(key);
    const tracked =
      known !== undefined && known.uid === registration.metadata.uid ? known : this.#track(key, registration);
    tracked.read(registration);
    this.#wheel.put(tracked, this.#step);
    if (tracked.state !== stateOf(registration)) this.#queue.add(tracked);
  }

  #leaseChanged({type, object}: CacheEvent): void {
    const tracked = this.#tracked.get(keyOf(object));
    if (tracked === undefined) return;
    const isGone = type === 'DELETED'; // it lives on until its own TTL has passed
    tracked.readLease(isGone ? undefined : durationOf(object, tracked));
    if (!isGone && tracked.renew(this.#step, this.#nowMs)) this.#queue.add(tracked);
    this.#wheel.put(tracked, this.#step);
  }

  /** The end of this step, if there is anybody to wait for. */
  #await(): void {
    if (this.#stopped || this.#tracked.size === 0) {
      this.#timer?.cancel();
      this.#timer = undefined;
      return;
    }
    this.#timer ??= this.#host.services.timers.after(STEP_MS, () => {
      this.#timer = undefined;
      this.#step++;
      for (const tracked of this.#wheel.take(this.#step)) {
        tracked.fall(this.#step, this.#nowMs);
        this.#wheel.put(tracked, this.#step);
        this.#queue.add(tracked);
      }
      this.#await();
    });
  }

  async #round(key: string): Promise<void> {
    const tracked = this.#tracked.get(key);
    const object = tracked && this.#registry.get(tracked.namespace, tracked.name);
    if (tracked === undefined || object === undefined) return;
    const registration = decodeItem(object) as EndpointRegistration;
    if (registration.metadata.uid !== tracked.uid) return;
    if (tracked.isToBeRemoved) return this.#remove(tracked, object);
    if (stateOf(registration) !== tracked.state) await this.#writeState(tracked);
  }

  async #writeState(tracked: TrackedRegistration): Promise<void> {
    const context = this.#context(tracked, 'status', 'update');
    const {uid, state, sinceMs} = tracked;
    const status = {state, since: toMicroTime(sinceMs)};
    const change = (current: KubeObject): KubeObject => {
      const draft = {...current, metadata: {...current.metadata}, status};
      return trackFields(context, MANAGER, current, draft, undefined);
    };
    try {
      if ((await updateObject(context, {dryRun: false, uid, change})) === undefined) return;
    } catch (error) {
      if (this.#isOther(tracked)) return;
      throw error;
    }
    this.#host.log.info(
      {namespace: tracked.namespace, registration: tracked.name, ttlSeconds: tracked.ttlSeconds},
      state === 'Expired' ? 'endpoint registration expired' : 'endpoint registration returned',
    );
    if (state === 'Live') this.#record(tracked, 'Normal', 'RegistrationReturned', 'The Lease is renewed again');
    else
      this.#record(
        tracked,
        'Warning',
        'RegistrationExpired',
        `The Lease was not renewed for ${tracked.ttlSeconds} seconds: out of its groups until it is renewed`,
      );
  }

  async #remove(tracked: TrackedRegistration, object: CachedObject): Promise<void> {
    const {namespace, name, uid} = tracked;
    try {
      const {removed} = await deleteObject(this.#context(tracked, '', 'delete'), name, {
        ...PLAIN_DELETE,
        preconditions: {uid, resourceVersion: object.resourceVersion},
      });
      if (!removed) return; // its finalizers hold it
    } catch (error) {
      if (this.#isOther(tracked)) return;
      throw error;
    }
    this.#host.log.info({namespace, registration: name}, 'endpoint registration removed');
    this.#record(
      tracked,
      'Normal',
      'RegistrationRemoved',
      `Not renewed for ${tracked.removeAfterSeconds} seconds after it expired: the registration was removed`,
    );
  }

  /** Gone, or replaced by another of the same name. */
  #isOther({namespace, name, uid}: TrackedRegistration): boolean {
    const now = this.#registry.get(namespace, name);
    return now === undefined || decodeItem(now).metadata.uid !== uid;
  }

  #record(
    {namespace, name, uid}: TrackedRegistration,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
  ): void {
    const apiVersion = `${PLATFORM_GROUP}/${PLATFORM_VERSION}`;
    this.#events.record({about: {kind: this.#kind.kind, namespace, name, uid, apiVersion}, type, reason, message});
  }

  #context({namespace, name}: TrackedRegistration, subresource: string, verb: string): RequestContext {
    const context = this.#host.contextFor(this.#kind, namespace);
    return {...context, info: {...context.info, name, subresource, verb}};
  }
}

const stateOf = ({status}: EndpointRegistration): 'Live' | 'Expired' => status?.state ?? 'Live';

/** Undefined: the registration's own counts. */
const durationOf = (lease: CachedObject, {uid}: TrackedRegistration): number | undefined => {
  const {metadata, spec} = decodeItem(lease) as Lease;
  const isOwned = metadata.ownerReferences?.some(owner => owner.uid === uid) === true;
  return isOwned ? spec?.leaseDurationSeconds : undefined;
};
