// SPDX-License-Identifier: Apache-2.0
/** Codes, limits, and what Endpoints show to people: E-252 to E-259, E-270, E-272. */
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {ENDPOINTS, endpoints, freshName, startWire, type Wire} from './support.ts';

const DEPRECATED = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const MANY = {
  addresses: [{ip: '10.0.0.1'}, {ip: 'fd00::1'}],
  ports: [
    {name: 'a', port: 1},
    {name: 'b', port: 2},
  ],
};

describe.each(['spec', 'kubernetes'] as const)('HTTP, --compat %s', compat => {
  let wire: Wire;
  beforeAll(async () => {
    wire = await startWire({compat});
  });
  afterAll(() => wire[Symbol.asyncDispose]());

  test.each([
    {code: 404, reason: 'NotFound', method: 'GET', path: '/api/v1/nothing', sent: {}},
    {code: 405, reason: 'MethodNotAllowed', method: 'DELETE', path: '/api/v1/namespaces', sent: {}},
    {code: 422, reason: 'Invalid', method: 'POST', path: ENDPOINTS, sent: {body: endpoints('Bad')}},
  ])('E-252 E-253 $method $path is $code as a Status', async ({code, reason, method, path, sent}) => {
    const answer = await wire.send(method, path, sent as object);
    expect([answer.status, answer.body.kind, answer.body.status, answer.body.reason, answer.body.code]).toEqual([
      code,
      'Status',
      'Failure',
      reason,
      code,
    ]);
  });

  test('answers to requests have an Audit-Id: the first that the client gave, as it is, else one of its own', async () => {
    const paths = [
      ENDPOINTS,
      `${ENDPOINTS}/none`,
      '/api/v1/nothing',
      '/healthz',
      '/version',
      '/api',
      '/nothing',
      '/apis//x',
    ];
    for (const path of paths) {
      const given = await wire.send('GET', path, {headers: {'Audit-ID': 'from the client'}});
      expect([path, given.headers['audit-id']]).toEqual([path, 'from the client']);
      const own = [await wire.send('GET', path), await wire.send('GET', path, {headers: {'Audit-ID': ''}})];
      for (const {headers} of own) expect(headers['audit-id']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(own[0]?.headers['audit-id']).not.toBe(own[1]?.headers['audit-id']);
    }
    const written = await wire.send('POST', ENDPOINTS, {body: endpoints(freshName()), headers: {'audit-id': 'w'}});
    expect([written.status, written.headers['audit-id']]).toEqual([201, 'w']);
    const twice = await wire.send('GET', '/version', {headers: {'audit-id': ['a', 'b'] as never}});
    expect(twice.headers['audit-id']).toBe('a');
    const comma = await wire.send('GET', '/version', {headers: {'audit-id': 'a, b'}});
    expect(comma.headers['audit-id']).toBe('a, b');
  });

  test('E-254 10,000 addresses in one object go round', async () => {
    const addresses = Array.from({length: 10_000}, (_, i) => ({
      ip: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`,
    }));
    const name = freshName();
    expect(
      (await wire.send('POST', ENDPOINTS, {body: endpoints(name, [{addresses, ports: [{port: 80}]}])})).status,
    ).toBe(201);
    expect((await wire.send('GET', `${ENDPOINTS}/${name}`)).body.subsets[0].addresses).toEqual(addresses);
  });

  test('E-255 no limit on the rate by default', async () => {
    const answers = await Promise.all(
      Array.from({length: 200}, () => wire.send('GET', ENDPOINTS, {query: {limit: '1'}})),
    );
    expect(answers.every(answer => answer.status === 200)).toBe(true);
  });

  test('E-270 version and health are where clients look', async () => {
    expect((await wire.send('GET', '/version')).body.gitVersion).toMatch(/^v1\.36\./);
    for (const path of ['/livez', '/readyz', '/healthz']) {
      expect((await wire.send('GET', path)).text).toBe('ok');
      const head = await wire.send('HEAD', path);
      expect([head.status, head.headers['content-length'], head.text]).toEqual([200, '2', '']);
    }
    const told = await wire.send('GET', '/livez?verbose&exclude=ping&exclude=b%22&exclude=a');
    expect(told.text).toMatch(
      /^\[\+\]ping excluded: ok\n.*\nwarn: some health checks cannot be excluded: no matches for "a","b\\""\nlivez check passed\n$/s,
    );
    const missing = await wire.send('GET', '/nothing');
    expect([missing.status, missing.headers['content-type'], missing.text]).toEqual([
      404,
      'text/plain; charset=utf-8',
      '404 page not found\n',
    ]);
  });

  test.each([
    {subsets: undefined, cell: '<none>'},
    {subsets: [MANY], cell: '10.0.0.1:1,[fd00::1]:1,10.0.0.1:2 + 1 more...'},
    {subsets: [{addresses: [{ip: '10.0.0.1'}, {ip: '10.0.0.2'}]}], cell: '10.0.0.1,10.0.0.2'},
    {subsets: [{notReadyAddresses: [{ip: '10.0.0.1'}], ports: [{port: 1}]}], cell: ''},
  ])('E-272 E-041 the cell of $subsets is "$cell"', async ({subsets, cell}) => {
    const name = freshName();
    await wire.send('POST', ENDPOINTS, {body: endpoints(name, subsets)});
    expect((await wire.send('GET', `${ENDPOINTS}/${name}`, {headers: {accept: TABLE}})).body.rows[0].cells[1]).toBe(
      cell,
    );
  });
});

describe('the deprecation of Endpoints', () => {
  test('E-259 spec: not copied, v1 answers without a warning', async () => {
    await using wire = await startWire();
    const answers = [
      await wire.send('POST', ENDPOINTS, {body: endpoints('a')}),
      await wire.send('GET', `${ENDPOINTS}/a`),
      await wire.send('GET', ENDPOINTS),
      await wire.send('DELETE', `${ENDPOINTS}/a`),
    ];
    expect(answers.map(answer => answer.warnings)).toEqual([[], [], [], []]);
  });

  test('E-259 kubernetes: warned about on every answer of the resource, and on no other', async () => {
    await using wire = await startWire({compat: 'kubernetes'});
    const answers = [
      await wire.send('POST', ENDPOINTS, {body: endpoints('a')}),
      await wire.send('GET', `${ENDPOINTS}/none`),
      await wire.send('GET', ENDPOINTS),
      await wire.send('DELETE', `${ENDPOINTS}/a`),
    ];
    expect(answers.map(answer => answer.warnings)).toEqual([[DEPRECATED], [DEPRECATED], [DEPRECATED], [DEPRECATED]]);
    expect((await wire.send('GET', '/api/v1/namespaces')).warnings).toEqual([]);
    expect((await wire.send('PUT', ENDPOINTS, {body: {}})).warnings).toEqual([]);
  });
});

describe.each(['spec', 'kubernetes'] as const)('OpenAPI, --compat %s', compat => {
  test('E-259 E-096 E-097 E-098 E-100 E-114 says what the mode does', async () => {
    await using wire = await startWire({compat});
    const {schemas} = (await wire.send('GET', '/openapi/v3/api/v1')).body.components;
    const ours = compat === 'spec';
    for (const type of ['Endpoints', 'EndpointsList', 'EndpointSubset', 'EndpointAddress', 'EndpointPort'])
      expect(schemas[`io.k8s.api.core.v1.${type}`].description.includes('deprecated in v1.33+')).toBe(!ours);
    const {appProtocol} = schemas['io.k8s.api.core.v1.EndpointPort'].properties;
    for (const name of ['platform.io/h2c', 'platform.io/ws', 'platform.io/wss'])
      expect(appProtocol.description.includes(`'${name}'`)).toBe(ours);
    expect(appProtocol.description).toContain("'kubernetes.io/h2c'");
    const {clusterName} = schemas['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'].properties;
    expect(clusterName === undefined).toBe(!ours);
  });
});

describe('limits', () => {
  test('E-253 429 with Retry-After for one watch too many', async () => {
    await using wire = await startWire({limits: {watchersMax: 2}});
    const open = [await wire.watch(ENDPOINTS), await wire.watch(ENDPOINTS)];
    const refused = await wire.send('GET', ENDPOINTS, {query: {watch: '1'}});
    expect([refused.status, refused.body.reason, refused.headers['retry-after']]).toEqual([
      429,
      'TooManyRequests',
      '1',
    ]);
    for (const watch of open) watch.close();
  });

  test('E-253 400 for a selector without end', async () => {
    await using wire = await startWire({limits: {selectorCharactersMax: 100}});
    const refused = await wire.send('GET', ENDPOINTS, {query: {labelSelector: `a in (${'x,'.repeat(60)}y)`}});
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'selector is too long: may not be more than 100 characters',
    ]);
  });

  test('E-254 413 for an object over the limit of the store', async () => {
    await using wire = await startWire({limits: {objectBytesMax: 100_000}});
    const refused = await wire.send('POST', ENDPOINTS, {
      body: endpoints('a', [], {annotations: {a: 'v'.repeat(100_000)}}),
    });
    expect([refused.status, refused.body.reason]).toEqual([413, 'RequestEntityTooLarge']);
  });
});
