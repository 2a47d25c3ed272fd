// SPDX-License-Identifier: Apache-2.0
/** The series of requests are those of a kube-apiserver v1.36.3 that got the same ones, with another resource. */
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest';
import {MemoryApi, sampleKind} from '../../testing/index.ts';
import {RequestCounts} from './request-counts.ts';
import {DURATION_BUCKETS_S, keyOf} from './request-series.ts';

const things = sampleKind();
const THINGS = '/apis/example.com/v1/namespaces/default/things';
const thing = (name: string) => ({apiVersion: 'example.com/v1', kind: 'Thing', metadata: {name}, spec: {}});
let api: MemoryApi;
let url = '';
const server = createServer((request, response) => void api.api.handle(request, response));

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(async () => {
  api = await MemoryApi.open({kinds: [things]});
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const send = async (method: string, path: string, body?: object | string, type = 'application/json') => {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {'content-type': type, ...(path.includes('html') ? {accept: 'text/html'} : {})},
    ...(body === undefined ? {} : {body: typeof body === 'string' ? body : JSON.stringify(body)}),
  });
  await answer.text();
};

/** `VERB SCOPE DRY_RUN GROUP/VERSION/RESOURCE/SUBRESOURCE CODE`, in order. */
const counted = (): string[] =>
  [...api.api.counts.all()]
    .flatMap(series => [...series.codes.keys()].map(code => `${keyOf(series.labels)} ${code}`))
    .sort();

const KIND = 'example.com/v1/things';
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

test.each<[string, Parameters<typeof send>, string[]]>([
  ['a list of a namespace', ['GET', THINGS], [`LIST namespace  ${KIND}/ 200`]],
  ['of all', ['GET', '/apis/example.com/v1/things'], [`LIST cluster  ${KIND}/ 200`]],
  ['of one name', ['GET', `${THINGS}?fieldSelector=metadata.name%3Da`], [`LIST namespace  ${KIND}/ 200`]],
  ['watch=0 is a list', ['GET', `${THINGS}?watch=0`], [`LIST namespace  ${KIND}/ 200`]],
  ['a bad parameter', ['GET', `${THINGS}?limit=abc`], [`LIST namespace  ${KIND}/ 400`]],
  ['an object that is not there', ['GET', `${THINGS}/none`], [`GET resource  ${KIND}/ 404`]],
  ['a create', ['POST', THINGS, thing('a')], [`POST resource  ${KIND}/ 201`]],
  ['a dry run', ['POST', `${THINGS}?dryRun=All`, thing('a')], [`POST resource All ${KIND}/ 201`]],
  ['a bad dry run', ['POST', `${THINGS}?dryRun=Foo`, thing('a')], [`POST resource invalid ${KIND}/ 422`]],
  ['a body that cannot be read', ['POST', THINGS, 'x'], [`POST resource  ${KIND}/ 400`]],
  ['a patch', ['PATCH', `${THINGS}/a`, {}, MERGE], [`PATCH resource  ${KIND}/ 404`]],
  ['an apply', ['PATCH', `${THINGS}/a`, thing('a'), APPLY], [`APPLY resource  ${KIND}/ 422`]],
  ['deletes of a collection', ['DELETE', THINGS], [`DELETE namespace  ${KIND}/ 200`]],
  ['a resource that does not exist', ['GET', '/apis/example.com/v1/nosuch'], []],
  ['a verb that does not exist', ['PUT', THINGS], []],
  ['a form that does not exist', ['GET', `${THINGS}?html`], []],
  ['health', ['GET', '/readyz'], ['GET   ////readyz 200']],
  ['one check, and other documents', ['GET', '/readyz/ping'], []],
  ['an unknown path', ['GET', '/nosuch'], []],
])('%s', async (_, request, expected) => {
  await send(...request);
  expect(counted()).toEqual(expected);
});

test('an open watch is counted as open, and as a request when it has ended', async () => {
  const ended = new AbortController();
  const answer = await fetch(`${url}${THINGS}?watch=1`, {signal: ended.signal});
  const open = () => [...api.api.counts.all()].map(({labels, open}) => `${keyOf(labels)} ${open}`);
  await expect.poll(open).toEqual([`WATCH namespace  ${KIND}/ 1`]);
  expect(counted()).toEqual([]);
  await send('POST', THINGS, thing('a'));
  const {value} = await answer.body!.getReader().read(); // one ADDED
  const [sent] = api.api.services.watchers.sent.all();
  expect([sent?.of, sent?.sizes.total, sent?.sizes.sum]).toEqual([
    {group: 'example.com', version: 'v1', resource: 'things'},
    1,
    value?.length,
  ]);
  ended.abort();
  await expect.poll(open).toContain(`WATCH namespace  ${KIND}/ 0`);
  expect(counted()).toContain(`WATCH namespace  ${KIND}/ 200`);
});

test('times are in their buckets; the time in a queue is not in the second histogram', () => {
  let nowMs = 0;
  const counts = new RequestCounts({now: () => nowMs});
  const meter = counts.begin();
  const info = {group: '', version: 'v1', resource: 'services', subresource: '', name: 'a', namespace: 'b'};
  meter.routed({verb: 'get', info: info as never, query: new URLSearchParams() as never, contentType: undefined});
  meter.waits();
  nowMs = 300;
  meter.seated();
  nowMs = 340;
  meter.ended(200, 5_000);
  const [series] = counts.all();
  expect(series?.seconds.counts.indexOf(1)).toBe(DURATION_BUCKETS_S.indexOf(0.4));
  expect([series?.seconds.sum, series?.ownSeconds?.sum, series?.sizes?.counts.indexOf(1)]).toEqual([
    0.34,
    expect.closeTo(0.04),
    1,
  ]);
  const refused = counts.begin();
  refused.routed({verb: 'get', info: info as never, query: new URLSearchParams() as never, contentType: undefined});
  refused.refused();
  refused.ended(429, 10);
  expect([series?.codes.get(429), series?.seconds.total]).toEqual([1, 1]);
});

test('logins and decisions are counted by upstream’s classes', async () => {
  const counts = new RequestCounts({now: () => 0});
  for (const name of ['kubelet', 'anna@example.com', 'anna', 'system:serviceaccount:a:b'])
    counts.authenticated('user', name);
  counts.authenticated('anonymous', 'system:anonymous');
  counts.authenticated('refused', '');
  counts.authenticated('limited', '');
  expect(Object.fromEntries(counts.authentications)).toEqual({success: 5, error: 2});
  expect(Object.fromEntries(counts.users)).toEqual({kubelet: 1, email_id: 1, other: 3});
  await send('GET', THINGS);
  expect(Object.fromEntries(api.api.counts.authorizations)).toEqual({allowed: 1});
});
