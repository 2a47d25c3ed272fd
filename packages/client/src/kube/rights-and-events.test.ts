// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {createKubeClient} from '../node-clients.ts';
import {startJsonServer} from '../testing/json-server.ts';
import {reviewAccess} from './access.ts';
import {readAudit} from './audit.ts';
import {eventsAbout, timeOfEvent} from './events.ts';

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

test('49-3 Events about an object are selected by the server; each says when it happened last', () => {
  const event = (lastTimestamp: string | null, eventTime: string | null) => ({lastTimestamp, eventTime});
  const events = [event('2026-01-31T08:00:00Z', null), event(null, '2026-01-31T09:00:00.5Z'), event(null, null)];
  expect(events.map(timeOfEvent)).toEqual(['2026-01-31T08:00:00Z', '2026-01-31T09:00:00.5Z', '']);
  expect(eventsAbout({kind: 'Endpoints', name: 'web', uid: 'u'})).toBe(
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
