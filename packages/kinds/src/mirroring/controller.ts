// SPDX-License-Identifier: Apache-2.0
/**
 * Keeps EndpointSlices in step with Endpoints, for consumers that read only slices. Level-triggered: a round looks at one
 * Endpoints object, its Service and its slices, and writes what is missing; a start looks at everything that is stored.
 *
 * I1 only slices with the label `managed-by` of this controller are written or deleted.
 * I2 no slice is written over a change that the round has not seen.
 * Ref: kubernetes v1.36 pkg/controller/endpointslicemirroring/endpointslicemirroring_controller.go.
 */
import {
  type CachedObject,
  type CacheEvent,
  type Controller,
  type ControllerFactory,
  type ControllerHost,
  decodeItem,
  type KindDefinition,
  WorkQueue,
} from '@palisade/apiserver';
import {labelValueFaults} from '@palisade/kube-wire';
import {
  type EndpointSlice,
  MANAGED_BY_LABEL,
  MIRRORING_CONTROLLER,
  SERVICE_NAME_LABEL,
  SLICE_ENDPOINTS_MAX,
} from '../endpoint-slices/types.ts';
import type {Endpoints} from '../endpoints/types.ts';
import {type EventRecorder, eventRecorder} from '../events/recorder.ts';
import {servedKind} from '../served-kind.ts';
import type {KindSettings} from '../settings.ts';
import {desiredOf, type MirrorRules, PAIRS_MAX, pairsOf} from './desired.ts';
import {type PlanRules, planSlices} from './plan.ts';
import {hasMetadata, hasSelector, isMirrorable, metadataFor} from './rules.ts';
import {isRefusal, type OwnWrites, SliceWriter} from './write.ts';

const CONCURRENCY = 16;
/** Slices of a group are packed again when there are this many times more than needed. */
const SPARSENESS = 2;
const COMPONENT = 'endpoint-slice-mirroring-controller';
const FAILED = 'FailedToUpdateEndpointSlices';

type Key = {readonly key: string; readonly namespace: string; readonly name: string};
const keyOf = (namespace: string, name: string): Key => ({key: `${namespace}/${name}`, namespace, name});

export const endpointSliceMirroring =
  (settings: KindSettings): ControllerFactory =>
  host =>
    new EndpointSliceMirroring(host, settings);

class EndpointSliceMirroring implements Controller {
  readonly #host: ControllerHost;
  readonly #endpoints: KindDefinition;
  readonly #slices: KindDefinition;
  /** Undefined: Endpoints are mirrored whatever Services there are. */
  readonly #services: KindDefinition | undefined;
  readonly #rules: MirrorRules;
  readonly #queue: WorkQueue<Key>;
  readonly #writer: SliceWriter;
  readonly #events: EventRecorder;
  readonly #unsubscribe: (() => void)[] = [];
  /** Changes of slices whose object a round is for, by its key. */
  readonly #seen = new Map<string, CacheEvent[]>();

  constructor(host: ControllerHost, {mirror}: KindSettings) {
    this.#host = host;
    const {compat, timers} = host.services;
    const kindOf = (group: string, resource: string): KindDefinition =>
      servedKind(host, 'endpoint slice mirroring', group, resource);
    this.#endpoints = kindOf('', 'endpoints');
    this.#slices = kindOf('discovery.k8s.io', 'endpointslices');
    const needsService = (mirror ?? (compat.mirrorInFull ? 'always' : 'services')) === 'services';
    this.#services = needsService ? kindOf('', 'services') : undefined;
    this.#rules = {
      addressesMax: compat.mirrorInFull ? undefined : SLICE_ENDPOINTS_MAX,
      translate: compat.mirrorInFull,
    };
    this.#writer = new SliceWriter(host, this.#slices);
    this.#events = eventRecorder(host, {component: COMPONENT, manager: compat.managers.mirroring});
    this.#queue = new WorkQueue({
      timers,
      log: host.log,
      name: 'endpoint slice mirroring',
      counts: host.services.queues.open('endpoint_slice_mirroring'),
      concurrency: CONCURRENCY,
      work: key => this.#round(key),
    });
  }

  start(): void {
    const {registryOf} = this.#host.services;
    const endpoints = registryOf(this.#endpoints).cache;
    const slices = registryOf(this.#slices).cache;
    const look = ({object}: CacheEvent): void => this.#queue.add(keyOf(object.namespace, object.name));
    this.#unsubscribe.push(
      endpoints.onEvent(look),
      slices.onEvent(event => this.#sliceChanged(event)),
    );
    if (this.#services !== undefined) this.#unsubscribe.push(registryOf(this.#services).cache.onEvent(look));
    for (const some of endpoints.objects.slices(''))
      for (const {namespace, name} of some) this.#queue.add(keyOf(namespace, name));
    for (const some of slices.objects.slices('')) {
      for (const slice of some) {
        const owner = ownerOf(slice);
        if (owner !== undefined) this.#queue.add(owner);
      }
    }
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#queue.stop();
    await this.#events.stop();
  }

  /** A slice may have changed hands: both sides are looked at. */
  #sliceChanged(event: CacheEvent): void {
    const owners = [ownerOf(event.object), event.previous && ownerOf(event.previous)];
    for (const owner of owners) {
      if (owner === undefined) continue;
      const seen = this.#seen.get(owner.key);
      if (seen === undefined) this.#queue.add(owner);
      else seen.push(event);
    }
  }

  async #round(key: Key): Promise<void> {
    if (this.#isNothingToDo(key)) return;
    await this.#host.services.scheduler.turn();
    const own: OwnWrites = {revisions: new Set(), deleted: new Set()};
    const seen: CacheEvent[] = [];
    this.#seen.set(key.key, seen);
    try {
      await this.#mirror(key, own);
    } finally {
      this.#seen.delete(key.key);
    }
    const isOwn = ({type, revision, object}: CacheEvent): boolean =>
      own.revisions.has(revision) || (type === 'DELETED' && own.deleted.has(object.name));
    if (!seen.every(isOwn)) this.#queue.add(key);
  }

  async #mirror({namespace, name}: Key, own: OwnWrites): Promise<void> {
    const existing = this.#slicesOf(namespace, name);
    const endpoints = this.#mirrored(namespace, name);
    if (endpoints === undefined) return this.#writer.remove(namespace, existing, own);
    const pairs = pairsOf(endpoints);
    if (pairs > PAIRS_MAX) {
      const message = `Error mirroring to EndpointSlices: ${pairs} pairs of an address and a port, at most ${PAIRS_MAX} are mirrored; use fewer ports, or several Endpoints`;
      this.#warn(endpoints, FAILED, message);
      return this.#writer.remove(namespace, existing, own);
    }
    const metadata = metadataFor(endpoints);
    const {groups, invalid, skipped} = desiredOf(endpoints, this.#rules);
    if (invalid > 0)
      this.#warn(
        endpoints,
        'InvalidIPAddress',
        `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`,
      );
    if (skipped > invalid)
      this.#warn(
        endpoints,
        'TooManyAddressesToMirror',
        `A max of ${SLICE_ENDPOINTS_MAX} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
      );
    const {mirrorInFull} = this.#host.services.compat;
    const unlabelled = mirrorInFull && groups.size > 0 ? labelValueFaults(name) : [];
    if (unlabelled.length > 0)
      return this.#warn(
        endpoints,
        FAILED,
        `Error mirroring to EndpointSlices: the name is no label: ${unlabelled.join()}`,
      );
    const rules: PlanRules = {
      perSlice: SLICE_ENDPOINTS_MAX,
      sparseness: mirrorInFull ? SPARSENESS : 1,
      isCurrent: slice => hasMetadata(slice, metadata, endpoints),
    };
    try {
      await this.#writer.write(endpoints, metadata, planSlices(groups, existing, rules), own);
    } catch (error) {
      this.#refused(endpoints, error);
    }
  }

  /**
   * What is refused stays refused until the Endpoints change; anything else is thrown, and tried again. Upstream's controller
   * has no Event for it: it logs.
   */
  #refused(endpoints: Endpoints, error: unknown): void {
    if (!isRefusal(error)) throw error;
    const {namespace, name} = endpoints.metadata;
    this.#host.log.warn({err: error, namespace, endpoints: name}, 'endpoint slice refused, waiting for a change');
    if (this.#host.services.compat.mirrorInFull)
      this.#warn(endpoints, FAILED, `Error mirroring to EndpointSlices: ${error.message}`);
  }

  #warn(endpoints: Endpoints, reason: string, message: string): void {
    const {namespace = '', name = '', uid = '', resourceVersion = ''} = endpoints.metadata;
    const about = {kind: 'Endpoints', namespace, name, uid, apiVersion: 'v1', resourceVersion};
    this.#events.record({about, type: 'Warning', reason, message});
  }

  /** Decided without decoding anything, so it needs no turn. */
  #isNothingToDo({namespace, name}: Key): boolean {
    const {registryOf} = this.#host.services;
    const kinds = [this.#endpoints, ...(this.#services === undefined ? [] : [this.#services])];
    const isWanted = kinds.every(kind => registryOf(kind).get(namespace, name) !== undefined);
    return !isWanted && this.#managed(namespace, name).length === 0;
  }

  #slicesOf(namespace: string, name: string): readonly EndpointSlice[] {
    return this.#managed(namespace, name).map(decodeItem);
  }

  #managed(namespace: string, name: string): readonly CachedObject[] {
    const {objects} = this.#host.services.registryOf(this.#slices).cache;
    return objects.withLabel(SERVICE_NAME_LABEL, name, namespace).filter(isManaged);
  }

  /** Undefined: there are no such Endpoints, or they have no slices. */
  #mirrored(namespace: string, name: string): Endpoints | undefined {
    const {registryOf} = this.#host.services;
    const object = registryOf(this.#endpoints).get(namespace, name);
    if (object === undefined) return undefined;
    const endpoints = decodeItem(object) as Endpoints;
    if (!isMirrorable(endpoints)) return undefined;
    if (this.#services === undefined) return endpoints;
    const service = registryOf(this.#services).get(namespace, name);
    return service === undefined || hasSelector(decodeItem(service)) ? undefined : endpoints;
  }
}

const isManaged = ({labels}: CachedObject): boolean => labels[MANAGED_BY_LABEL] === MIRRORING_CONTROLLER;

/** The Endpoints that a slice of this controller mirrors. */
const ownerOf = (slice: CachedObject): Key | undefined => {
  const name = slice.labels[SERVICE_NAME_LABEL];
  return isManaged(slice) && name !== undefined && name !== '' ? keyOf(slice.namespace, name) : undefined;
};
