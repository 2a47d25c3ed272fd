// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {createKubeClient} from '../node-clients.ts';
import {startFakeKubeServer} from '../testing/fake-kube-server.ts';
import {startJsonServer} from '../testing/json-server.ts';
import {isAlreadyExists, isConflict, isExpired, isNotFound, type KubeError} from './kube-error.ts';

const web = {metadata: {name: 'web', labels: {a: '1'}}};

describe('createKubeClient', () => {
  test('creates, reads, patches and deletes; refusals are typed', async () => {
    await using server = await startFakeKubeServer();
    const {endpoints} = createKubeClient({server: server.url});
    const made = await endpoints.create('default', web, {fieldManager: 'm', dryRun: true, fieldValidation: 'Strict'});
    expect(made.metadata?.uid).toBe('uid-1');
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({apiVersion: 'v1', kind: 'Endpoints', ...web});
    expect(Object.fromEntries(server.requests[0]?.query ?? [])).toEqual({
      fieldManager: 'm',
      dryRun: 'All',
      fieldValidation: 'Strict',
    });
    expect((await endpoints.create('default', web)).metadata?.uid).toBe('uid-2');
    await expect(endpoints.create('default', web)).rejects.toSatisfy(isAlreadyExists);
    const patched = await endpoints.patch('default', 'web', 'merge', {metadata: {labels: {a: null}}});
    expect(patched.metadata?.labels).toEqual({});
    expect(server.requests.at(-1)?.headers['content-type']).toBe('application/merge-patch+json');
    await expect(endpoints.delete('default', 'web', {uid: 'other'})).rejects.toSatisfy(isConflict);
    expect(await endpoints.delete('default', 'web', {uid: 'uid-2', propagationPolicy: 'Foreground'})).toBeUndefined();
    expect(JSON.parse(server.requests.at(-1)?.body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: {uid: 'uid-2'},
      propagationPolicy: 'Foreground',
    });
    await expect(endpoints.get('default', 'web')).rejects.toSatisfy(isNotFound);
  });

  test('49-3 the warnings of the answer to each write are handed on, of a refusal too', async () => {
    let status = 200;
    await using server = await startJsonServer(({method}) => ({
      status,
      body: method === 'GET' || status === 200 ? web : {kind: 'Status', code: status, message: 'no'},
      headers: {warning: [`299 - "${method} \\"a\\", b"`, '299 - "second"']},
    }));
    const {endpoints} = createKubeClient({server: server.url});
    const seen: string[] = [];
    const onWarning = (text: string) => void seen.push(text);
    const of = (method: string): string[] => [`${method} "a", b`, 'second'];
    await endpoints.create('default', web, {onWarning});
    await endpoints.replace('default', web, {onWarning});
    await endpoints.patch('default', 'web', 'apply', web, {onWarning});
    await endpoints.delete('default', 'web', {onWarning});
    await endpoints.create('default', web);
    status = 422;
    await expect(endpoints.create('default', web, {onWarning})).rejects.toThrow('no');
    expect(seen).toEqual(['POST', 'PUT', 'PATCH', 'DELETE', 'POST'].flatMap(of));
  });

  test('an object that finalizers hold is answered by delete', async () => {
    await using server = await startFakeKubeServer();
    const {endpoints} = createKubeClient({server: server.url});
    await endpoints.create('default', {metadata: {name: 'web', finalizers: ['x.y/z']}});
    expect((await endpoints.delete('default', 'web'))?.metadata?.deletionTimestamp).toMatch(/Z$/);
  });

  test('list and watch have their parameters; all namespaces and kinds without one', async () => {
    const event = (type: string, name: string) => JSON.stringify({type, object: {metadata: {name}}});
    await using server = await startJsonServer(({query}) =>
      query.get('watch') === null
        ? {status: 200, body: {metadata: {resourceVersion: '7'}, items: [web]}}
        : {status: 200, body: '', lines: [event('ADDED', 'a'), event('BOOKMARK', '')]},
    );
    const client = createKubeClient({server: server.url});
    const page = await client.endpoints.list('', {labelSelector: 'a=1', limit: 5, continue: 'c', fieldSelector: 'f'});
    expect(page.items).toEqual([web]);
    const seen: string[] = [];
    for await (const {type} of client.endpoints.watch('ns/1', {resourceVersion: '7', bookmarks: true})) seen.push(type);
    expect(seen).toEqual(['ADDED', 'BOOKMARK']);
    await client.namespaces.get('', 'default');
    expect(server.requests.map(({path, query}) => `${path}?${decodeURIComponent(query.toString())}`)).toEqual([
      '/api/v1/endpoints?labelSelector=a=1&fieldSelector=f&limit=5&continue=c',
      '/api/v1/namespaces/ns/1/endpoints?resourceVersion=7&watch=true&allowWatchBookmarks=true',
      '/api/v1/namespaces/default?',
    ]);
  });

  test('a kind of a group: its path, its apiVersion, lists of metadata only', async () => {
    await using server = await startJsonServer(() => ({status: 200, body: {items: []}}));
    const roles = createKubeClient({server: server.url}).resource({
      group: 'rbac.authorization.k8s.io',
      version: 'v1',
      plural: 'roles',
      kind: 'Role',
      namespaced: true,
    });
    await roles.list('shop', {metadataOnly: true});
    await roles.create('shop', {metadata: {name: 'reader'}});
    const [list, create] = server.requests;
    expect(list?.path).toBe('/apis/rbac.authorization.k8s.io/v1/namespaces/shop/roles');
    expect(list?.headers['accept']).toContain('as=PartialObjectMetadataList');
    expect(JSON.parse(create?.body ?? '')).toMatchObject({apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role'});
  });

  test('an ERROR event and a refused watch throw their Status; an abort ends the watch', async () => {
    const status = {kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version: 1 (9)'};
    await using server = await startJsonServer(({query}) => {
      if (query.get('resourceVersion') === '1') {
        return {status: 200, body: '', lines: [JSON.stringify({type: 'ERROR', object: status})]};
      }
      return query.get('resourceVersion') === '2'
        ? {status: 410, body: status}
        : {status: 200, body: '', lines: ['{"type":"ADDED","object":{}}'], end: 'open'};
    });
    const {endpoints} = createKubeClient({server: server.url});
    await expect(endpoints.watch('', {resourceVersion: '1'}).next()).rejects.toSatisfy(isExpired);
    await expect(endpoints.watch('', {resourceVersion: '2'}).next()).rejects.toSatisfy(isExpired);
    const stop = new AbortController();
    const watch = endpoints.watch('', {signal: stop.signal});
    expect((await watch.next()).value?.type).toBe('ADDED');
    const next = watch.next();
    stop.abort();
    await expect(next).rejects.toMatchObject({code: 'aborted'});
  });

  test('causes and the delay of a Status are kept; what is no Status is described', async () => {
    const details = {
      causes: [{field: 'metadata.name', message: 'bad', reason: 'FieldValueInvalid'}],
      retryAfterSeconds: 3,
    };
    await using server = await startJsonServer(({path}) =>
      path.endsWith('/a')
        ? {status: 422, body: {kind: 'Status', code: 422, reason: 'Invalid', message: 'is invalid', details}}
        : {status: 502, body: path.endsWith('/b') ? '<html>bad gateway</html>' : ''},
    );
    const {endpoints} = createKubeClient({server: server.url});
    const invalid = (await endpoints.get('x', 'a').catch((error: unknown) => error)) as KubeError;
    expect(invalid.status).toMatchObject({code: 422, causes: details.causes, retryAfterSeconds: 3});
    await expect(endpoints.get('x', 'b')).rejects.toThrow('the server answered 502: <html>bad gateway</html>');
    await expect(endpoints.get('x', 'c')).rejects.toThrow(
      'the server answered 502 to GET /api/v1/namespaces/x/endpoints/c',
    );
  });
});
