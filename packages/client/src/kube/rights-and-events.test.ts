// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {createKubeClient} from '../node-clients.ts';
import {startJsonServer} from '../testing/json-server.ts';
import {isAllowedBy, type OwnRules, readOwnRules, reviewAccess} from './access.ts';
import {readAudit} from './audit.ts';
import {eventsAbout, listEventsAbout} from './events.ts';

test('49-2 many questions about access: equal ones are asked once, answers come in their order', async () => {
  await using server = await startJsonServer(({body}) => {
    const {verb} = JSON.parse(body).spec.resourceAttributes;
    return {status: 201, body: {status: verb === 'get' ? {allowed: true} : {allowed: false, reason: 'no rule'}}};
  });
  const ask = (verb: string) => ({verb, resource: 'endpoints', namespace: 'shop'});
  const answers = await reviewAccess(createKubeClient({server: server.url}), ['get', 'update', 'get'].map(ask));
  expect(answers.map(({allowed, reason}) => [allowed, reason])).toEqual([
    [true, ''],
    [false, 'no rule'],
    [true, ''],
  ]);
  expect(server.requests.map(({path}) => path)).toEqual(
    Array(2).fill('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'),
  );
});

test('49-2 the rules of a namespace answer every question about it', async () => {
  const rules: OwnRules = {
    resourceRules: [
      {verbs: ['get', 'list'], apiGroups: [''], resources: ['endpoints']},
      {verbs: ['*'], apiGroups: ['platform.io'], resources: ['*/status'], resourceNames: ['a']},
      {verbs: ['update'], apiGroups: [''], resources: ['secrets'], resourceNames: ['s']},
    ],
    incomplete: false,
  };
  await using server = await startJsonServer(() => ({status: 201, body: {status: rules}}));
  const read = await readOwnRules(createKubeClient({server: server.url}), 'shop');
  expect(read).toEqual(rules);
  expect(JSON.parse(server.requests[0]?.body ?? '').spec).toEqual({namespace: 'shop'});
  const may = (verb: string, resource: string, more: object = {}) => isAllowedBy(read, {verb, resource, ...more});
  expect([may('get', 'endpoints'), may('update', 'endpoints'), may('get', 'endpoints', {subresource: 'x'})]).toEqual([
    true,
    false,
    false,
  ]);
  expect([
    may('get', 'endpoints', {group: 'x'}),
    may('update', 'secrets'),
    may('update', 'secrets', {name: 's'}),
  ]).toEqual([false, false, true]);
  const status = {group: 'platform.io', subresource: 'status', name: 'a'};
  expect([may('patch', 'endpointgroups', status), may('patch', 'endpointgroups', {...status, name: 'b'})]).toEqual([
    true,
    false,
  ]);
});

test('49-3 Events about an object are selected by the server, and come with the newest first', async () => {
  const event = (lastTimestamp: string | null, eventTime: string | null, reason: string) => ({
    lastTimestamp,
    eventTime,
    reason,
  });
  const items = [
    event('2026-01-31T08:00:00Z', null, 'old'),
    event(null, '2026-01-31T09:00:00.5Z', 'new'),
    event('2026-01-31T08:30:00Z', null, 'middle'),
  ];
  await using server = await startJsonServer(() => ({status: 200, body: {metadata: {resourceVersion: '7'}, items}}));
  const about = {kind: 'Endpoints', name: 'web', uid: 'u'};
  const {events, resourceVersion} = await listEventsAbout(createKubeClient({server: server.url}), 'shop', about);
  expect([events.map(({reason}) => reason), resourceVersion]).toEqual([['new', 'middle', 'old'], '7']);
  expect(server.requests[0]?.path).toBe('/api/v1/namespaces/shop/events');
  expect(server.requests[0]?.query.get('fieldSelector')).toBe(
    'involvedObject.kind=Endpoints,involvedObject.name=web,involvedObject.uid=u',
  );
  expect(eventsAbout({kind: 'Node', name: ''})).toBe('involvedObject.kind=Node');
});

test('49-3 audit entries of an object; a stream whose right is gone ends with the reason', async () => {
  const entry = {auditID: 'a', stage: 'ResponseComplete', verb: 'update'};
  const ended = {kind: 'Status', status: 'Failure', reason: 'Forbidden', message: 'not any more', code: 403};
  await using server = await startJsonServer(() => ({
    status: 200,
    body: '',
    lines: [JSON.stringify(entry), '', JSON.stringify(ended)],
  }));
  const seen: unknown[] = [];
  const read = async (): Promise<void> => {
    const query = {resource: 'endpoints.', namespace: 'shop', name: 'web', follow: true, code: 409};
    for await (const each of readAudit(createKubeClient({server: server.url}), query)) seen.push(each);
  };
  await expect(read()).rejects.toMatchObject({status: {code: 403, message: 'not any more'}});
  expect(seen).toEqual([entry]);
  expect(Object.fromEntries(server.requests[0]?.query ?? [])).toEqual({
    resource: 'endpoints.',
    namespace: 'shop',
    name: 'web',
    code: '409',
    follow: '1',
  });
});
