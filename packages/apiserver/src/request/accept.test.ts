// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {
  negotiateDiscovery,
  negotiateOutput,
  negotiatePlain,
  routeAccepts,
  routeConsumes,
  wantsPretty,
} from './accept.ts';

const PRODUCES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

test.each([
  {sent: 'application/json, application/yaml', ok: true},
  {sent: ' application/yaml ;charset=utf-8', ok: true},
  {sent: undefined, ok: false},
  {sent: 'Application/YAML', ok: false},
])('the route takes a body of $sent: $ok', ({sent, ok}) => {
  expect(routeConsumes(sent, ['application/yaml'])).toBe(ok);
});

test.each([
  {accept: undefined, ok: true},
  {accept: '', ok: true},
  {accept: '*/*', ok: true},
  {accept: 'text/html, application/yaml', ok: true},
  {accept: 'application/json;as=Table;v=v1;g=meta.k8s.io', ok: true},
  {accept: 'application/*', ok: false},
  {accept: 'text/html', ok: false},
  {accept: 'application/cbor', ok: false},
])('the route takes $accept: $ok', ({accept, ok}) => {
  expect(routeAccepts(accept, PRODUCES)).toBe(ok);
});

describe('the parameters', () => {
  test.each([
    {accept: 'application/json', encoding: 'json', transform: undefined},
    {accept: 'application/vnd.kubernetes.protobuf,application/json', encoding: 'protobuf', transform: undefined},
    {accept: 'application/yaml;q=0.5, application/json', encoding: 'json', transform: undefined},
    {accept: '*/*, application/yaml', encoding: 'yaml', transform: undefined},
    {accept: 'application/json;q=0.5, application/yaml;q=x', encoding: 'json', transform: undefined},
    {accept: 'application/yaml;q=x, application/json;q= 1', encoding: 'yaml', transform: undefined},
    {accept: 'garbage, a/b/c, application/yaml', encoding: 'yaml', transform: undefined},
    {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
      encoding: 'json',
      transform: {kind: 'Table', version: 'v1'},
    },
    {accept: 'application/json;as=Table;v=v9;g=meta.k8s.io,application/json', encoding: 'json', transform: undefined},
    {
      accept: 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io',
      encoding: 'protobuf',
      transform: {kind: 'PartialObjectMetadata', version: 'v1beta1'},
    },
  ])('$accept', ({accept, encoding, transform}) => {
    expect(negotiateOutput(accept)).toMatchObject({encoding, transform});
  });

  test.each([
    'application/json;as=Bogus;v=v1;g=meta.k8s.io',
    'application/json;as=Table;v=v1;g=other',
    'application/yaml;stream=watch',
    'application/json;sv=1',
    'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io',
  ])('nothing fits %s', accept => {
    expect(negotiateOutput(accept)).toBeUndefined();
  });

  test('what is never transformed takes no form: clauses that ask for one do not count', () => {
    expect(negotiatePlain('application/yaml;as=Table;v=v1;g=meta.k8s.io')).toBeUndefined();
    expect(negotiatePlain('application/json;as=Table;v=v1;g=meta.k8s.io, application/yaml')).toMatchObject({
      encoding: 'yaml',
    });
  });

  test.each([
    {accept: undefined, encoding: 'json', aggregated: false},
    {
      accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
      encoding: 'json',
      aggregated: true,
    },
    {
      accept: 'application/yaml;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io',
      encoding: 'yaml',
      aggregated: true,
    },
    {
      accept: 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/yaml',
      encoding: 'yaml',
      aggregated: false,
    },
    {
      accept: 'application/json;q=0.9,application/yaml;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;q=0.1',
      encoding: 'yaml',
      aggregated: true,
    },
  ])('discovery for $accept', ({accept, encoding, aggregated}) => {
    expect(negotiateDiscovery(accept)).toMatchObject({encoding, aggregated});
  });
});

test.each([
  {query: undefined, agent: 'kubectl/1', pretty: false},
  {query: undefined, agent: 'curl/8.0', pretty: true},
  {query: undefined, agent: 'Mozilla/5.0 (X11)', pretty: true},
  {query: '0', agent: 'curl/8.0', pretty: false},
  {query: 'false', agent: undefined, pretty: false},
  {query: 'true', agent: undefined, pretty: true},
  {query: '', agent: undefined, pretty: false},
  {query: '', agent: 'curl/8.0', pretty: true},
  {query: 'yes', agent: 'curl/8.0', pretty: false},
])('pretty=$query from $agent: $pretty', ({query, agent, pretty}) => {
  expect(wantsPretty({encoding: 'json', transform: undefined, pretty: false}, query, agent)).toBe(pretty);
});
