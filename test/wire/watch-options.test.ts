// SPDX-License-Identifier: Apache-2.0
/** Parameters of watches as kube-apiserver 1.36.3 takes and refuses them. */
import {afterAll, beforeAll, expect, test} from 'vitest';
import {ManualTime} from './manual-time.ts';
import {ENDPOINTS, endpoints, freshName, startWire, type Wire} from './support.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const OLD_PATH = '/api/v1/watch/namespaces/one/endpoints';

let wire: Wire;
beforeAll(async () => {
  wire = await startWire({compat: 'kubernetes'});
  await wire.send('POST', ENDPOINTS, {body: endpoints('a')});
});
afterAll(() => wire[Symbol.asyncDispose]());

test.each([{query: {resourceVersion: ''}}, {query: {resourceVersion: '0'}}])(
  'a watch of the present state marks its end ($query)',
  async ({query}) => {
    const watch = await wire.watch(ENDPOINTS, {...query, allowWatchBookmarks: '1'});
    expect((await watch.next()).type).toBe('ADDED');
    expect((await watch.next()).object.metadata.annotations).toEqual({'k8s.io/initial-events-end': 'true'});
    watch.close();
  },
);

test('the columns come with the first event, and the mark of the end is shown even without objects', async () => {
  const query = {allowWatchBookmarks: '1', includeObject: 'None'};
  const watch = await wire.watch(ENDPOINTS, query, {accept: TABLE});
  const first = await watch.next();
  expect([first.object.columnDefinitions.length, first.object.rows[0].object]).toEqual([3, null]);
  const second = await watch.next();
  expect([second.object.columnDefinitions, second.object.rows[0].object.kind]).toEqual([null, 'PartialObjectMetadata']);
  watch.close();
});

test('a bookmark of a kind that shows when it was made has the time that Go writes for none', async () => {
  const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/one/roles';
  const watch = await wire.watch(roles, {allowWatchBookmarks: '1'}, {accept: TABLE});
  expect((await watch.next()).object.rows[0].cells).toEqual(['', '0001-01-01T00:00:00Z']);
  watch.close();
});

test.each([
  {path: ENDPOINTS, query: {labelSelector: '==', resourceVersionMatch: 'Bogus'}, code: 400},
  {path: ENDPOINTS, query: {fieldSelector: 'x=y', resourceVersionMatch: 'Bogus'}, code: 422},
  {path: ENDPOINTS, query: {continue: 'x'}, code: 422},
  {path: `${OLD_PATH}/a`, query: {fieldSelector: 'metadata.name=b'}, code: 400},
  {path: `${OLD_PATH}/a`, query: {fieldSelector: 'metadata.name!=b'}, code: 400},
  {path: '/api/v1/watch/namespaces/one/status', query: {}, code: 404},
])('$path with $query is refused with $code', async ({path, query, code}) => {
  expect((await wire.send('GET', path, {query: {watch: '1', ...query} as never})).status).toBe(code);
});

test('the old path without the parameter is judged as a list', async () => {
  const answer = await wire.send('GET', OLD_PATH, {query: {sendInitialEvents: 'true'}});
  expect(answer.body.message).toBe(
    'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
  );
});

test.each([
  {accept: 'application/yaml,application/json', offered: 'application/json;stream=watch'},
  {accept: 'application/json;as=Foo;v=v1;g=meta.k8s.io', offered: 'application/json, application/yaml'},
])('406 for $accept', async ({accept, offered}) => {
  const answer = await wire.send('GET', ENDPOINTS, {query: {watch: '1'}, headers: {accept}});
  expect([answer.status, answer.text.includes(offered)]).toEqual([406, true]);
});

test.each(['-1', '9999999999', '9223372036854775807'])(
  'a watch of timeoutSeconds=%s, which a time.Duration has as negative, is over at once',
  async timeoutSeconds => {
    const watch = await wire.watch(ENDPOINTS, {timeoutSeconds});
    for (let event = await watch.next(); event !== undefined; event = await watch.next())
      expect(event.type).toBe('ADDED');
  },
);

test('lists cannot be watched: the stream ends where the first event would come', async () => {
  const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
  const watch = await wire.watch(ENDPOINTS, {}, {accept});
  expect(await watch.next()).toBeUndefined();
});

test('includeObject is looked at also where a delete is answered with a Status; the object is gone all the same', async () => {
  const name = freshName();
  await wire.send('POST', ENDPOINTS, {body: endpoints(name)});
  const headers = {accept: TABLE};
  const refused = await wire.send('DELETE', `${ENDPOINTS}/${name}`, {query: {includeObject: 'Foo'}, headers});
  expect([refused.status, refused.body.message]).toEqual([
    400,
    `Unable to convert to Table as requested: includeObject: Invalid value: "Foo": must be 'Metadata', 'Object', 'None', or empty`,
  ]);
  expect((await wire.send('GET', `${ENDPOINTS}/${name}`)).status).toBe(404);
});

test('the time of a watch that waits for its version begins when that is there, also beside one whose client has left', async () => {
  const time = new ManualTime(Date.UTC(2026, 0, 1));
  await using server = await startWire({
    compat: 'kubernetes',
    clock: time,
    timers: time,
    limits: {futureRevisionWaitMs: 3_000},
  });
  const created = await server.send('POST', ENDPOINTS, {body: endpoints('a')});
  const version = Number(created.body.metadata.resourceVersion);
  const open = (resourceVersion: number) =>
    server.watch(ENDPOINTS, {
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: '1',
      resourceVersion: String(resourceVersion),
      timeoutSeconds: '1',
    });
  const late = await open(version + 1_000);
  const left = await open(version + 1_000);
  left.close();
  time.advance(2_900);
  time.advance(200);
  expect((await late.next()).object.reason).toBe('Timeout');
  const soon = await open(version + 1);
  time.advance(1_500);
  await server.send('POST', ENDPOINTS, {body: endpoints('b')});
  expect([(await soon.next()).object.metadata.name, (await soon.next()).object.metadata.name]).toEqual(['a', 'b']);
  expect((await soon.next()).type).toBe('BOOKMARK');
  soon.close();
});
