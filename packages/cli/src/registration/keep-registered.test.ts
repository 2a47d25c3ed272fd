// SPDX-License-Identifier: Apache-2.0
/** The life of a registration on a clock of its own: renewals, absences of the server, other holders, leaving. */
import {manualClock} from '@palisade/client/testing';
import {describe, expect, test} from 'vitest';
import {CommandError} from '../command-line/io.ts';
import type {Wanted, World} from './hold.ts';
import {keepRegistered} from './keep-registered.ts';
import type {Lease} from './objects.ts';
import type {RegisterEvent} from './register-events.ts';
import {type FakeRegistry, fakeRegistry, refusal, unreachable} from './testing/fake-registry.ts';

const TTL = 30;
const EPOCH = Date.UTC(2026, 0, 1);

type Life = {
  readonly registry: FakeRegistry;
  readonly events: readonly RegisterEvent[];
  readonly slept: readonly number[];
  now(): number;
};

/** What happens when: `steps` run in the order of their times, which are those of the clock after a sleep. */
type Script = {
  readonly steps?: Readonly<Record<number, (life: Life) => void>>;
  readonly stopAt: number;
  readonly hurryAt?: number;
  readonly random?: () => number;
  readonly wanted?: Partial<Wanted['spec']>;
  readonly labels?: Wanted['labels'];
  readonly drainSeconds?: number;
  readonly before?: (registry: FakeRegistry) => void;
  readonly world?: Partial<World>;
};

const live = async (script: Script): Promise<Life> => {
  const clock = manualClock(Number.POSITIVE_INFINITY);
  const registry = fakeRegistry(clock.now);
  const events: RegisterEvent[] = [];
  const stopping = new AbortController();
  const hurrying = new AbortController();
  const life: Life = {registry, events, slept: clock.slept, now: clock.now};
  const steps = Object.entries(script.steps ?? {}).map(([at, step]) => ({at: Number(at), step}));
  clock.onSleep = () => {
    while (steps[0] !== undefined && steps[0].at <= clock.now()) steps.shift()?.step(life);
    if (clock.now() >= script.stopAt) stopping.abort('SIGTERM');
    if (clock.now() >= (script.hurryAt ?? Number.POSITIVE_INFINITY)) hurrying.abort();
  };
  script.before?.(registry);
  const world: World = {
    clock,
    now: () => EPOCH + clock.now(),
    random: script.random ?? (() => 0.5),
    identity: 'db1_me',
    seenFrom: () => 'elsewhere',
    ownAddress: () => Promise.resolve('10.0.0.5'),
    report: event => events.push(event),
    stop: stopping.signal,
    hurry: hurrying.signal,
    ...script.world,
  };
  const spec = {group: 'web', ttlSeconds: TTL, removeAfterSeconds: 600, ...script.wanted};
  await keepRegistered(registry.objects, {spec, labels: script.labels ?? {}}, world, script.drainSeconds ?? 0);
  return life;
};

const names = ({events}: Life): string[] => events.map(({event}) => event);
const timesOf = ({registry: {calls}}: Life, call: string): number[] =>
  calls.filter(each => each.endsWith(` ${call}`)).map(each => Number.parseInt(each, 10));
const leaseOf = (holderIdentity: string, renewTime = 'then'): Lease => ({
  metadata: {name: 'web-db1', resourceVersion: '1'},
  spec: {holderIdentity, renewTime, leaseDurationSeconds: 20, leaseTransitions: 4},
});

describe('46-3 renewals', () => {
  test('46-3 a registration and its Lease are made, renewed three times per TTL, and deleted at the end', async () => {
    let seen: Pick<FakeRegistry, 'registration' | 'lease'> = {registration: undefined, lease: undefined};
    const life = await live({stopAt: 40_000, steps: {40000: ({registry}) => (seen = {...registry})}, labels: {a: 'b'}});
    expect(life.registry.calls).toEqual([
      '0 get',
      '0 get lease',
      '0 apply',
      '0 create lease',
      '10000 renew',
      '20000 renew',
      '30000 renew',
      '40000 get lease',
      '40000 delete',
    ]);
    expect(seen.registration).toMatchObject({
      metadata: {name: 'web-db1', labels: {a: 'b'}},
      spec: {group: 'web', addresses: ['10.0.0.5'], ttlSeconds: TTL, removeAfterSeconds: 600},
    });
    expect(seen.lease).toMatchObject({
      metadata: {
        name: 'web-db1',
        ownerReferences: [
          {
            apiVersion: 'platform.io/v1alpha1',
            kind: 'EndpointRegistration',
            name: 'web-db1',
            uid: seen.registration?.metadata?.uid,
          },
        ],
      },
      spec: {
        holderIdentity: 'db1_me',
        leaseDurationSeconds: TTL,
        acquireTime: '2026-01-01T00:00:00.000000Z',
        renewTime: '2026-01-01T00:00:30.000000Z',
        leaseTransitions: 0,
      },
    });
    expect(life.registry).toMatchObject({registration: undefined, lease: undefined});
    expect(life.events).toEqual([
      {event: 'registered', group: 'web', addresses: ['10.0.0.5'], ttlSeconds: TTL},
      {event: 'left', deleted: true, ttlSeconds: TTL},
    ]);
  });

  test.each([
    [0, 9_000],
    [0.999_999, 11_000],
  ])('46-3 chance %d: the next renewal is in %d ms', async (chance, ms) => {
    expect((await live({stopAt: 1, random: () => chance})).slept[0]).toBe(ms);
  });

  test('46-3 a Lease that others changed is read again, not fought for', async () => {
    const life = await live({
      stopAt: 20_000,
      steps: {
        10000: ({registry}) => {
          const {lease} = registry;
          registry.lease = {...lease, metadata: {...lease?.metadata, resourceVersion: 'labelled'}};
        },
      },
    });
    expect(names(life)).toEqual(['registered', 'left']);
    expect(timesOf(life, 'renew')).toEqual([10_000, 10_000]);
  });
});

describe('46-3 an absence of the server', () => {
  test('46-3 is reported once when it begins and once when it ends; pauses grow up to a third of the TTL', async () => {
    const life = await live({
      stopAt: 100_000,
      random: () => 0.999_999_999,
      steps: {
        10000: ({registry}) => (registry.fault = unreachable),
        60000: ({registry}) => (registry.fault = undefined),
      },
    });
    expect(names(life)).toEqual(['registered', 'renewal-failed', 'back', 'left']);
    expect(life.events[1]).toMatchObject({error: unreachable.message});
    expect(life.slept.slice(1, 9)).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
  });

  test('46-3 a server that is away at the start is waited for', async () => {
    const life = await live({
      stopAt: 30_000,
      before: registry => (registry.fault = unreachable),
      steps: {3000: ({registry}) => (registry.fault = undefined)},
    });
    expect(names(life)).toEqual(['renewal-failed', 'back', 'registered', 'left']);
  });

  test('46-3 what was removed meanwhile is created again, with the address of now', async () => {
    let address = '10.0.0.5';
    const life = await live({
      stopAt: 100_000,
      world: {ownAddress: () => Promise.resolve(address)},
      steps: {
        10000: ({registry}) => (registry.fault = refusal(503, 'ServiceUnavailable')),
        40000: ({registry}) => {
          Object.assign(registry, {fault: undefined, registration: undefined, lease: undefined});
          address = '10.0.0.6';
        },
      },
    });
    expect(names(life)).toEqual(['registered', 'renewal-failed', 'back', 'registered', 'left']);
    expect(life.events[3]).toMatchObject({addresses: ['10.0.0.6']});
  });

  test('46-3 both are created again when they are deleted while the server is there', async () => {
    const life = await live({
      stopAt: 30_000,
      steps: {10000: ({registry}) => Object.assign(registry, {registration: undefined, lease: undefined})},
    });
    expect(names(life)).toEqual(['registered', 'registered', 'left']);
    expect(timesOf(life, 'create lease')).toEqual([0, 10_000]);
  });

  test('46-3 SIGTERM while it is away: it says that the TTL takes the machine out, after 5 s', async () => {
    const life = await live({stopAt: 10_000, steps: {10000: ({registry}) => (registry.fault = unreachable)}});
    expect(life.events.at(-1)).toEqual({event: 'left', deleted: false, error: unreachable.message, ttlSeconds: TTL});
    expect(life.now()).toBeLessThanOrEqual(15_000);
  });

  test('46-3 a server that comes back within that time still hears of it', async () => {
    const life = await live({
      stopAt: 10_000,
      steps: {
        10000: ({registry}) => (registry.fault = unreachable),
        12000: ({registry}) => (registry.fault = undefined),
      },
    });
    expect(life.events.at(-1)).toMatchObject({event: 'left', deleted: true});
  });

  test('46-3 the pause that a busy server asks for is kept', async () => {
    const busy = refusal(429, 'TooManyRequests');
    Object.assign(busy.status, {retryAfterSeconds: 7});
    const life = await live({stopAt: 20_000, steps: {10000: ({registry}) => (registry.fault = busy)}});
    expect(life.slept[1]).toBe(7000);
  });
});

describe('46-3 what does not go away by itself ends it', () => {
  test.each([401, 403, 404, 422])('46-3 a refusal with %d, at the start or later', async code => {
    const error = refusal(code, 'No', 'no, because');
    await expect(live({stopAt: 1, before: registry => (registry.fault = error)})).rejects.toBe(error);
    const later = live({stopAt: 30_000, steps: {10000: ({registry}) => (registry.fault = error)}});
    await expect(later).rejects.toBe(error);
  });

  test('46-3 a registration of another user, which is named', async () => {
    const before = (registry: FakeRegistry): void => {
      registry.registration = {metadata: {uid: 'x'}, spec: {group: 'web', user: 'db2'}};
    };
    await expect(live({stopAt: 1, before})).rejects.toThrow(
      'endpointregistrations/web-db1 belongs to the user "db2", not to "db1"; give this one another name with --name NAME',
    );
  });

  test('46-3 the own one of another group', async () => {
    const before = (registry: FakeRegistry): void => {
      registry.registration = {metadata: {uid: 'x'}, spec: {group: 'api', user: 'db1'}};
    };
    await expect(live({stopAt: 1, before})).rejects.toThrow('is for the group "api", and a group cannot be changed');
  });

  test('46-3 an address that is no member: at the start only', async () => {
    const world = {ownAddress: () => Promise.reject(new CommandError('loopback'))};
    await expect(live({stopAt: 1, world})).rejects.toThrow('loopback');
  });
});

describe('46-3 the Lease of another holder', () => {
  const registered = (registry: FakeRegistry, state = 'Live'): void => {
    registry.registration = {metadata: {uid: 'x'}, spec: {group: 'web', user: 'db1'}, status: {state}};
    registry.lease = leaseOf('db2_other');
  };

  test('46-3 one who renews it is left alone: nothing is written', async () => {
    const changed = ({registry}: Life): void => {
      registry.lease = leaseOf('db2_other', 'now');
    };
    let calls: readonly string[] = [];
    const before = (registry: FakeRegistry): void => {
      registered(registry);
      calls = registry.calls;
    };
    await expect(live({stopAt: 60_000, before, steps: {8000: changed}})).rejects.toThrow(
      'held by another machine or process (db2_other), which renews its Lease',
    );
    expect(calls.filter(call => /apply|renew|create/.test(call))).toEqual([]);
  });

  test('46-3 one who does not is outlived by a whole duration of its Lease', async () => {
    const life = await live({stopAt: 21_000, before: registered});
    expect(life.events.slice(0, 2)).toEqual([
      {event: 'waiting', holder: 'db2_other', seconds: 20},
      expect.objectContaining({event: 'registered'}),
    ]);
    expect(timesOf(life, 'apply')).toEqual([20_000]);
  });

  test.each<[string, Partial<World>, string]>([
    ['expired by the word of the server', {}, 'Expired'],
    ['of a process of this machine that ended', {seenFrom: () => 'gone'}, 'Live'],
    ['of this very process, as after an answer that was lost', {identity: 'db2_other'}, 'Live'],
  ])('46-3 one %s is taken at once', async (_, world, state) => {
    let transitions: number | undefined;
    const life = await live({
      stopAt: 1,
      world,
      before: registry => registered(registry, state),
      steps: {1: ({registry}) => (transitions = registry.lease?.spec?.leaseTransitions)},
    });
    expect(names(life)).toEqual(['registered', 'left']);
    expect(timesOf(life, 'renew')).toEqual([0]);
    expect(transitions).toBe(world.identity === undefined ? 5 : 4);
  });

  test('46-3 one of a process that runs on this machine is an error with its number', async () => {
    await expect(live({stopAt: 1, before: registered, world: {seenFrom: () => 4711}})).rejects.toThrow(
      'is held by process 4711 of this machine; stop it',
    );
  });

  test('46-3 one who took it from us is not fought: nothing is deleted', async () => {
    let taken: Life | undefined;
    const takeover = (life: Life): void => {
      taken = life;
      life.registry.lease = leaseOf('db2_other');
    };
    for (const stopAt of [30_000, 10_000]) {
      await expect(live({stopAt, steps: {10000: takeover}})).rejects.toThrow('held by another machine');
      expect(taken && names(taken)).toEqual(['registered']);
      expect(taken?.registry.registration).toBeDefined();
    }
  });

  test('46-3 a stop ends the wait for it', async () => {
    const life = await live({stopAt: 4_000, before: registered});
    expect(names(life)).toEqual(['waiting']);
    expect(life.registry.registration).toBeDefined();
  });
});

describe('46-3 draining', () => {
  test('46-3 draining is set, the Lease is renewed meanwhile, then the registration is deleted', async () => {
    const life = await live({stopAt: 10_000, drainSeconds: 25});
    expect(life.events.slice(1)).toEqual([
      {event: 'draining', seconds: 25},
      {event: 'left', deleted: true, ttlSeconds: TTL},
    ]);
    expect(life.registry.calls.slice(4)).toEqual([
      '10000 apply',
      '20000 renew',
      '30000 renew',
      '35000 get lease',
      '35000 delete',
    ]);
  });

  test('46-3 a second signal ends the drain', async () => {
    const life = await live({stopAt: 10_000, hurryAt: 20_000, drainSeconds: 300});
    expect(timesOf(life, 'delete')).toEqual([20_000]);
  });

  test('46-3 the next start takes its own draining back', async () => {
    const life = await live({
      stopAt: 1,
      before: registry => {
        registry.registration = {metadata: {uid: 'x'}, spec: {group: 'web', user: 'db1', draining: true}};
      },
      steps: {1: ({registry}) => expect(registry.registration?.spec?.draining).toBeUndefined()},
    });
    expect(names(life)).toEqual(['registered', 'left']);
  });

  test('46-3 there is no drain while the server is away', async () => {
    const life = await live({
      stopAt: 10_000,
      drainSeconds: 60,
      steps: {10000: ({registry}) => (registry.fault = unreachable)},
    });
    expect(names(life)).toEqual(['registered', 'left']);
    expect(life.now()).toBeLessThan(16_000);
  });
});

describe('46-3 a registration that its group does not take', () => {
  const warnings = async (group: FakeRegistry['group'], script: Partial<Script> = {}): Promise<readonly string[]> => {
    const life = await live({stopAt: 40_000, ...script, before: registry => (registry.group = group)});
    expect(names(life)[0]).toBe('registered');
    return life.events.flatMap(event => (event.event === 'warning' ? [event.message] : []));
  };
  const http = {name: 'http', port: 80, protocol: 'TCP'};

  test('46-3 one warning for the name of a group that does not exist', async () => {
    expect(await warnings(undefined)).toEqual(['the EndpointGroup "web" does not exist in the namespace shop yet']);
  });

  test('46-3 one warning for ports of which the group has none, and one for its selector', async () => {
    const group = {spec: {selector: {matchLabels: {zone: 'a', 'platform.io/group': 'web'}}, ports: [{name: 'http'}]}};
    const wanted = {
      ports: [
        {...http, name: 'htp'},
        {...http, protocol: 'UDP'},
      ],
    };
    expect(await warnings(group, {wanted})).toEqual([
      'the EndpointGroup "web" selects other labels: endpointregistrations/web-db1 does not have zone=a; give them with --label',
      'the EndpointGroup "web" has the ports http/TCP, but endpointregistrations/web-db1 offers htp/TCP, http/UDP',
    ]);
    expect(await warnings({spec: {}})).toEqual([
      'the EndpointGroup "web" has no selector, so no registration is a member of it',
    ]);
  });

  test('46-3 no warning where one port and all labels are those of the group', async () => {
    const group = {spec: {selector: {matchLabels: {zone: 'a'}}, ports: [{name: 'http'}, {name: 'admin'}]}};
    expect(await warnings(group, {wanted: {ports: [http]}, labels: {zone: 'a'}})).toEqual([]);
  });
});
