// SPDX-License-Identifier: Apache-2.0
/** What objects of a kind share, and what goes along with one of them. Ref: issue 45, point 1. */
import {invalid} from '@palisade/kube-wire';
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, describe, expect, test} from 'vitest';
import {invalidObject} from '../../base/status-error.ts';
import type {KindDefinition, Reservations, ReservedWrite, Strategy} from '../../kind/kind.ts';
import {
  MemoryApi,
  type MemoryApiOptions,
  type Resource,
  sampleKind,
  sampleKindWith,
  takingAlong,
} from '../../testing/index.ts';

/** A book of the one label `seat`: no two objects have the same, and who asks for `any` gets the next free number. */
const seats = (log: string[] = []): Reservations => {
  const stored = new Map<string, string>();
  const reserved = new Set<string>();
  const isFree = (seat: string): boolean => !reserved.has(seat) && ![...stored.values()].includes(seat);
  return {
    stored: (key, object) => {
      const seat = object?.metadata.labels?.['seat'];
      log.push(`${key} ${seat ?? 'none'}`);
      if (seat === undefined) stored.delete(key);
      else stored.set(key, seat);
    },
    damaged: (key, text) => log.push(`${key} damaged ${text.length > 0}`),
    reserve: ({draft, current, dryRun}: ReservedWrite) => {
      let seat = draft.metadata.labels?.['seat'];
      if (seat === undefined || seat === current?.metadata.labels?.['seat']) return () => {};
      if (seat === 'any') {
        let next = 1;
        while (!isFree(String(next))) next++;
        seat = String(next);
      }
      if (!isFree(seat))
        throw invalidObject({group: 'example.com', kind: 'Thing'}, '', [invalid('metadata.labels', seat, 'is taken')]);
      draft.metadata = {...draft.metadata, labels: {seat}};
      if (dryRun) return () => {};
      reserved.add(seat);
      return () => reserved.delete(seat);
    },
  };
};

let api: MemoryApi;
let things: Resource;
const open = async (kind: KindDefinition, options: Partial<MemoryApiOptions> = {}): Promise<void> => {
  api = await MemoryApi.open({kinds: [kind], ...options});
  things = api.of(kind);
};
afterEach(() => api[Symbol.asyncDispose]());

const seat = (which: string): object => ({labels: {seat: which}});
const take = async (name: string, which: string, query: Record<string, string> = {}) => {
  const {status, body} = await things.post({name, ...seat(which)}, {}, query);
  return [status, body.metadata?.labels?.seat];
};

describe('reservations', () => {
  test('45-1 writers at the same moment get different ones', async () => {
    await open(sampleKindWith({reservations: () => seats()}));
    const got = await Promise.all(['a', 'b', 'c', 'd'].map(name => take(name, 'any')));
    expect(got.map(([, which]) => which).sort()).toEqual(['1', '2', '3', '4']);
    expect(await take('e', '2')).toEqual([422, undefined]);
  });

  test('45-1 what a write took that did not happen is free, whatever stopped it', async () => {
    const validateCreate: Strategy['validateCreate'] = ({metadata}) =>
      metadata.annotations?.['bad'] === undefined ? [] : [invalid('x', '', 'bad')];
    await open(sampleKindWith({reservations: () => seats(), validateCreate}));
    expect((await things.post({name: 'a', ...seat('1'), annotations: {bad: ''}})).status).toBe(422);
    expect(await take('a', '1', {dryRun: 'All'})).toEqual([201, '1']);
    expect(await take('a', '1')).toEqual([201, '1']);
    expect(await take('a', '2')).toEqual([409, undefined]);
    expect((await things.put('a', {metadata: {name: 'a', resourceVersion: '1', ...seat('2')}})).status).toBe(409);
    expect(await take('b', '2')).toEqual([201, '2']);
  });

  test('45-1 a second attempt at a name asks for what the client sent, not for what the server chose', async () => {
    let drawn = 0;
    let uids = 0;
    const random = {next: () => (drawn++ < 5 ? 0 : 0.5), uuid: () => `uid-${uids++}`, bytes: () => new Uint8Array()}; // two names of five characters
    const asked: (string | undefined)[] = [];
    const book = seats();
    const spied: Reservations = {
      ...book,
      reserve: (write, context) => {
        asked.push(write.draft.metadata.labels?.['seat']);
        return book.reserve(write, context);
      },
    };
    await open(sampleKindWith({reservations: () => spied}), {random});
    await things.post({generateName: 'a-', ...seat('any')});
    drawn = 0;
    expect((await things.post({generateName: 'a-', ...seat('any')})).status).toBe(201);
    expect(asked).toEqual(['any', 'any', 'any']);
  });

  test('45-1 an update takes and gives, and a removal gives back before it is answered', async () => {
    await open(sampleKindWith({reservations: () => seats()}));
    await take('a', '1');
    expect((await things.merge('a', seat('2'))).status).toBe(200);
    expect(await take('b', '1')).toEqual([201, '1']);
    expect(await take('c', '2')).toEqual([422, undefined]);
    await things.remove('a');
    expect(await take('c', '2')).toEqual([201, '2']);
    await things.send('deletecollection', '');
    expect(await take('d', '1')).toEqual([201, '1']);
  });

  test('45-1 an update that somebody was quicker than gives back what it took, and takes once more', async () => {
    let asked = 0;
    const book = seats();
    const spied: Reservations = {
      ...book,
      reserve: (write, context) => {
        asked++;
        return book.reserve(write, context);
      },
    };
    await open(sampleKindWith({reservations: () => spied}));
    await take('a', '1');
    const replies = await Promise.all(['2', '3'].map(which => things.merge('a', seat(which))));
    expect([asked, ...replies.map(({status}) => status)]).toEqual([4, 200, 200]);
    const held = replies.at(-1)?.body.metadata.labels.seat;
    for (const which of ['1', '2', '3']) expect((await take(`b${which}`, which))[0]).toBe(which === held ? 422 : 201);
  });

  test('45-1 a start tells the book of everything that is stored', async () => {
    const store = await openMemoryStore();
    await open(sampleKindWith({reservations: () => seats()}), {store});
    await take('a', '1');
    await api.api.stop();
    const log: string[] = [];
    await open(sampleKindWith({reservations: () => seats(log)}), {store});
    expect(log).toEqual(['default/a 1']);
    expect(await take('b', '1')).toEqual([422, undefined]);
  });
});

describe('what goes along', () => {
  const others = sampleKind({kind: 'Other'});
  const owners = sampleKindWith({deletion: takingAlong(others, {group: '', resource: 'absent'})});

  test('45-1 the namesake of the named kind goes with the object, not with its mark, and may be held', async () => {
    await open(owners, {kinds: [owners, others]});
    const beside = api.of(others);
    for (const name of ['a', 'b', 'held']) await beside.make({name, ...(name === 'held' && {finalizers: ['e.io/x']})});
    await things.make({name: 'a', finalizers: ['e.io/x']});
    await things.make({name: 'held'});
    await things.remove('a');
    expect(await beside.names()).toEqual(['a', 'b', 'held']);
    await things.merge('a', {finalizers: null});
    await things.remove('held');
    expect(await beside.names()).toEqual(['b', 'held']);
    expect((await beside.get('held')).metadata).toHaveProperty('deletionTimestamp');
  });
});

test('45-1 a subresource has warnings of its own', async () => {
  const kind = sampleKindWith(
    {warningsOnUpdate: () => ['of the object']},
    {
      subresources: [
        {name: 'status', verbs: ['patch'], prepareForUpdate: () => {}, warningsOnUpdate: () => ['of the status']},
      ],
    },
  );
  await open(kind);
  await things.make({name: 'a'});
  expect((await things.merge('a', {labels: {a: 'b'}})).warnings).toEqual(['of the object']);
  const type = 'application/merge-patch+json';
  const sent = {subresource: 'status', type, body: {metadata: {labels: {a: 'c'}}}};
  expect((await things.send('patch', 'a', sent)).warnings).toEqual(['of the status']);
});
