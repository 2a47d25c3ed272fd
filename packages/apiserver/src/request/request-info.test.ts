// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {decodePercent} from './percent-encoding.ts';
import {parseQuery} from './query.ts';
import {parseRequestInfo} from './request-info.ts';

test.each([
  {
    method: 'GET',
    path: '/api/v1/namespaces/a/endpoints',
    want: {verb: 'list', namespace: 'a', resource: 'endpoints', name: ''},
  },
  {
    method: 'GET',
    path: '/api/v1/namespaces/a/endpoints/b',
    want: {verb: 'get', namespace: 'a', resource: 'endpoints', name: 'b'},
  },
  {method: 'GET', path: '/api/v1/namespaces/a/endpoints/', want: {verb: 'list', resource: 'endpoints', name: ''}},
  {method: 'GET', path: '/api/v1/namespaces//endpoints', want: {verb: 'list', namespace: '', resource: 'endpoints'}},
  {method: 'DELETE', path: '/api/v1/endpoints', want: {verb: 'deletecollection', namespace: ''}},
  {method: 'GET', path: '/api/v1/namespaces', want: {verb: 'list', resource: 'namespaces', namespace: ''}},
  {method: 'GET', path: '/api/v1/namespaces/a', want: {verb: 'get', resource: 'namespaces', namespace: 'a', name: 'a'}},
  {
    method: 'PUT',
    path: '/api/v1/namespaces/a/finalize',
    want: {verb: 'update', resource: 'namespaces', name: 'a', subresource: 'finalize'},
  },
  {
    method: 'PATCH',
    path: '/apis/g/v1/namespaces/a/things/b/status',
    want: {verb: 'patch', group: 'g', version: 'v1', resource: 'things', name: 'b', subresource: 'status'},
  },
  {
    method: 'GET',
    path: '/api/v1/watch/namespaces/a/endpoints/b',
    want: {verb: 'watch', watchPrefix: true, resource: 'endpoints', name: 'b'},
  },
  {method: 'DELETE', path: '/api/v1/watch/endpoints', want: {verb: 'watch', resource: 'endpoints'}},
  {method: 'OPTIONS', path: '/api/v1/endpoints', want: {verb: '', resource: 'endpoints'}},
  {method: 'GET', path: '//api/v1/endpoints//', want: {isResource: true, verb: 'list', resource: 'endpoints'}},
  {
    method: 'GET',
    path: '/api/v1/namespaces/a/status/b',
    want: {resource: 'namespaces', name: 'a', subresource: 'status', parts: ['a', 'status', 'b']},
  },
  {method: 'GET', path: '/api/v1', want: {isResource: false, verb: 'get'}},
  {method: 'POST', path: '/version', want: {isResource: false, verb: 'post'}},
])('$method $path', ({method, path, want}) => {
  expect(parseRequestInfo(method, path, parseQuery(''))).toMatchObject(want);
});

test.each([
  {watch: undefined, verb: 'list'},
  {watch: 'false', verb: 'list'},
  {watch: '0', verb: 'list'},
  {watch: 'False', verb: 'list'},
  {watch: 'FALSE', verb: 'list'},
  {watch: '', verb: 'watch'},
  {watch: '1', verb: 'watch'},
  {watch: 'maybe', verb: 'watch'},
])('watch=$watch is a $verb, and on one object nothing', ({watch, verb}) => {
  const query = parseQuery(watch === undefined ? '' : `watch=${watch}`);
  expect(parseRequestInfo('GET', '/api/v1/endpoints', query)?.verb).toBe(verb);
  expect(parseRequestInfo('GET', '/api/v1/namespaces/a/endpoints/b', query)?.verb).toBe('get');
});

test('a special verb with nothing behind it asks for nothing', () => {
  expect(parseRequestInfo('GET', '/api/v1/watch/', parseQuery(''))).toBeUndefined();
});

test.each([
  {query: 'fieldSelector=metadata.name%3Da', name: 'a'},
  {query: 'fieldSelector=x%3Dy,metadata.name%3D%3Da', name: 'a'},
  {query: 'fieldSelector=metadata.name!%3Da', name: ''},
  {query: 'fieldSelector=metadata.name%3D..', name: ''},
  {query: 'fieldSelector=metadata.name%3Da/b', name: ''},
  {query: 'fieldSelector=metadata.name%3Da&limit=x', name: ''},
  {query: 'fieldSelector=metadata.name%3Da&labelSelector=%3D%3D', name: ''},
])('a list with $query is authorized for the name "$name"', ({query, name}) => {
  expect(parseRequestInfo('GET', '/api/v1/endpoints', parseQuery(query))).toMatchObject({name: '', selectedName: name});
});

test.each(['constructor', '__proto__', 'TRACE'])('the method %s has no verb', method => {
  expect(parseRequestInfo(method, '/api/v1/endpoints', parseQuery(''))?.verb).toBe('');
});

test('escapes of a path', () => {
  expect(['/a/%61', '/a/%zz', '/a/b', '/%C3%A9', '/é%ff%E2%80', '/%FFé'].map(decodePercent)).toEqual([
    '/a/a',
    undefined,
    '/a/b',
    '/é',
    '/é\ufffd\ufffd\ufffd',
    '/\ufffdé',
  ]);
});

test.each([
  {raw: 'a=1&b=2', want: {a: ['1'], b: ['2']}},
  {raw: 'a=1&a=2', want: {a: ['1', '2']}},
  {raw: 'a+b=c%20d', want: {'a b': ['c d']}},
  {raw: 'a=%zz&b=1', want: {a: [], b: ['1']}},
  {raw: 'a=%FF&%E9=+%C3', want: {a: ['\ufffd'], '\ufffd': [' \ufffd']}},
  {raw: 'a=b;c=d&e', want: {a: [], e: ['']}},
])('the query $raw', ({raw, want}) => {
  const query = parseQuery(raw);
  for (const [name, values] of Object.entries(want)) expect(query.all(name)).toEqual(values);
});
