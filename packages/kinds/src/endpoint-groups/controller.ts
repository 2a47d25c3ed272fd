// SPDX-License-Identifier: Apache-2.0
/**
 * Composes the Endpoints of each group from its members and what checks say of them. Level-triggered: a round looks at one group,
 * the registrations it selects and its Endpoints, and writes what differs; a start looks at every group that is stored.
 *
 * I1 Endpoints come first, then the status unless a rest holds it back, then Events; what changes back before that is in none. I2 nothing is written that says what is stored.
 * I3 rounds of a group are at least `ROUND_REST_MS` apart, more of a large one, writes of its status `STATUS_REST_MS`: what changes meanwhile is in the
 *    next one. The first change after a rest waits for nothing. I4 no rule compares times: rests are timers.
 */
import {
  type CachedObject,
  type CacheEvent,
  type Controller,
  type ControllerFactory,
  type ControllerHost,
  decodeItem,
  groupVersionOf,
  type KindDefinition,
  type KubeObject,
  StatusError,
  trackFields,
  updateObject,
  WorkQueue,
} from '@palisade/apiserver';
import type {CheckResult, Prober} from '../checks/prober.ts';
import type {Endpoints} from '../endpoints/types.ts';
import {servedKind} from '../served-kind.ts';
import {compose, type StateOf} from './compose.ts';
import {
  type Applied,
  ComposedEndpoints,
  type GroupIdentity,
  isOurs,
  MANAGER,
  NEVER_COMPOSED,
  TOO_LARGE,
  type WasComposed,
  wasComposed,
} from './composed-endpoints.ts';
import {type GroupEntry, mayGrow, newEntry, readInto, shrink} from './group-entry.ts';
import {GroupEvents} from './group-events.ts';
import type {LiveResults} from './live-results.ts';
import {membersOf, PAIRS_MAX} from './members.ts';
import {isSameToGroups, readRegistration, selectedBy} from './selected.ts';
import {
  type Composed,
  composedOf,
  coreOf,
  hadTooMany,
  outlineOf,
  restoreFrom,
  type StatusInput,
  statusesOf,
} from './status.ts';
import {type PortRegister, TrackedPorts} from './tracked-ports.ts';
import type {EndpointGroup, EndpointGroupStatus} from './types.ts';

const CONCURRENCY = 16;
const ROUND_REST_MS = 50;
/** One more for so many, so that who changes a registration of a large group again and again takes a part of the time only. */
const PAIRS_PER_REST_MS = 100;
const STATUS_REST_MS = 300;

/** `over`: the version that it was written over. */
type Saved = {readonly version: string; readonly over: string; readonly status: EndpointGroupStatus};
type Key = {readonly key: string; readonly namespace: string; readonly name: string};
const keyOf = (namespace: string, name: string): Key => ({key: `${namespace}/${name}`, namespace, name});

export const endpointGroups =
  (prober: Prober, live: LiveResults): ControllerFactory =>
  host =>
    new EndpointGroups(host, prober, live);

class EndpointGroups implements Controller {
  readonly #host: ControllerHost;
  readonly #prober: Prober;
  readonly #live: LiveResults;
  readonly #groups: KindDefinition;
  readonly #registrations: KindDefinition;
  readonly #endpoints: KindDefinition;
  readonly #composed: ComposedEndpoints;
  readonly #events: GroupEvents;
  readonly #queue: WorkQueue<Key>;
  readonly #register: PortRegister;
  /** By key. */
  readonly #entries = new Map<string, GroupEntry>();
  /** Of each namespace: a change of a registration concerns only these. */
  readonly #byNamespace = new Map<string, Set<GroupEntry>>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(host: ControllerHost, prober: Prober, live: LiveResults) {
    const kindOf = (group: string, resource: string): KindDefinition =>
      servedKind(host, 'the composition of endpoint groups', group, resource);
    const {timers, clock, random} = host.services;
    this.#host = host;
    this.#prober = prober;
    this.#live = live;
    this.#groups = kindOf('platform.io', 'endpointgroups');
    this.#registrations = kindOf('platform.io', 'endpointregistrations');
    this.#endpoints = kindOf('', 'endpoints');
    this.#composed = new ComposedEndpoints(host, this.#endpoints);
    this.#events = new GroupEvents(host);
    this.#register = {prober, random, nowMs: () => clock.now(), byId: new Map()};
    this.#queue = new WorkQueue({
      timers,
      log: host.log,
      name: 'endpoint group composition',
      counts: host.services.queues.open('endpoint_group'),
      concurrency: CONCURRENCY,
      work: key => this.#round(key),
    });
  }

  start(): void {
    const {registryOf} = this.#host.services;
    const groups = registryOf(this.#groups).cache;
    const look = (event: CacheEvent): void => this.#changed(event);
    this.#unsubscribe.push(
      groups.onEvent(look),
      registryOf(this.#endpoints).cache.onEvent(event => {
        const {namespace, name} = event.object;
        if (groups.get(namespace, name) !== undefined) look(event);
      }),
      registryOf(this.#registrations).cache.onEvent(event => this.#registrationChanged(event)),
      this.#prober.onResults(results => this.#take(results)),
    );
    for (const some of groups.objects.slices(''))
      for (const {namespace, name} of some) this.#queue.add(keyOf(namespace, name));
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#queue.stop();
    for (const entry of [...this.#entries.values()]) {
      if (entry.isStatusDue) await this.#saveLate(entry);
      this.#drop(entry);
    }
    await this.#events.stop();
  }

  #changed(event: CacheEvent): void {
    const {namespace, name} = event.object;
    const key = keyOf(namespace, name);
    const seen = this.#entries.get(key.key)?.seen;
    if (seen === undefined) this.#ask(key);
    else seen.push(event);
  }

  #registrationChanged({type, object, previous}: CacheEvent): void {
    if (type === 'MODIFIED' && previous !== undefined && isSameToGroups(previous, object)) return;
    for (const entry of this.#byNamespace.get(object.namespace) ?? []) {
      const {selector, isStale} = entry;
      if (isStale || selector === undefined) continue;
      if (!selector.matches(object.labels) && !(previous !== undefined && selector.matches(previous.labels))) continue;
      entry.isStale = true;
      this.#ask(entry.identity);
    }
  }

  /** A round, as soon as the last one is long enough ago. */
  #ask({namespace, name}: {readonly namespace: string; readonly name: string}): void {
    const key = keyOf(namespace, name);
    const entry = this.#entries.get(key.key);
    if (entry === undefined || (entry.rest === undefined && entry.seen === undefined)) this.#queue.add(key);
    else entry.isAsked = true;
  }

  #take(results: readonly CheckResult[]): void {
    for (const result of results) {
      const found = this.#register.byId.get(result.id);
      if (found === undefined) continue;
      const {tracked, port} = found;
      const changed = tracked.take(port, result);
      const entry = this.#entries.get(tracked.group);
      if (changed === undefined || entry === undefined) continue;
      entry.changed.add(port);
      this.#ask(entry.identity);
    }
  }

  async #round(key: Key): Promise<void> {
    const {registryOf, scheduler, timers} = this.#host.services;
    if (registryOf(this.#groups).get(key.namespace, key.name) !== undefined) await scheduler.turn();
    const entry = this.#entryOf(key, registryOf(this.#groups).get(key.namespace, key.name));
    if (entry === undefined) return;
    const seen: CacheEvent[] = [];
    entry.seen = seen;
    const own = new Set<string>();
    try {
      await this.#compose(entry, own);
    } finally {
      entry.seen = undefined;
    }
    entry.isAsked ||= seen.some(({object, type}) => type === 'DELETED' || !own.has(object.resourceVersion));
    const restMs = ROUND_REST_MS + Math.floor(entry.membership.pairs / PAIRS_PER_REST_MS);
    entry.rest = timers.after(restMs, () => {
      entry.rest = undefined;
      if (!entry.isAsked) return;
      entry.isAsked = false;
      this.#queue.add(key);
    });
  }

  /** Of the group as it is now; undefined: it does not exist, and nothing of it is kept. */
  #entryOf({key, namespace, name}: Key, object: CachedObject | undefined): GroupEntry | undefined {
    const known = this.#entries.get(key);
    if (object === undefined) {
      if (known !== undefined) this.#drop(known);
      return undefined;
    }
    if (known?.version === object.resourceVersion) return known;
    const group = decodeItem(object) as EndpointGroup;
    const {uid = ''} = group.metadata;
    if (known?.identity.uid === uid) {
      readInto(known, object, group);
      return known;
    }
    if (known !== undefined) this.#drop(known);
    const identity = {apiVersion: groupVersionOf(this.#groups), kind: this.#groups.kind, namespace, name, uid};
    const entry = newEntry(identity, new TrackedPorts(key, uid, this.#register));
    readInto(entry, object, group);
    this.#entries.set(key, entry);
    const others = this.#byNamespace.get(namespace) ?? new Set();
    this.#byNamespace.set(namespace, others.add(entry));
    this.#live.set(uid, entry.tracked);
    this.#events.began(identity, entry.status);
    return entry;
  }

  #drop(entry: GroupEntry): void {
    const {key, identity, tracked} = entry;
    tracked.clear();
    entry.rest?.cancel();
    entry.statusRest?.cancel();
    this.#entries.delete(key);
    const others = this.#byNamespace.get(identity.namespace);
    others?.delete(entry);
    if (others?.size === 0) this.#byNamespace.delete(identity.namespace);
    this.#live.delete(identity.uid, tracked);
    this.#events.ended(identity);
  }

  async #compose(entry: GroupEntry, own: Set<string>): Promise<void> {
    const {identity} = entry;
    if (entry.isStale) this.#collect(entry);
    this.#look(entry);
    const changed = [...entry.changed].map(port => ({port, check: port.check}));
    entry.changed.clear();
    try {
      let applied = await this.#writeEndpoints(entry);
      while (applied.composed.reason === TOO_LARGE && this.#shrink(entry, applied)) {
        this.#look(entry);
        applied = await this.#writeEndpoints(entry);
      }
      entry.applied = applied;
      own.add(applied.version);
      const composed = composedOf(applied.composed, entry.membership);
      await this.#writeStatus(entry, this.#statusInput(entry, composed), own);
      for (const {port, check} of changed) this.#events.portChanged(identity, port, check);
      this.#events.composed(identity, composed, entry.composition.panics, entry.spec.panicThresholdPercent ?? 0);
    } catch (error) {
      for (const {port} of changed) entry.changed.add(port);
      throw error;
    }
  }

  #look(entry: GroupEntry): void {
    const {tracked, spec, membership} = entry;
    tracked.beginComposition();
    const stateOf: StateOf = (member, offer) => tracked.stateOf(member, offer);
    entry.composition = compose(membership.members, stateOf, spec.panicThresholdPercent ?? 0);
  }

  #shrink(entry: GroupEntry, {content}: Applied): boolean {
    if (!shrink(entry, content.length, this.#host.services.limits.objectBytesMax)) return false;
    this.#collect(entry);
    return true;
  }

  /** The first time, states come from what is stored, and so does how many fit. */
  #collect(entry: GroupEntry): void {
    const {identity, selector, spec, tracked, version, applied, status} = entry;
    const {objects} = this.#host.services.registryOf(this.#registrations).cache;
    const found = selectedBy(selector, objects, identity.namespace).map(readRegistration);
    const isFirst = applied === undefined && version !== '';
    const {wasReady, pairs} = isFirst ? this.#wasComposed(identity) : NEVER_COMPOSED;
    if (isFirst && pairs > 0 && hadTooMany(status)) entry.pairsMax = Math.min(entry.pairsMax, pairs);
    let membership = membersOf(spec, found, entry.pairsMax);
    if (mayGrow(entry, membership)) {
      entry.pairsMax = PAIRS_MAX;
      membership = membersOf(spec, found);
    }
    const nowMs = this.#host.services.clock.now();
    tracked.update(membership.members, isFirst ? restoreFrom(status, wasReady, nowMs) : () => undefined);
    entry.membership = membership;
    entry.isStale = false;
  }

  #wasComposed(identity: GroupIdentity): WasComposed {
    const object = this.#composed.get(identity);
    const endpoints = object === undefined ? undefined : (decodeItem(object) as Endpoints);
    return endpoints === undefined || !isOurs(endpoints, identity) ? NEVER_COMPOSED : wasComposed(endpoints);
  }

  async #writeEndpoints({identity, labels, composition, applied, isDeleting}: GroupEntry): Promise<Applied> {
    const {subsets} = composition;
    return this.#composed.write(identity, {labels, subsets}, {before: applied, mayCreate: !isDeleting});
  }

  #statusInput(entry: GroupEntry, composed: Composed): StatusInput {
    const {generation, membership, tracked, composition, spec, status} = entry;
    return {
      generation,
      members: membership.members,
      tracked,
      composition,
      composed,
      panicThresholdPercent: spec.panicThresholdPercent ?? 0,
      before: status,
      nowMs: this.#host.services.clock.now(),
    };
  }

  async #writeStatus(entry: GroupEntry, input: StatusInput, own: Set<string>): Promise<void> {
    const core = coreOf(outlineOf(input));
    entry.isStatusDue = core !== entry.statusCore;
    if (!entry.isStatusDue || entry.statusRest !== undefined) return;
    entry.statusRest = this.#host.services.timers.after(STATUS_REST_MS, () => {
      entry.statusRest = undefined;
      if (entry.isStatusDue) this.#ask(entry.identity);
    });
    const saved = await this.#saveStatus(entry, input);
    if (saved === undefined) return;
    own.add(saved.version);
    if (saved.over === entry.version) entry.version = saved.version;
    entry.isStatusDue = false;
    entry.status = saved.status;
    entry.statusCore = core;
  }

  /** The first that fits. Undefined: the group is gone, or changed meanwhile. */
  async #saveStatus(entry: GroupEntry, input: StatusInput): Promise<Saved | undefined> {
    let tooLarge: StatusError | undefined;
    for (const status of statusesOf(input)) {
      try {
        return await this.#putStatus(entry, status);
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        if (error.code === 404 || error.code === 409) return undefined;
        if (error.code !== 413) throw error;
        tooLarge = error;
      }
    }
    throw tooLarge;
  }

  async #putStatus({identity}: GroupEntry, status: EndpointGroupStatus): Promise<Saved | undefined> {
    const {namespace, name, uid} = identity;
    const base = this.#host.contextFor(this.#groups, namespace);
    const context = {...base, info: {...base.info, name, verb: 'update', subresource: 'status'}};
    let over = '';
    const change = (current: KubeObject): KubeObject => {
      over = current.metadata.resourceVersion ?? '';
      return trackFields(context, MANAGER, current, {...current, metadata: {...current.metadata}, status}, undefined);
    };
    const written = await updateObject(context, {dryRun: false, uid, change});
    return written && {version: written.resourceVersion, over, status};
  }

  /** What a rest held back is not lost with a stop. */
  async #saveLate(entry: GroupEntry): Promise<void> {
    if (entry.applied === undefined) return;
    try {
      await this.#saveStatus(entry, this.#statusInput(entry, composedOf(entry.applied.composed, entry.membership)));
    } catch (error) {
      this.#host.log.warn({err: error, group: entry.key}, 'endpoint group status not saved at the stop');
    }
  }
}
