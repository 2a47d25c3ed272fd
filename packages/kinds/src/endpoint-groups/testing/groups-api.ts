// SPDX-License-Identifier: Apache-2.0
/** Groups on the memory store, with a clock and a prober that a test moves. It can be started again over the same store. */
import {type ControllerFactory, garbageCollection, type KindDefinition, type Limits} from '@palisade/apiserver';
import {type Body, ManualTime, MemoryApi, type Resource} from '@palisade/apiserver/testing';
import {openMemoryStore} from '@palisade/store/memory';
import {FakeProber} from '../../checks/testing/fake-prober.ts';
import {endpointRegistrationsModule} from '../../endpoint-registrations/index.ts';
import {endpointsKind} from '../../endpoints/kind.ts';
import {eventsKind} from '../../events/kind.ts';
import {endpointGroupsModule} from '../index.ts';

/** Longer than every rest of the controller. */
const REST_MS = 350;

export type GroupsApiOptions = {
  readonly kinds?: readonly KindDefinition[];
  readonly controllers?: readonly ControllerFactory[];
  readonly limits?: Partial<Limits>;
};

export class GroupsApi implements AsyncDisposable {
  readonly time = new ManualTime();
  prober = new FakeProber();
  groups!: Resource;
  endpoints!: Resource;
  registrations!: Resource;
  events!: Resource;
  readonly #options: GroupsApiOptions;
  #store: Awaited<ReturnType<typeof openMemoryStore>> | undefined;
  #memory: MemoryApi | undefined;
  #kill: () => void = () => undefined;

  private constructor(options: GroupsApiOptions) {
    this.#options = options;
  }

  static async open(options: GroupsApiOptions = {}): Promise<GroupsApi> {
    const api = new GroupsApi(options);
    await api.restart();
    return api;
  }

  get memory(): MemoryApi {
    if (this.#memory === undefined) throw new Error('not open');
    return this.#memory;
  }

  /** `isKilled`: without the last writes of a stop, and whatever else the server would have written. */
  async restart({isKilled = false} = {}): Promise<void> {
    const store = this.#store ?? (await openMemoryStore());
    this.#store = store;
    if (isKilled) this.#kill();
    await this.#memory?.[Symbol.asyncDispose]();
    const cut = cuttable(store);
    this.#kill = cut.kill;
    this.prober = new FakeProber();
    const module = endpointGroupsModule(this.prober);
    const [groupsKind] = module.kinds;
    const [registrationsKind] = endpointRegistrationsModule.kinds;
    if (groupsKind === undefined || registrationsKind === undefined) throw new Error('no kinds');
    this.#memory = await MemoryApi.open({
      store: cut.store,
      clock: this.time,
      timers: this.time,
      limits: this.#options.limits,
      kinds: [endpointsKind, eventsKind, groupsKind, registrationsKind, ...(this.#options.kinds ?? [])],
      controllers: [...module.controllers, garbageCollection, ...(this.#options.controllers ?? [])],
    });
    this.groups = this.#memory.of(groupsKind);
    this.endpoints = this.#memory.of(endpointsKind);
    this.registrations = this.#memory.of(registrationsKind);
    this.events = this.#memory.of(eventsKind);
    await this.settle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#memory?.[Symbol.asyncDispose]();
  }

  /** Until nothing is to be done now. */
  async work(): Promise<void> {
    await this.#memory?.settle();
  }

  /** Until nothing is to be done whatever rests are over. */
  async settle(): Promise<void> {
    await this.work();
    for (let i = 0; i < 2; i++) {
      this.time.advance(REST_MS);
      await this.work();
    }
  }

  /** A new group, settled. */
  async group(spec: object, metadata: {readonly name?: string} & Record<string, unknown> = {}): Promise<Body> {
    const made = await this.groups.make({name: 'web', ...metadata}, {spec});
    await this.settle();
    return made;
  }

  async register(name: string, spec: object, labels: object = {app: 'x'}): Promise<void> {
    await this.registrations.make({name, labels}, {spec: {group: 'web', ...spec}});
    await this.settle();
  }

  async subsets(name = 'web'): Promise<Body> {
    return (await this.endpoints.get(name))?.subsets;
  }

  /** As `[ready, not ready]` of the first subset. */
  async addresses(name = 'web'): Promise<readonly [string[], string[]]> {
    const [{addresses = [], notReadyAddresses = []} = {}] = (await this.subsets(name)) ?? [];
    const ipsOf = (list: Body[]): string[] => list.map(({ip}) => ip);
    return [ipsOf(addresses), ipsOf(notReadyAddresses)];
  }

  async status(name = 'web'): Promise<Body> {
    return (await this.groups.get(name)).status;
  }

  /** `[status, reason]` by type. */
  async conditions(name = 'web'): Promise<Body> {
    const {conditions = []} = await this.status(name);
    return Object.fromEntries(conditions.map(({type, status, reason}: Body) => [type, [status, reason]]));
  }

  /** `reason: message`, in order. */
  async eventTexts(): Promise<string[]> {
    const items: Body[] = (await this.events.send('list', '')).body.items;
    return items.map(({reason, message}) => `${reason}: ${message}`).sort();
  }

  /** Every object at its version. */
  async stored(): Promise<readonly string[]> {
    const kinds = [this.groups, this.endpoints, this.registrations, this.events];
    const lists = await Promise.all(kinds.map(async each => (await each.send('list', '')).body.items as Body[]));
    return lists.flat().map(({metadata}) => `${metadata.uid} ${metadata.resourceVersion}`);
  }

  /** Counts writes of a kind from now on. */
  writes(kind: KindDefinition): {count: number} {
    const counter = {count: 0};
    this.memory.api.services.registryOf(kind).cache.onEvent(() => counter.count++);
    return counter;
  }
}

type Store = Awaited<ReturnType<typeof openMemoryStore>>;
const WRITES: ReadonlySet<string | symbol> = new Set(['put', 'delete', 'txn']);

/** After `kill` nothing is written through it. */
const cuttable = (store: Store): {readonly store: Store; readonly kill: () => void} => {
  let isKilled = false;
  const get = (target: Store, key: string | symbol): unknown => {
    const value: unknown = Reflect.get(target, key);
    if (typeof value !== 'function') return value;
    if (isKilled && WRITES.has(key)) return () => Promise.reject(new Error('killed'));
    return value.bind(target);
  };
  return {
    store: new Proxy(store, {get}),
    kill: () => {
      isKilled = true;
    },
  };
};

export const ips = (...list: readonly string[]): {ip: string}[] => list.map(ip => ({ip}));
export const manyIps = (count: number): {ip: string}[] =>
  Array.from({length: count}, (_, i) => ({ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`}));
