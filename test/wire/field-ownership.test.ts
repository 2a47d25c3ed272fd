// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {
  type Answer,
  APPLY,
  type Body,
  ENDPOINTS,
  endpoints,
  MERGE,
  STRATEGIC,
  startWire,
  subset,
  type Wire,
} from './support.ts';

/** A clock that stands still until it is told. */
class HandClock {
  #ms = Date.parse('2030-01-01T00:00:00Z');
  now = (): number => this.#ms;
  tick(): string {
    this.#ms += 60_000;
    return new Date(this.#ms).toISOString().replace('.000', '');
  }
}

const apply = (wire: Wire, manager: string, body: Body, query: Record<string, string> = {}): Promise<Answer> =>
  wire.send('PATCH', `${ENDPOINTS}/a`, {
    query: {fieldManager: manager, ...query},
    body,
    headers: {'content-type': APPLY},
  });
const merge = (wire: Wire, manager: string, metadata: object): Promise<Answer> =>
  wire.send('PATCH', `${ENDPOINTS}/a`, {
    query: {fieldManager: manager},
    body: {metadata},
    headers: {'content-type': MERGE},
  });
const entries = (answer: Answer): Body[] => answer.body.metadata.managedFields;
const entryOf = (answer: Answer, manager: string): Body => entries(answer).find(entry => entry.manager === manager);

describe.each(['spec', 'kubernetes'] as const)('managedFields, --compat %s', compat => {
  test('E-210 E-257 apiVersion is v1, and core/v1 counts as v1', async () => {
    await using wire = await startWire({compat});
    const created = await wire.send('POST', ENDPOINTS, {
      body: endpoints('a', [subset()], {ownerReferences: [{apiVersion: 'core/v1', kind: 'Pod', name: 'p', uid: 'u'}]}),
    });
    expect(entries(created).map(entry => entry.apiVersion)).toEqual(['v1']);
    expect(created.body.metadata.ownerReferences[0].apiVersion).toBe('v1');
    const managedFields = [
      {manager: 'm', operation: 'Apply', apiVersion: 'core/v1', fieldsType: 'FieldsV1', fieldsV1: {'f:subsets': {}}},
    ];
    const put = await wire.send('PUT', `${ENDPOINTS}/a`, {body: endpoints('a', [subset()], {managedFields})});
    expect(entryOf(put, 'm')).toMatchObject({apiVersion: 'v1', fieldsV1: {'f:subsets': {}}});
  });

  test('E-211 E-212 fields are FieldsV1: f:, v:, k: and . where they belong', async () => {
    await using wire = await startWire({compat});
    const owner = {apiVersion: 'example.com/v1', kind: 'Thing', name: 't', uid: 'u-1'};
    const created = await wire.send('POST', ENDPOINTS, {
      body: endpoints('a', [subset()], {
        labels: {x: '1'},
        annotations: {n: '1'},
        finalizers: ['example.com/f'],
        ownerReferences: [owner],
      }),
    });
    expect(entries(created)[0]).toMatchObject({
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:metadata': {
          'f:annotations': {'.': {}, 'f:n': {}},
          'f:finalizers': {'.': {}, 'v:"example.com/f"': {}},
          'f:labels': {'.': {}, 'f:x': {}},
          'f:ownerReferences': {'.': {}, 'k:{"uid":"u-1"}': {}},
        },
        'f:subsets': {},
      },
    });
    const applied = await apply(wire, 'm', endpoints('b', undefined));
    expect(applied.status).toBe(400);
  });

  test('E-213 the manager is fieldManager, else the client up to its slash', async () => {
    await using wire = await startWire({compat});
    const post = (name: string, query = {}, headers = {}) =>
      wire.send('POST', ENDPOINTS, {query, headers, body: endpoints(name, [subset()])});
    expect(entries(await post('a', {fieldManager: 'me'}))[0].manager).toBe('me');
    expect(entries(await post('b'))[0].manager).toBe('wire-test');
    expect(entries(await post('c', {}, {'user-agent': 'Mozilla/5.0 (X11)'}))[0].manager).toBe('Mozilla');
    const long = await post('d', {fieldManager: 'm'.repeat(129)});
    expect([long.status, long.body.details.causes[0].message]).toEqual([
      422,
      'Too long: may not be more than 128 bytes',
    ]);
  });

  test('E-214 Update and Apply of one manager are two entries, and conflict', async () => {
    await using wire = await startWire({compat});
    await wire.send('POST', ENDPOINTS, {query: {fieldManager: 'same'}, body: endpoints('a', [subset()])});
    const conflict = await apply(wire, 'same', endpoints('a', [subset({ip: '10.0.0.2'})]));
    expect([conflict.status, conflict.body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "same" using v1: .subsets',
    ]);
    const labelled = await apply(wire, 'same', endpoints('a', undefined, {labels: {l: '1'}}));
    expect(entries(labelled).map(({manager, operation}) => [manager, operation])).toEqual([
      ['same', 'Apply'],
      ['same', 'Update'],
    ]);
  });

  test('E-215 Endpoints has no subresource: none in its entries; a Namespace notes its status apart', async () => {
    await using wire = await startWire({compat});
    const created = await wire.send('POST', ENDPOINTS, {body: endpoints('a', [subset()])});
    expect(entries(created)[0]).not.toHaveProperty('subresource');
    await merge(wire, 'm', {labels: {x: '1'}});
    const status = await wire.send('PATCH', '/api/v1/namespaces/one/status', {
      query: {fieldManager: 'm'},
      body: {status: {conditions: [{type: 'Example', status: 'True'}]}},
      headers: {'content-type': STRATEGIC},
    });
    expect(status.status, status.text).toBe(200);
    expect(new Set(entries(status).map(entry => `${entry.manager} ${entry.subresource} ${entry.apiVersion}`))).toEqual(
      new Set(['wire-test undefined v1', 'm status v1']),
    );
  });

  test('E-216 time moves when a field is added, changed or removed by its manager, and only then', async () => {
    const clock = new HandClock();
    await using wire = await startWire({compat, clock});
    const first = clock.tick();
    const created = await wire.send('POST', ENDPOINTS, {
      query: {fieldManager: 'm'},
      body: endpoints('a', [subset()], {labels: {x: '1'}}),
    });
    expect(entryOf(created, 'm').time).toBe(first);
    clock.tick();
    expect(entryOf(await merge(wire, 'm', {labels: {x: '1'}}), 'm').time).toBe(first);
    const added = clock.tick();
    expect(entryOf(await merge(wire, 'm', {labels: {y: '1'}}), 'm').time).toBe(added);
    const changed = clock.tick();
    expect(entryOf(await merge(wire, 'm', {labels: {y: '2'}}), 'm').time).toBe(changed);
  });

  test('E-217 time does not move when another manager takes a field over', async () => {
    const clock = new HandClock();
    await using wire = await startWire({compat, clock});
    const first = clock.tick();
    await wire.send('POST', ENDPOINTS, {
      query: {fieldManager: 'm'},
      body: endpoints('a', [subset()], {labels: {x: '1', y: '1'}}),
    });
    const second = clock.tick();
    const taken = await merge(wire, 'other', {labels: {x: '2'}});
    expect([entryOf(taken, 'm').time, entryOf(taken, 'other').time]).toEqual([first, second]);
    expect(entryOf(taken, 'm').fieldsV1['f:metadata']['f:labels']).toEqual({'.': {}, 'f:y': {}});
  });

  test('E-218 a conflict names field and manager; force takes over; equal values are shared', async () => {
    await using wire = await startWire({compat});
    const ported = (port: number) => [{addresses: [{ip: '10.0.0.1'}], ports: [{port, protocol: 'TCP'}]}];
    await apply(wire, 'one', endpoints('a', ported(80), {labels: {x: '1'}}));
    const conflict = await apply(wire, 'two', endpoints('a', ported(81), {labels: {x: '2'}}));
    expect([conflict.status, conflict.body.reason]).toEqual([409, 'Conflict']);
    expect(conflict.body.details.causes).toEqual([
      {reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.subsets'},
      {reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.metadata.labels.x'},
    ]);
    const shared = await apply(wire, 'two', endpoints('a', ported(80), {labels: {x: '1'}}));
    expect(entries(shared).map(entry => entry.fieldsV1)).toEqual(
      Array(2).fill({'f:metadata': {'f:labels': {'f:x': {}}}, 'f:subsets': {}}),
    );
    const forced = await apply(wire, 'three', endpoints('a', ported(82)), {force: 'true'});
    expect([forced.status, forced.body.subsets[0].ports[0].port]).toEqual([200, 82]);
    expect(entryOf(forced, 'one').fieldsV1).toEqual({'f:metadata': {'f:labels': {'f:x': {}}}});
  });

  test('E-219 what its only applier drops goes, what another applies too stays', async () => {
    await using wire = await startWire({compat});
    await apply(wire, 'one', endpoints('a', undefined, {labels: {both: '1', mine: '1'}}));
    await apply(wire, 'two', endpoints('a', undefined, {labels: {both: '1'}}));
    const dropped = await apply(wire, 'one', endpoints('a', undefined, {labels: {new: '1'}}));
    expect(dropped.body.metadata.labels).toEqual({both: '1', new: '1'});
  });

  test.each([{reset: [{}]}, {reset: []}])(
    'E-220 managedFields $reset resets tracking until the next apply',
    async ({reset}) => {
      await using wire = await startWire({compat});
      await wire.send('POST', ENDPOINTS, {body: endpoints('a', [subset()], {labels: {x: '1'}})});
      const put = await wire.send('PUT', `${ENDPOINTS}/a`, {
        body: endpoints('a', [subset()], {labels: {x: '1'}, managedFields: reset}),
      });
      expect([put.status, entries(put)]).toEqual([200, undefined]);
      expect(entries(await merge(wire, 'm', {labels: {y: '1'}}))).toBeUndefined();
      const applied = await apply(wire, 'm', endpoints('a', undefined, {labels: {z: '1'}}));
      expect(entries(applied).map(({manager, operation}) => [manager, operation])).toEqual([
        ['m', 'Apply'],
        ['before-first-apply', 'Update'],
      ]);
    },
  );
});

describe('an apply that only adds co-ownership', () => {
  const run = async (compat: 'spec' | 'kubernetes') => {
    const clock = new HandClock();
    await using wire = await startWire({compat, clock});
    const body = endpoints('a', undefined, {labels: {x: '1'}});
    await apply(wire, 'one', body);
    const at = clock.tick();
    return {at, entry: entryOf(await apply(wire, 'two', body), 'two')};
  };

  test('E-216 spec: its entry has a time', async () => {
    const {at, entry} = await run('spec');
    expect(entry.time).toBe(at);
  });

  test('E-216 kubernetes: it has none', async () => {
    expect((await run('kubernetes')).entry).not.toHaveProperty('time');
  });
});

describe('managedFields that make no sense', () => {
  const good = {
    manager: 'm',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: {'f:subsets': {}},
  };
  const CASES = [
    {id: 'E-211', what: 'another fieldsType', entry: {...good, fieldsType: 'FieldsV2'}, field: 'fieldsType'},
    {id: 'E-220', what: 'an unknown operation', entry: {...good, operation: 'Replace'}, field: 'operation'},
    {id: 'E-220', what: 'no apiVersion', entry: {...good, apiVersion: ''}, field: 'apiVersion'},
    {id: 'E-212', what: 'fields in no known form', entry: {...good, fieldsV1: {'k:[': {}}}, field: 'fieldsV1'},
  ];

  test.each(CASES)('$id spec: $what is refused by every write', async ({entry, field}) => {
    await using wire = await startWire();
    const created = await wire.send('POST', ENDPOINTS, {body: endpoints('a', [subset()])});
    const managedFields = [entry];
    const answers = [
      await wire.send('POST', ENDPOINTS, {body: endpoints('b', [subset()], {managedFields})}),
      await wire.send('PUT', `${ENDPOINTS}/a`, {body: endpoints('a', [subset()], {managedFields})}),
      await merge(wire, 'm', {managedFields}),
    ];
    for (const answer of answers)
      expect([answer.status, answer.body.details.causes[0].field]).toEqual([422, `metadata.managedFields[0].${field}`]);
    expect((await wire.send('GET', `${ENDPOINTS}/a`)).body).toEqual(created.body);
  });

  test.each(CASES)('$id kubernetes: $what is passed over, the stored entries stay', async ({entry}) => {
    await using wire = await startWire({compat: 'kubernetes'});
    const created = await wire.send('POST', ENDPOINTS, {body: endpoints('a', [subset()])});
    const put = await wire.send('PUT', `${ENDPOINTS}/a`, {body: endpoints('a', [subset()], {managedFields: [entry]})});
    expect([put.status, entries(put)]).toEqual([200, entries(created)]);
  });
});
