// SPDX-License-Identifier: Apache-2.0
/**
 * 46: whatever happens to groups, registrations, checks, clocks, the server and the Endpoints, the composed object is what a simple
 * model says, E-044 holds, and nothing is written when nothing changes.
 */
import type {Body} from '@palisade/apiserver/testing';
import {expandSubsets, ipKey} from '@palisade/kube-wire';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {GroupsApi} from './testing/groups-api.ts';

type Check = {readonly successThreshold: number; readonly failureThreshold: number};
type Port = {readonly name?: string; readonly port: number; readonly protocol: string; readonly check?: Check};
type Spec = {
  readonly members?: readonly {readonly ip: string}[];
  readonly selector?: object;
  readonly ports?: readonly Port[];
  readonly panicThresholdPercent?: number;
};
type Registration = {
  readonly addresses: readonly string[];
  readonly ports?: readonly Port[];
  readonly app: string;
  readonly draining: boolean;
  readonly expired: boolean;
};

/** The same address in two spellings among them. */
const IPS = ['10.0.0.1', '10.0.0.2', 'fd00::1', 'FD00:0::1'];
const ip = fc.constantFrom(...IPS);
const members = fc.uniqueArray(ip, {maxLength: 3, selector: ipKey}).map(list => list.map(each => ({ip: each})));
const check = fc.record({
  successThreshold: fc.integer({min: 1, max: 2}),
  failureThreshold: fc.integer({min: 1, max: 2}),
});
const portOf = (name: string, numbers: readonly number[], protocol: string): fc.Arbitrary<Port> =>
  fc.record({port: fc.constantFrom(...numbers), check: fc.option(check, {nil: undefined})}).map(each => ({
    ...(name !== '' && {name}),
    port: each.port,
    protocol,
    ...(each.check !== undefined && protocol === 'TCP' && {check: each.check}),
  }));
const ports = fc.oneof(
  fc.constant([] as Port[]),
  portOf('', [80, 81], 'TCP').map(one => [one]),
  portOf('http', [80, 81], 'TCP').map(one => [one]),
  fc.tuple(portOf('http', [80, 81], 'TCP'), portOf('dns', [53], 'UDP')).map(list => [...list]),
  fc.tuple(portOf('http', [80, 81], 'TCP'), portOf('admin', [82, 83], 'TCP')).map(list => [...list]),
);
const spec: fc.Arbitrary<Spec> = fc.record(
  {
    members,
    ports,
    selector: fc.constantFrom(
      {},
      {matchLabels: {app: 'x'}},
      {matchExpressions: [{key: 'app', operator: 'NotIn', values: ['x']}]},
    ),
    panicThresholdPercent: fc.constantFrom(0, 50, 100),
  },
  {requiredKeys: ['members', 'ports']},
);
const registration: fc.Arbitrary<Registration> = fc.record({
  addresses: fc.uniqueArray(ip, {minLength: 1, maxLength: 2, selector: ipKey}),
  ports,
  app: fc.constantFrom('x', 'y'),
  draining: fc.boolean(),
  expired: fc.boolean(),
});
const group = fc.constantFrom('a', 'b');
const step = fc.oneof(
  {weight: 3, arbitrary: fc.record({type: fc.constant('group' as const), name: group, spec})},
  {
    weight: 3,
    arbitrary: fc.record({type: fc.constant('register' as const), name: fc.constantFrom('r', 's'), registration}),
  },
  {weight: 1, arbitrary: fc.record({type: fc.constant('deregister' as const), name: fc.constantFrom('r', 's')})},
  {weight: 1, arbitrary: fc.record({type: fc.constant('delete' as const), name: group})},
  {
    weight: 9,
    arbitrary: fc.record({
      type: fc.constant('results' as const),
      picks: fc.array(fc.nat(20), {maxLength: 4}),
      passed: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({type: fc.constant('clock' as const), ms: fc.integer({min: -100_000, max: 100_000})}),
  },
  {weight: 2, arbitrary: fc.record({type: fc.constant('restart' as const), isKilled: fc.boolean()})},
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('edit' as const),
      name: group,
      how: fc.constantFrom('subsets', 'delete', 'label'),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A port of an address as the model has it. */
type Cell = {
  state: string;
  run: number;
  last: boolean | undefined;
  check: Check | undefined;
  draining: boolean;
  inline: boolean;
};

/** What the groups should be, written as simply as possible: every offer in a flat list, looked at again each time. */
class Model {
  readonly groups = new Map<string, {spec: Spec; cells: Map<string, Cell>}>();
  /** `made`: its second. */
  readonly registrations = new Map<string, Registration & {readonly made: number}>();

  #offers({
    members: inline = [],
    selector,
    ports: wanted = [],
  }: Spec): {key: string; check: Check | undefined; draining: boolean; inline: boolean}[] {
    const offers = inline.flatMap(member => wanted.map(port => ({ip: member.ip, port, draining: false, inline: true})));
    for (const [, each] of [...this.registrations].sort(
      ([a, {made: x}], [b, {made: y}]) => x - y || (a < b ? -1 : 1),
    )) {
      if (each.expired || !selects(selector, each.app)) continue;
      const own = each.ports ?? [];
      const matching = wanted.flatMap(port => {
        const found = own.find(({name, protocol}) => name === port.name && protocol === port.protocol);
        const has = found && {
          ...port,
          port: found.port,
          ...((port.check ?? found.check) ? {check: port.check ?? found.check} : {}),
        };
        return has === undefined ? [] : [has];
      });
      const offered = own.length === 0 ? wanted : wanted.length === 0 ? own : (matching as Port[]);
      for (const address of each.addresses)
        for (const port of offered) offers.push({ip: address, port, draining: each.draining, inline: false});
    }
    return offers.map(({ip: address, port, ...how}) => ({
      key: `${ipKey(address)} ${port.name ?? ''}/${port.port}/${port.protocol}`,
      check: port.check,
      ...how,
    }));
  }

  /** Cells of what is offered now. */
  look(): void {
    for (const one of this.groups.values()) {
      const offers = this.#offers(one.spec);
      const gone = [...one.cells].filter(([key]) => !offers.some(offer => offer.key === key));
      const now = new Map<string, Cell>();
      for (const {key, check: checked, draining, inline} of offers) {
        const known = now.get(key);
        if (known !== undefined) {
          known.draining ||= draining && !known.inline;
          continue;
        }
        const before = one.cells.get(key);
        const socket = gone.findLast(([other]) => socketOf(other) === socketOf(key))?.[1];
        let {state = 'new', run = 0, last} = before ?? {...socket, run: 0};
        if (state === 'new') state = checked ? 'Starting' : 'Unchecked';
        if (checked && state === 'Unchecked') [state, run, last] = ['Ready', 0, undefined];
        if (!checked && state !== 'Unchecked') [state, run, last] = ['Unchecked', 0, undefined];
        now.set(key, {state, run, last, check: checked, draining, inline});
      }
      one.cells = now;
    }
  }

  result(name: string, key: string, passed: boolean): void {
    const cell = this.groups.get(name)?.cells.get(key);
    if (cell?.check === undefined) throw new Error(`nobody checks ${key} of ${name}`);
    cell.run = cell.last === passed && cell.run > 0 ? cell.run + 1 : 1;
    cell.last = passed;
    if (passed && cell.run >= cell.check.successThreshold) cell.state = 'Ready';
    if (!passed && cell.run >= cell.check.failureThreshold) cell.state = 'NotReady';
  }

  restart(): void {
    for (const {cells} of this.groups.values()) for (const cell of cells.values()) cell.run = 0;
  }

  /** Ready or not, for each address at each port. */
  wanted(name: string): Record<string, boolean> | undefined {
    const one = this.groups.get(name);
    if (one === undefined) return undefined;
    const out: Record<string, boolean> = {};
    for (const [key, {state, draining}] of one.cells) {
      const peers = [...one.cells].filter(([other, cell]) => portOfKey(other) === portOfKey(key) && !cell.draining);
      const passing = peers.filter(([, cell]) => cell.state === 'Ready').length;
      const failing = peers.filter(([, cell]) => cell.state === 'NotReady').length;
      const panics = failing > 0 && (passing / (passing + failing)) * 100 < (one.spec.panicThresholdPercent ?? 0);
      out[key] = !draining && (state === 'Ready' || state === 'Unchecked' || (state === 'NotReady' && panics));
    }
    return out;
  }
}

const selects = (selector: object | undefined, app: string): boolean => {
  const text = JSON.stringify(selector ?? null);
  if (text === 'null') return false;
  return text === '{}' || (text.includes('NotIn') ? app !== 'x' : app === 'x');
};
const socketOf = (key: string): string => key.replace(/ .*?\//, ' ');
const portOfKey = (key: string): string => key.replace(/^\S+ /, '').replace(/\/\d+\//, '/');

class World {
  readonly model = new Model();
  readonly api: GroupsApi;

  constructor(api: GroupsApi) {
    this.api = api;
  }

  async do(each: Step): Promise<void> {
    const {model} = this;
    switch (each.type) {
      case 'group': {
        const {status} = await this.api.groups.put(each.name, {spec: each.spec});
        if (status === 404) await this.api.groups.make({name: each.name}, {spec: each.spec});
        model.groups.set(each.name, {spec: each.spec, cells: model.groups.get(each.name)?.cells ?? new Map()});
        break;
      }
      case 'delete':
        await this.api.groups.remove(each.name);
        model.groups.delete(each.name);
        break;
      case 'register': {
        const {addresses, ports: offered, app, draining, expired} = each.registration;
        const content = {spec: {group: 'a', addresses, ports: offered, draining}};
        const labels = {app};
        const madeAt = Math.floor(this.api.time.now() / 1_000);
        const {status} = await this.api.registrations.put(each.name, {metadata: {name: each.name, labels}, ...content});
        if (status === 404) await this.api.registrations.make({name: each.name, labels}, content);
        const state = expired ? 'Expired' : 'Live';
        await this.api.registrations.send('patch', each.name, {
          subresource: 'status',
          type: 'application/merge-patch+json',
          body: {status: {state}},
        });
        const made = model.registrations.get(each.name)?.made ?? madeAt;
        model.registrations.set(each.name, {...each.registration, made});
        break;
      }
      case 'deregister':
        await this.api.registrations.remove(each.name);
        model.registrations.delete(each.name);
        break;
      case 'results': {
        const targets = [...this.api.prober.targets.keys()].sort();
        for (const pick of each.picks) {
          const id = targets[pick % targets.length];
          if (id === undefined) continue;
          const name = await this.#groupOf(id);
          this.api.prober.send([
            {id, passed: each.passed, atMs: this.api.time.now(), durationMs: 1, message: each.passed ? '' : 'refused'},
          ]);
          model.result(name, id.slice(id.indexOf(' ') + 1), each.passed);
        }
        break;
      }
      case 'clock':
        this.api.time.advance(each.ms);
        break;
      case 'restart':
        await this.api.restart({isKilled: each.isKilled});
        model.restart();
        break;
      case 'edit':
        if (each.how === 'delete') await this.api.endpoints.remove(each.name);
        else if (each.how === 'label')
          await this.api.endpoints.merge(each.name, {labels: {mine: 'yes'}, annotations: {note: 'n'}});
        else
          await this.api.endpoints.patch(each.name, 'merge', {
            subsets: [{addresses: [{ip: '10.9.9.9'}], ports: [{port: 1}]}],
          });
    }
    await this.api.settle();
    model.look();
  }

  async #groupOf(id: string): Promise<string> {
    const [uid] = id.split(' ');
    for (const name of ['a', 'b']) if ((await this.api.groups.get(name))?.metadata.uid === uid) return name;
    throw new Error(`a check of no group: ${id}`);
  }

  async holds(): Promise<void> {
    for (const name of ['a', 'b']) {
      const wanted = this.model.wanted(name);
      const object = await this.api.endpoints.get(name);
      if (wanted === undefined) {
        expect(object).toBeUndefined();
        continue;
      }
      const subsets: Body[] = object.subsets ?? [];
      const found = expandSubsets(subsets).filter(({port}) => port !== undefined);
      expect(
        Object.fromEntries(
          found.map(each => [`${ipKey(each.ip)} ${each.portName ?? ''}/${each.port}/${each.protocol}`, each.ready]),
        ),
      ).toEqual(wanted);
      for (const {addresses = [], notReadyAddresses = []} of subsets) {
        const keys = [...addresses, ...notReadyAddresses].map(each => ipKey(each.ip));
        expect(new Set(keys).size).toBe(keys.length);
      }
    }
  }
}

const run = async (steps: readonly Step[]): Promise<void> => {
  await using api = await GroupsApi.open();
  const world = new World(api);
  for (const each of steps) {
    await world.do(each);
    await world.holds();
    const before = await api.stored();
    await api.settle();
    expect(await api.stored()).toEqual(before);
  }
  const before = await api.stored();
  await api.restart();
  world.model.restart();
  expect(await api.stored(), 'a restart writes nothing').toEqual(before);
  await world.holds();
};

test('46 E-044 the composed object is what a simple model says, and nothing is written when nothing changes', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, {maxLength: 20}), run), {numRuns: 150});
}, 240_000);
