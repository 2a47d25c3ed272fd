// SPDX-License-Identifier: Apache-2.0
/** E-082: port names of Endpoints against the Service of the same name. */
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type AuthWire, startAuthWire} from './authz-support.ts';
import {
  APPLY,
  type Body,
  ENDPOINTS,
  endpoints,
  freshName,
  MERGE,
  type Subset,
  startWire,
  type Wire,
} from './support.ts';

const SERVICES = '/api/v1/namespaces/one/services';
const service = (name: string, spec: object): Body => ({apiVersion: 'v1', kind: 'Service', metadata: {name}, spec});
const withPorts = (...names: readonly (string | undefined)[]): Subset => ({
  addresses: [{ip: '10.0.0.1'}],
  ports: names.map((name, i) => ({port: 8000 + i, ...(name === undefined ? {} : {name})})),
});
const http = {ports: [{name: 'http', port: 80}]};
const matchesNone = (at: string, what: string, name: string, ports: string): string =>
  `subsets${at}.name: ${what} matches no port of the Service "${name}" (its ports: ${ports})`;

describe('E-082 a port name that no port of the Service has', () => {
  let wire: Wire;
  beforeAll(async () => {
    wire = await startWire();
  });
  afterAll(() => wire[Symbol.asyncDispose]());

  const made = async (spec: object): Promise<string> => {
    const name = freshName();
    const {status, text} = await wire.send('POST', SERVICES, {body: service(name, spec)});
    expect([status, text]).toEqual([201, text]);
    return name;
  };

  test('E-082 is a warning on create, replace, patch and apply, with the names that there are', async () => {
    const name = await made({ports: [...http.ports, {name: 'admin', port: 81}]});
    const body = endpoints(name, [withPorts('http', 'htpp'), withPorts('metrics')]);
    const expected = [
      matchesNone('[0].ports[1]', '"htpp"', name, 'http, admin'),
      matchesNone('[1].ports[0]', '"metrics"', name, 'http, admin'),
    ];
    const path = `${ENDPOINTS}/${name}`;
    const applied = {query: {fieldManager: 'm', force: 'true'}, headers: {'content-type': APPLY}, body};
    for (const answer of [
      await wire.send('POST', ENDPOINTS, {body}),
      await wire.send('PUT', path, {body}),
      await wire.send('PATCH', path, {headers: {'content-type': MERGE}, body: {metadata: {labels: {a: 'b'}}}}),
      await wire.send('PATCH', path, applied),
    ])
      expect([answer.status < 300, answer.warnings]).toEqual([true, expected]);
    expect((await wire.send('GET', path)).warnings).toEqual([]);
  });

  test.each([
    ['the names match', http, ['http']],
    ['some ports of the Service have no endpoints', {ports: [...http.ports, {name: 'b', port: 2}]}, ['http']],
    ['neither has a name', {ports: [{port: 80}]}, [undefined]],
    ['the Service has no ports', {clusterIP: 'None'}, ['http']],
    ['the Service is a name of DNS', {type: 'ExternalName', externalName: 'a.example', ...http}, ['other']],
  ])('E-082 there is none where %s', async (_, spec, names) => {
    const name = await made(spec);
    const {status, warnings} = await wire.send('POST', ENDPOINTS, {body: endpoints(name, [withPorts(...names)])});
    expect([status, warnings]).toEqual([201, []]);
  });

  test.each([
    [undefined, http, 'is empty, which', 'http'],
    ['http', {ports: [{port: 80}]}, '"http"', 'one without a name'],
  ])('E-082 the name %j against %j', async (given, spec, what, ports) => {
    const name = await made(spec);
    const {warnings} = await wire.send('POST', ENDPOINTS, {body: endpoints(name, [withPorts(given)])});
    expect(warnings).toEqual([matchesNone('[0].ports[0]', what, name, ports)]);
  });

  test('E-082 of many ports of a Service the first ten are named', async () => {
    const name = await made({ports: Array.from({length: 12}, (_, i) => ({name: `p${i}`, port: i + 1}))});
    const {warnings} = await wire.send('POST', ENDPOINTS, {body: endpoints(name, [withPorts('q')])});
    expect(warnings).toEqual([expect.stringMatching(/\(its ports: p0, p1, .*, p9 and 2 more\)$/)]);
  });

  test('E-082 there is none without a Service, with one of another namespace, or without ports', async () => {
    const name = freshName();
    await wire.send('POST', '/api/v1/namespaces/two/services', {body: service(name, http)});
    const other = await wire.send('POST', ENDPOINTS, {body: endpoints(name, [withPorts('other')])});
    const bare = {body: endpoints(await made(http), [{addresses: [{ip: '10.0.0.1'}]}])};
    expect([other, await wire.send('POST', ENDPOINTS, bare)].map(({warnings}) => warnings)).toEqual([[], []]);
  });
});

test('E-082 --compat kubernetes says nothing of it', async () => {
  await using wire = await startWire({compat: 'kubernetes'});
  await wire.send('POST', SERVICES, {body: service('web', http)});
  const {status, warnings} = await wire.send('POST', ENDPOINTS, {body: endpoints('web', [withPorts('other')])});
  expect([status, warnings.filter(text => text.includes('Service "web"'))]).toEqual([201, []]);
});

test('E-082 a user who may not read the Service does not learn of it', async () => {
  await using wire: AuthWire = await startAuthWire();
  await wire.as('admin', 'POST', SERVICES, {body: service('web', http)});
  const write = {verbs: ['create'], apiGroups: [''], resources: ['endpoints']};
  await wire.grant('bob', 'one', 'writers', [write]);
  await wire.grant('carol', 'one', 'readers', [write, {...write, verbs: ['get'], resources: ['services']}]);
  const body = endpoints('web', [withPorts('other')]);
  const query = {dryRun: 'All'};
  const warningsOf = async (user: string) => (await wire.as(user, 'POST', ENDPOINTS, {body, query})).warnings;
  expect(await warningsOf('bob')).toEqual([]);
  expect(await warningsOf('carol')).toEqual([matchesNone('[0].ports[0]', '"other"', 'web', 'http')]);
});
