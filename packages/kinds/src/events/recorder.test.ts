// SPDX-License-Identifier: Apache-2.0
/** Events of our own controllers. Ref: issue 45, points 1 and 2. */
import {type Body, MemoryApi} from '@palisade/apiserver/testing';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {DEFAULT_KIND_SETTINGS} from '../settings.ts';
import {type EventRecorder, eventRecorder, eventsKind, eventsModule} from './index.ts';

const about = {kind: 'Endpoints', namespace: 'default', name: 'web', uid: 'u1', apiVersion: 'v1'};
const skipped = {about, type: 'Warning', reason: 'TooMany', message: '3 were skipped'} as const;

let api: MemoryApi;
let recorder: EventRecorder;
beforeEach(async () => {
  api = await MemoryApi.open({...eventsModule(DEFAULT_KIND_SETTINGS), compat: 'kubernetes'});
  recorder = eventRecorder(api.api, {component: 'mirroring', manager: 'kube-controller-manager'});
});
afterEach(async () => {
  await recorder.stop();
  await api[Symbol.asyncDispose]();
});

const all = async (): Promise<Body[]> => {
  await api.settle();
  return (await api.of(eventsKind).send('list', '')).body.items;
};

test('45-2 an event says what happened to which object, as a controller of Kubernetes records it', async () => {
  recorder.record(skipped);
  const [event] = await all();
  expect(event).toMatchObject({
    involvedObject: about,
    reason: 'TooMany',
    message: '3 were skipped',
    source: {component: 'mirroring'},
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:00Z',
    count: 1,
    type: 'Warning',
    eventTime: null,
    reportingComponent: 'mirroring',
    reportingInstance: '',
  });
  expect(event.metadata.name).toMatch(/^web\.[0-9a-f]{16}$/);
  expect(event.metadata.managedFields[0].manager).toBe('kube-controller-manager');
});

test('45-2 what repeats is counted on one event; another message is another event', async () => {
  for (let i = 0; i < 5; i++) recorder.record(skipped);
  await all();
  api.time.advance(5_000);
  recorder.record(skipped);
  recorder.record({...skipped, message: '4 were skipped'});
  const events = await all();
  expect(events.map(({message, count}) => [message, count]).sort()).toEqual([
    ['3 were skipped', 6],
    ['4 were skipped', 1],
  ]);
  const [counted] = events.filter(({count}) => count === 6);
  expect([counted.firstTimestamp, counted.lastTimestamp]).toEqual(['2026-01-01T00:00:00Z', '2026-01-01T00:00:05Z']);
});

test('45-2 an event that is gone is made again with its count, as upstream does, and one that is refused is dropped', async () => {
  recorder.record(skipped);
  const [first] = await all();
  await api.of(eventsKind).remove(first.metadata.name);
  recorder.record(skipped);
  expect((await all()).map(({count}) => count)).toEqual([2]);
  recorder.record({...skipped, about: {...about, name: 'x'.repeat(300)}});
  recorder.record({...skipped, about: {...about, namespace: 'Not valid'}});
  expect((await all()).map(({involvedObject}) => involvedObject.name.length)).toEqual([300, 3]);
});
