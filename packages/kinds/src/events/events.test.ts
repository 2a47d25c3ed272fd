// SPDX-License-Identifier: Apache-2.0
/** One store, two forms. The rules are compared with a kube-apiserver in test/reference. Ref: issue 45, point 1. */
import {type Body, MemoryApi, type Resource} from '@palisade/apiserver/testing';
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {DEFAULT_KIND_SETTINGS} from '../settings.ts';
import {eventsGroupKind, eventsKind, eventsModule} from './index.ts';

const TIME = '2020-01-02T03:04:05.678901Z';
const about = {kind: 'Pod', namespace: 'default', name: 'p1', apiVersion: 'v1'};
const old = {
  involvedObject: about,
  reason: 'Started',
  message: 'm',
  source: {component: 'kubelet', host: 'n1'},
  count: 3,
};
const fresh = {
  regarding: about,
  eventTime: TIME,
  reportingController: 'example.com/ctl',
  reportingInstance: 'i1',
  action: 'Act',
  reason: 'Why',
  type: 'Normal',
  note: 'n',
};

let api: MemoryApi;
let core: Resource;
let grouped: Resource;
const open = async (options = {}): Promise<void> => {
  api = await MemoryApi.open({...eventsModule(DEFAULT_KIND_SETTINGS), compat: 'kubernetes', ...options});
  core = api.of(eventsKind);
  grouped = api.of(eventsGroupKind);
};
beforeEach(() => open());
afterEach(() => api[Symbol.asyncDispose]());

const message = ({body}: {readonly body: Body}): string => body.message;

describe('one object in two groups', () => {
  test('45-1 what is made through one is there in the other, with its uid, version and owners of fields', async () => {
    const made = await core.make({name: 'a', labels: {x: '1'}}, old);
    const seen = await grouped.get('a');
    expect(seen.metadata).toEqual(made.metadata);
    expect(seen).toEqual({
      metadata: made.metadata,
      eventTime: null,
      reason: 'Started',
      regarding: about,
      note: 'm',
      deprecatedSource: {component: 'kubelet', host: 'n1'},
      deprecatedFirstTimestamp: null,
      deprecatedLastTimestamp: null,
      deprecatedCount: 3,
    });
  });

  test('45-1 a new event has the old names in core/v1, and its owner is noted in the version of the request', async () => {
    const made = await grouped.make({name: 'a'}, fresh);
    expect(made.metadata.managedFields[0].apiVersion).toBe('events.k8s.io/v1');
    expect(Object.keys(made.metadata.managedFields[0].fieldsV1)).toContain('f:regarding');
    expect(await core.get('a')).toMatchObject({
      involvedObject: about,
      message: 'n',
      reportingComponent: 'example.com/ctl',
      eventTime: TIME,
      source: {},
      firstTimestamp: null,
    });
  });

  test('45-1 a write through one group drops what is owned in the form of the other, also if it changes nothing else', async () => {
    await core.make({name: 'a', labels: {x: '1'}}, old);
    const {body} = await grouped.merge('a', {labels: {x: '1'}});
    expect(body.metadata.managedFields).toBeUndefined();
  });

  test('45-1 lists of both groups have the same objects, in their own form, whole and in pages', async () => {
    for (const name of ['a', 'b', 'c']) await core.make({name}, old);
    const {body} = await grouped.send('list', '', {query: {limit: '2'}});
    expect(body.items.map((item: Body) => [item.metadata.name, item.note])).toEqual([
      ['a', 'm'],
      ['b', 'm'],
    ]);
    expect(await core.names()).toEqual(await grouped.names());
    await grouped.send('deletecollection', '', {query: {labelSelector: '!x'}});
    expect(await core.names()).toEqual([]);
  });

  test('45-1 refusals name the group that was asked, those of contents the stored kind', async () => {
    expect(message(await grouped.send('get', 'none'))).toBe('events.events.k8s.io "none" not found');
    await grouped.make({name: 'a'}, fresh);
    expect(message(await grouped.post({name: 'a'}, fresh))).toBe('events.events.k8s.io "a" already exists');
    expect(message(await core.post({name: 'a'}, old))).toBe('events "a" already exists');
    expect((await grouped.remove('a')).body.details).toMatchObject({group: 'events.k8s.io', kind: 'events'});
    const {body} = await grouped.post({name: 'x'}, {...fresh, type: 'Info'});
    expect(body.details).toMatchObject({kind: 'Event', name: 'x'});
    expect(body.details.group).toBeUndefined();
  });

  test('45-1 an update through events.k8s.io changes the series and metadata alone', async () => {
    await grouped.make({name: 'a'}, fresh);
    const series = {count: 2, lastObservedTime: TIME};
    expect((await grouped.patch('a', 'merge', {series})).status).toBe(200);
    expect(message(await grouped.patch('a', 'merge', {regarding: {name: 'p2'}}))).toBe(
      'Event "a" is invalid: involvedObject: Invalid value: {"Kind":"Pod","Namespace":"default","Name":"p2","UID":"","APIVersion":"v1","ResourceVersion":"","FieldPath":""}: field is immutable',
    );
    expect((await core.patch('a', 'merge', {message: 'other'})).status).toBe(200);
    expect((await grouped.get('a')).note).toBe('other');
  });

  test('45-1 apply through either group, each under its own names', async () => {
    expect((await grouped.apply('m', 'a', fresh)).status).toBe(201);
    const {body} = await core.apply('m', 'a', {involvedObject: about, message: 'other'}, {force: 'true'});
    expect(body.message).toBe('other');
    expect(body.metadata.managedFields).toHaveLength(1);
    expect(body.metadata.managedFields[0]).toMatchObject({apiVersion: 'v1', operation: 'Apply'});
  });
});

describe('selectors', () => {
  test.each([
    {group: 'core', selector: 'involvedObject.name=p1,type=', names: ['a']},
    {group: 'core', selector: 'source=kubelet', names: ['a']},
    {group: 'core', selector: 'source=example.com/ctl', names: ['b']},
    {group: 'core', selector: 'reportingComponent!=example.com/ctl', names: ['a']},
    {group: 'core', selector: 'regarding.name=p1', names: 'field label not supported: regarding.name'},
    {group: 'grouped', selector: 'regarding.kind=Pod,reason=Why', names: ['b']},
    {group: 'grouped', selector: 'reportingController=example.com/ctl', names: ['b']},
    {group: 'grouped', selector: 'source=kubelet', names: 'field label not supported: source'},
    {group: 'grouped', selector: 'involvedObject.name=p1', names: 'field label not supported: involvedObject.name'},
  ])('45-1 $group: $selector', async ({group, selector, names}) => {
    await core.make({name: 'a'}, old);
    await grouped.make({name: 'b'}, fresh);
    const {body} = await (group === 'core' ? core : grouped).send('list', '', {query: {fieldSelector: selector}});
    expect(body.items?.map((item: Body) => item.metadata.name) ?? body.message).toEqual(names);
  });
});

test('45-1 a PUT of an absent name creates it; names need not be DNS names in core/v1 alone', async () => {
  expect((await core.put('A_b', old)).status).toBe(201);
  expect(message(await grouped.put('A_b', {...fresh, note: 'm', eventTime: TIME}))).toMatch(/field is immutable/);
  expect(message(await grouped.put('A_c', fresh))).toMatch(/^Event "A_c" is invalid: metadata.name: Invalid value/);
});

test('45-1 a delete has no propagation, and finalizers of the garbage collector do not hold an event', async () => {
  await core.make({name: 'a', finalizers: ['orphan']}, old);
  expect((await core.remove('a', {propagationPolicy: 'Foreground'})).status).toBe(200);
  expect(await core.names()).toEqual([]);
});

test('45-1 an event goes after its time, in both groups, also over a restart', async () => {
  const store = await openMemoryStore();
  await api.api.stop();
  await open({store});
  await grouped.make({name: 'a'}, fresh);
  const {time} = api;
  time.advance(DEFAULT_KIND_SETTINGS.eventTtlMs / 2);
  await api.api.stop();
  await open({store, clock: time, timers: time});
  expect(await core.names()).toEqual(['a']);
  time.advance(DEFAULT_KIND_SETTINGS.eventTtlMs / 2 + 30_000);
  await api.settle();
  expect([await core.names(), await grouped.names()]).toEqual([[], []]);
});
