// SPDX-License-Identifier: Apache-2.0
/** What a check does. Ref: requirements E-096 to E-098. */
import {describe, expect, test} from 'vitest';
import {methodKey, methodOf, thresholdsOf, timesOf} from './method.ts';
import type {EndpointCheck} from './types.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const REQUEST = {host: undefined, path: '/', headers: []};
const HTTP = {...REQUEST, type: 'http', version: '1.1', tls: undefined, expected: [[200, 399]]};
const TLS = {serverName: undefined, ca: undefined, verify: true};
const method = (appProtocol: string | undefined, check: EndpointCheck = {}) =>
  methodOf({port: 80, ...(appProtocol !== undefined && {appProtocol})}, check);

describe('46-2 the method of a check', () => {
  test.each<[string | undefined, object]>([
    [undefined, {type: 'tcp'}],
    ['redis', {type: 'tcp'}],
    ['example.com/http', {type: 'tcp'}],
    ['http', HTTP],
    ['HTTP', HTTP],
    ['https', {...HTTP, tls: TLS}],
    ['platform.io/h2c', {...HTTP, version: '2-prior-knowledge'}],
    ['kubernetes.io/h2c', {...HTTP, version: '2-prior-knowledge'}],
    ['platform.io/ws', {...REQUEST, type: 'web-socket', tls: undefined}],
    ['kubernetes.io/ws', {...REQUEST, type: 'web-socket', tls: undefined}],
    ['platform.io/wss', {...REQUEST, type: 'web-socket', tls: TLS}],
    ['kubernetes.io/wss', {...REQUEST, type: 'web-socket', tls: TLS}],
    ['grpc', {type: 'grpc', tls: undefined, service: ''}],
  ])('E-096 E-097 E-098 follows from the appProtocol %s', (appProtocol, wanted) => {
    expect(method(appProtocol)).toEqual(wanted);
  });

  test('that is given wins', () => {
    expect(method('https', {tcpSocket: {}})).toEqual({type: 'tcp'});
    expect(method('http', {tls: {}})).toEqual({type: 'tls', tls: TLS});
    expect(method('https', {httpGet: {scheme: 'HTTP'}})).toEqual(HTTP);
    expect(method('platform.io/wss', {webSocket: {scheme: 'WS'}})).toMatchObject({tls: undefined});
    expect(method('https', {grpc: {service: 's'}})).toEqual({type: 'grpc', tls: undefined, service: 's'});
  });

  test('E-096 is HTTP/2 with prior knowledge for httpGet on such a port, but not over TLS', () => {
    expect(method('platform.io/h2c', {httpGet: {path: '/x'}})).toMatchObject({
      version: '2-prior-knowledge',
      path: '/x',
    });
    expect(method('platform.io/h2c', {httpGet: {scheme: 'HTTPS'}})).toMatchObject({version: '1.1', tls: TLS});
  });

  test('has what was given with it', () => {
    const check: EndpointCheck = {
      httpGet: {
        path: '/h',
        host: 'a.example:8443',
        httpHeaders: [{name: 'X', value: 'y'}],
        expectedStatuses: ['200', '300-302'],
      },
      tlsConfig: {caBundle: base64('PEM'), insecureSkipVerify: true},
    };
    expect(method('https', check)).toEqual({
      type: 'http',
      version: '1.1',
      tls: {serverName: 'a.example', ca: 'PEM', verify: false},
      path: '/h',
      host: 'a.example:8443',
      headers: [['X', 'y']],
      expected: [
        [200, 200],
        [300, 302],
      ],
    });
  });

  test.each([
    ['10.0.0.1', undefined],
    ['10.0.0.1:80', undefined],
    ['[fd00::1]', undefined],
    ['a.example', 'a.example'],
  ])('of host %s has the server name %s: an address is no server name', (host, serverName) => {
    expect(method('https', {httpGet: {host}})).toMatchObject({tls: {serverName}});
    expect(method('https', {httpGet: {host}, tlsConfig: {serverName: 'b'}})).toMatchObject({tls: {serverName: 'b'}});
  });
});

test('46-2 a check has one method for all members, with a short key for equal ones', () => {
  const check = (path: string): EndpointCheck => ({httpGet: {path}, tlsConfig: {caBundle: base64('x'.repeat(60_000))}});
  const one = check('/');
  expect(method('https', one)).toBe(method('https', one));
  expect(method('http', one)).not.toEqual(method('https', one));
  expect(methodKey(method('https', one))).toBe(methodKey(method('https', check('/'))));
  expect(methodKey(method('https', one))).not.toBe(methodKey(method('https', check('/a'))));
  expect(methodKey(method('https', one)).length).toBeLessThan(100);
});

test('46-2 times and thresholds have the defaults of the schema', () => {
  expect(timesOf({})).toEqual({periodMs: 10_000, timeoutMs: 1_000, delayMs: 0, jitter: 0.1});
  expect(timesOf({periodSeconds: 1, timeoutSeconds: 2, initialDelaySeconds: 3, jitterPercent: 0})).toEqual({
    periodMs: 1_000,
    timeoutMs: 2_000,
    delayMs: 3_000,
    jitter: 0,
  });
  expect(thresholdsOf({})).toEqual({success: 1, failure: 3});
});
