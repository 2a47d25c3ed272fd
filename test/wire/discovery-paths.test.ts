// SPDX-License-Identifier: Apache-2.0
/** Paths that name no resource: which words refuse them, and which methods and forms they take, as kube-apiserver 1.36.3. */
import {afterAll, beforeAll, expect, test} from 'vitest';
import {startWire, type Wire} from './support.ts';

const RBAC = '/apis/rbac.authorization.k8s.io';
const V2 = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain; charset=utf-8';

let wire: Wire;
beforeAll(async () => {
  wire = await startWire({compat: 'kubernetes'});
});
afterAll(() => wire[Symbol.asyncDispose]());

test.each([
  {method: 'GET', path: '/api//', code: 200, type: JSON_TYPE},
  {method: 'POST', path: '/api/v1', code: 405, type: JSON_TYPE},
  {method: 'POST', path: '/api/v2', code: 404, type: JSON_TYPE},
  {method: 'GET', path: `${RBAC}/v2`, code: 404, type: JSON_TYPE},
  {method: 'GET', path: '/apis/nope', code: 404, type: TEXT_TYPE},
  {method: 'GET', path: '/apis//', code: 404, type: TEXT_TYPE},
  {method: 'GET', path: '/apis//v1/namespaces', code: 404, type: TEXT_TYPE},
  {method: 'GET', path: '/apis//x/y', code: 404, type: TEXT_TYPE},
  {method: 'GET', path: '/apis///x', code: 404, type: TEXT_TYPE},
  {method: 'GET', path: '/api//x/y', code: 404, type: JSON_TYPE},
  {method: 'POST', path: '/apis', code: 200, type: JSON_TYPE},
  {method: 'DELETE', path: `${RBAC}/`, code: 200, type: JSON_TYPE},
  {method: 'DELETE', path: `${RBAC}//`, code: 405, type: JSON_TYPE},
  {method: 'GET', path: '/version/x', code: 404, type: JSON_TYPE},
  {method: 'PUT', path: '/index.html', code: 200, type: JSON_TYPE},
  {method: 'GET', path: '/healthz/', code: 404, type: TEXT_TYPE},
  {method: 'GET', path: '/livez/log', code: 200, type: TEXT_TYPE},
  {method: 'GET', path: '/readyz/informer-sync', code: 200, type: TEXT_TYPE},
  {method: 'GET', path: '/livez/informer-sync', code: 404, type: TEXT_TYPE},
  {method: 'POST', path: '/openapi/v3', code: 200, type: TEXT_TYPE},
  {method: 'GET', path: '/openapi/v3/', code: 404, type: undefined},
])('$method $path is $code', async ({method, path, code, type}) => {
  const answer = await wire.send(method, path);
  expect([answer.status, answer.headers['content-type']]).toEqual([code, type]);
});

test.each([
  {path: '/api', accept: 'text/html', message: '406: Not Acceptable'},
  {path: '/apis', accept: 'text/html', message: 'only the following media types are accepted'},
  {path: '/api/v1', accept: 'application/json;as=Table;v=v1;g=meta.k8s.io', message: 'only the following media types'},
  {path: '/apis/', accept: `application/json;${V2}`, message: 'only the following media types are accepted'},
])('406 for $accept at $path', async ({path, accept, message}) => {
  const answer = await wire.send('GET', path, {headers: {accept}});
  expect([answer.status, answer.body.message.startsWith(message)]).toEqual([406, true]);
});

test.each([
  {
    path: '/api',
    refused: ['text/plain', '*/*', 'application/JSON'],
    taken: ['application/yaml', 'a/b, application/json'],
  },
  {path: '/api/v1', refused: ['x'], taken: ['application/vnd.kubernetes.protobuf', '']},
  {path: `${RBAC}/v1`, refused: ['application/cbor'], taken: ['application/json;q=0']},
  {path: '/version', refused: ['application/yaml'], taken: ['application/json; charset=utf-8']},
  {path: '/apis', refused: [], taken: ['x']},
  {path: RBAC, refused: [], taken: ['x']},
])('E-270 a read of $path says no other type of a body than it could take', async ({path, refused, taken}) => {
  for (const type of refused) {
    const headers = {'content-type': type, accept: 'text/html, application/json;as=x'};
    const answer = await wire.send('GET', path, {headers});
    expect([answer.status, answer.body.message]).toEqual([415, '415: Unsupported Media Type']);
    expect((await wire.send('POST', path, {headers})).status).toBe(405);
  }
  for (const type of taken) {
    expect((await wire.send('GET', path, {headers: {'content-type': type}})).status).toBe(200);
  }
});

test.each([
  {path: '/apis', accept: `application/yaml;${V2}`, type: `application/yaml;${V2}`},
  {
    path: '/api',
    accept: `application/vnd.kubernetes.protobuf;${V2}`,
    type: `application/vnd.kubernetes.protobuf;${V2}`,
  },
  {path: '/apis/', accept: `application/json;${V2},application/json`, type: JSON_TYPE},
  {path: RBAC, accept: `application/json;${V2},application/json`, type: JSON_TYPE},
])('$path as $accept', async ({path, accept, type}) => {
  const answer = await wire.send('GET', path, {headers: {accept}});
  expect([answer.status, answer.headers['content-type']]).toEqual([200, type]);
});

test('OpenAPI documents have no words for who accepts neither of their forms', async () => {
  for (const path of ['/openapi/v2', '/openapi/v3/api/v1']) {
    const answer = await wire.send('GET', path, {headers: {accept: 'text/html'}});
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([406, undefined, '']);
    expect(answer.headers.vary).toMatch(/^(Accept-Encoding, )?Accept$/);
  }
  const nothing = await wire.send('GET', '/openapi/v3/api/v1', {headers: {accept: 'a/b/c'}});
  expect([nothing.status, nothing.headers['content-type'], nothing.text]).toEqual([200, undefined, '']);
});

const V3_PROTOBUF = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
const V3_STRICT = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';
test.each([
  {accept: V3_PROTOBUF, type: V3_STRICT},
  {accept: V3_STRICT, type: V3_STRICT},
  {accept: `${V3_PROTOBUF}, application/json`, type: V3_STRICT},
  {accept: `text/html, ${V3_STRICT};q=0.1`, type: V3_STRICT},
  {accept: `application/json, ${V3_PROTOBUF}`, type: JSON_TYPE},
  {accept: `${V3_PROTOBUF};q=0.5, application/json`, type: JSON_TYPE},
  {accept: '*/*', type: JSON_TYPE},
])('E-270 OpenAPI v3 for Accept: $accept is $type, under the hash of the index', async ({accept, type}) => {
  const headers = {accept};
  const {serverRelativeURL} = JSON.parse((await wire.send('GET', '/openapi/v3')).text).paths['api/v1'];
  const answer = await wire.send('GET', serverRelativeURL, {headers});
  expect([answer.status, answer.headers['content-type'], answer.headers.vary]).toEqual([200, type, 'Accept']);
  expect(serverRelativeURL).toBe(`/openapi/v3/api/v1?hash=${answer.headers.etag?.slice(1, -1)}`);
  expect(answer.text.startsWith('{')).toBe(type === JSON_TYPE);
  const old = await wire.send('GET', '/openapi/v3/api/v1?hash=x', {headers});
  expect([old.status, old.headers['content-type'], old.headers.etag]).toEqual([301, type, answer.headers.etag]);
});

const NO_LABEL = (field: string): string => `field label not supported: ${field}`;
const NO_SELECTOR = (field: string): string =>
  `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;

test.each([
  {plural: 'limitranges', list: 'LimitRangeList', fieldSelector: 'metadata.name=a', refusal: NO_SELECTOR},
  {
    plural: 'pods',
    list: 'PodList',
    fieldSelector: 'spec.nodeName=a,status.podIP=10.0.0.1,spec.host=a',
    refusal: NO_LABEL,
  },
  {plural: 'resourcequotas', list: 'ResourceQuotaList', fieldSelector: 'metadata.name=a', refusal: NO_SELECTOR},
])('clients find $plural, of which there are none', async ({plural, list, fieldSelector, refusal}) => {
  const path = `/api/v1/namespaces/one/${plural}`;
  const found = await wire.send('GET', path, {query: {fieldSelector}});
  expect([found.status, found.body.kind, found.body.items]).toEqual([200, list, []]);
  for (const field of ['x', 'constructor']) {
    const wrong = await wire.send('GET', path, {query: {fieldSelector: `${field}=y`}});
    expect([wrong.status, wrong.body.message]).toEqual([400, refusal(field)]);
  }
  const made = await wire.send('POST', path, {body: {}});
  expect([made.status, made.body.message]).toEqual([
    405,
    expect.stringMatching(`^this server does not store ${plural}: `),
  ]);
  const deleted = await wire.send('DELETE', `${path}/a`);
  expect([deleted.status, deleted.body.message]).toEqual([404, `${plural} "a" not found`]);
  expect((await wire.send('DELETE', path)).status).toBe(405);
});

test.each([
  {plural: 'services', columns: 'Name Type Cluster-IP External-IP Port(s) Age Selector*'},
  {plural: 'pods', columns: 'Name Ready Status Restarts Age IP* Node* Nominated Node* Readiness Gates*'},
  {
    plural: 'events',
    columns: 'Last Seen Type Reason Object Subobject* Source* Message First Seen* Count* Name*',
  },
  {plural: 'resourcequotas', columns: 'Name Request Limit Age'},
  {plural: 'limitranges', columns: 'Name Created At'},
  {plural: 'configmaps', columns: 'Name Data Age'},
  {plural: 'secrets', columns: 'Name Type Data Age'},
])('E-272 the Table of $plural has the columns of upstream, a bookmark a cell for each', async ({plural, columns}) => {
  const headers = {accept: 'application/json;as=Table;v=v1;g=meta.k8s.io'};
  const path = `/api/v1/namespaces/one/${plural}`;
  const {body} = await wire.send('GET', path, {headers});
  const shown = body.columnDefinitions.map(
    ({name, priority}: {name: string; priority: number}) => name + (priority === 0 ? '' : '*'),
  );
  expect(shown.join(' ')).toBe(columns);
  const query = {sendInitialEvents: 'true', allowWatchBookmarks: 'true', resourceVersionMatch: 'NotOlderThan'};
  const watch = await wire.watch(path, query, headers);
  expect((await watch.next()).object.rows[0].cells).toHaveLength(shown.length);
  watch.close();
});

test('custom resource definitions are of the category that upstream gives them', async () => {
  const {body} = await wire.send('GET', '/apis/apiextensions.k8s.io/v1');
  expect(body.resources[0]).toMatchObject({name: 'customresourcedefinitions', categories: ['api-extensions']});
});

test('kubectl get all asks for pods and services', async () => {
  const {body} = await wire.send('GET', '/api/v1');
  const inAll = body.resources.filter(({categories}: {categories?: string[]}) => categories?.includes('all'));
  expect(inAll.map(({name}: {name: string}) => name)).toEqual(['pods', 'services']);
});

test('E-151 a namespace without a name is none: nothing is found there, and what comes in misses it', async () => {
  const path = '/api/v1/namespaces//endpoints';
  for (const namespace of [undefined, 'one']) {
    const body = {metadata: {name: 'a', namespace}};
    const created = await wire.send('POST', path, {body});
    expect([created.status, created.body.message]).toEqual([
      422,
      'Endpoints "a" is invalid: metadata.namespace: Required value',
    ]);
    const put = await wire.send('PUT', `${path}/a`, {body});
    expect([put.status, put.body.message]).toEqual([400, 'Namespace parameter required.']);
  }
  const read = await wire.send('GET', `${path}/a`);
  expect([read.status, read.body.message]).toEqual([400, 'Namespace parameter required.']);
});

test.each([
  {path: '/api', accept: `application/json;${V2}`},
  {path: '/apis', accept: `application/yaml;${V2}`},
  {path: '/openapi/v2', accept: JSON_TYPE},
  {path: '/openapi/v3/api/v1', accept: JSON_TYPE},
])('E-270 who has $path already is answered 304', async ({path, accept}) => {
  const first = await wire.send('GET', path, {headers: {accept}});
  const etag = first.headers.etag ?? '';
  expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
  const isDiscovery = path.startsWith('/api');
  for (const known of isDiscovery ? [etag] : [etag, `"x", W/${etag}`, '*']) {
    const again = await wire.send('GET', path, {headers: {accept, 'if-none-match': known}});
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
    expect(again.headers['cache-control']).toBe(isDiscovery ? 'public' : 'no-cache, private');
  }
  for (const unknown of isDiscovery ? [`"x", ${etag}`, `W/${etag}`, '*', etag.slice(1, -1)] : [`x, ${etag}`, '"x"']) {
    const again = await wire.send('GET', path, {headers: {accept, 'if-none-match': unknown}});
    expect([again.status, again.text]).toEqual([200, first.text]);
  }
  const other = await wire.send('GET', path, {headers: {accept, 'if-none-match': '"x"'}});
  expect([other.status, other.text]).toEqual([200, first.text]);
});

test('E-270 OpenAPI has preconditions, and a HEAD is not compressed', async () => {
  for (const path of ['/openapi/v2', '/openapi/v3/api/v1']) {
    const etag = (await wire.send('GET', path)).headers.etag ?? '';
    const statusOf = async (method: string, headers: Record<string, string>) => {
      const {status, text, headers: sent} = await wire.send(method, path, {headers});
      return status === 412 ? [status, text, sent['content-type']] : status;
    };
    const failed = [412, '', JSON_TYPE];
    expect(await statusOf('GET', {'if-match': '"x"'})).toEqual(failed);
    expect(await statusOf('GET', {'if-match': `W/${etag}`})).toEqual(failed);
    expect(await statusOf('GET', {'if-match': `"x",${etag}`})).toBe(200);
    expect(await statusOf('GET', {'if-match': '*', 'if-none-match': etag})).toBe(304);
    expect(await statusOf('POST', {'if-none-match': `W/${etag}`})).toEqual(failed);
    const head = await wire.send('HEAD', path, {headers: {'accept-encoding': 'gzip'}});
    expect([head.status, head.headers['content-encoding']]).toEqual([200, undefined]);
  }
});

test('E-270 a tag of discovery is known in every method that is answered', async () => {
  const headers = {accept: `application/json;${V2}`};
  const {etag = ''} = (await wire.send('GET', '/apis', {headers})).headers;
  const posted = await wire.send('POST', '/apis', {headers: {...headers, 'if-none-match': etag}});
  expect([posted.status, posted.headers.etag]).toEqual([304, etag]);
});

test('E-270 what is asked for by the hash of the index may be kept; an old hash leads to the new one', async () => {
  const index = JSON.parse((await wire.send('GET', '/openapi/v3')).text);
  const {serverRelativeURL} = index.paths['api/v1'];
  const kept = await wire.send('GET', serverRelativeURL);
  expect([kept.status, kept.headers['cache-control']]).toEqual([200, 'public, immutable']);
  expect(Date.parse(kept.headers.expires ?? '') - Date.parse(kept.headers.date ?? '')).toBeGreaterThan(
    364 * 86_400_000,
  );
  const old = await wire.send('GET', '/openapi/v3/api/v1?hash=x');
  expect([old.status, old.headers.location, old.text]).toEqual([301, serverRelativeURL, '']);
  expect((await wire.send('GET', '/openapi/v3/api/v1')).headers['cache-control']).toBe('no-cache, private');
});

test('the third version of OpenAPI is not compressed, however long it is; the second is, and says once what it varies by', async () => {
  const answer = await wire.send('GET', '/openapi/v3/api/v1', {headers: {'accept-encoding': 'gzip'}});
  expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined]);
  expect(answer.text.length).toBeGreaterThan(128 * 1024);
  const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
  const {headers} = await wire.send('GET', '/openapi/v2', {headers: {accept, 'accept-encoding': 'gzip'}});
  expect([headers['content-encoding'], headers.vary]).toEqual(['gzip', 'Accept-Encoding, Accept']);
});
