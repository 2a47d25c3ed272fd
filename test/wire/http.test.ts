// SPDX-License-Identifier: Apache-2.0
/** Codes, media types, limits: E-253 to E-259, E-270, E-272. */
import {gunzipSync} from 'node:zlib';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type Body, ENDPOINTS, endpoints, freshName, MERGE, startWire, subset, type Wire} from './support.ts';

const DEPRECATED = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

describe.each(['spec', 'kubernetes'] as const)('HTTP, --compat %s', compat => {
  let wire: Wire;
  beforeAll(async () => {
    wire = await startWire({compat});
  });
  afterAll(() => wire[Symbol.asyncDispose]());

  test.each([
    {code: 400, reason: 'BadRequest', method: 'POST', path: ENDPOINTS, sent: {body: '{'}},
    {code: 404, reason: 'NotFound', method: 'GET', path: `${ENDPOINTS}/none`, sent: {}},
    {code: 404, reason: 'NotFound', method: 'GET', path: '/api/v1/nothing', sent: {}},
    {code: 405, reason: 'MethodNotAllowed', method: 'PUT', path: ENDPOINTS, sent: {body: {}}},
    {code: 405, reason: 'MethodNotAllowed', method: 'DELETE', path: '/api/v1/namespaces', sent: {}},
    {code: 406, reason: 'NotAcceptable', method: 'GET', path: ENDPOINTS, sent: {headers: {accept: 'text/html'}}},
    {
      code: 415,
      reason: 'UnsupportedMediaType',
      method: 'POST',
      path: ENDPOINTS,
      sent: {body: 'x', headers: {'content-type': 'text/plain'}},
    },
    {code: 415, reason: 'UnsupportedMediaType', method: 'PATCH', path: `${ENDPOINTS}/none`, sent: {body: {}}},
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

  test('E-253 E-254 413 for a body over 3 MiB, and the connection is of use again', async () => {
    const answer = await wire.send('POST', ENDPOINTS, {
      body: endpoints('a', [], {annotations: {a: 'v'.repeat(3 * 1024 * 1024)}}),
    });
    expect([answer.status, answer.body.reason]).toEqual([413, 'RequestEntityTooLarge']);
    expect((await wire.send('GET', ENDPOINTS)).status).toBe(200);
  });

  test('E-253 504 for a version that does not come', async () => {
    const answer = await wire.send('GET', ENDPOINTS, {query: {resourceVersion: '999999999'}});
    expect([
      answer.status,
      answer.body.reason,
      answer.body.details.causes[0].reason,
      answer.headers['retry-after'],
    ]).toEqual([504, 'Timeout', 'ResourceVersionTooLarge', '1']);
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

  test('E-270 discovery, OpenAPI and version are where clients look', async () => {
    expect((await wire.send('GET', '/api')).body.versions).toEqual(['v1']);
    const resources: Body[] = (await wire.send('GET', '/api/v1')).body.resources;
    expect(resources.find(({name}) => name === 'endpoints')).toMatchObject({
      kind: 'Endpoints',
      namespaced: true,
      shortNames: ['ep'],
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    });
    expect((await wire.send('GET', '/apis')).body.kind).toBe('APIGroupList');
    expect((await wire.send('GET', '/openapi/v2')).body.definitions['io.k8s.api.core.v1.Endpoints'].type).toBe(
      'object',
    );
    expect(
      (await wire.send('GET', '/openapi/v3/api/v1')).body.components.schemas['io.k8s.api.core.v1.Endpoints'].type,
    ).toBe('object');
    expect((await wire.send('GET', '/version')).body.gitVersion).toMatch(/^v1\.36\./);
    for (const path of ['/livez', '/readyz', '/healthz']) expect((await wire.send('GET', path)).text).toBe('ok');
    const missing = await wire.send('GET', '/nothing');
    expect([missing.status, missing.headers['content-type'], missing.text]).toEqual([
      404,
      'text/plain; charset=utf-8',
      '404 page not found\n',
    ]);
  });

  test('E-272 JSON has the key order of the reference and one final newline', async () => {
    const name = freshName();
    const {text} = await wire.send('POST', ENDPOINTS, {
      body: {
        subsets: [
          {ports: [{port: 1}], notReadyAddresses: [{nodeName: 'n', ip: '10.0.0.2'}], addresses: [{ip: '10.0.0.1'}]},
        ],
        metadata: {labels: {z: '1', a: '<&>'.length === 3 ? 'x' : ''}, name},
      },
    });
    expect(text).toMatch(
      /^\{"kind":"Endpoints","apiVersion":"v1","metadata":\{"name":"[^"]+","namespace":"one","uid":"[^"]+","resourceVersion":"\d+",("generation":1,)?"creationTimestamp":"[^"]+","labels":\{"a":"x","z":"1"\},"managedFields":\[.*\]\},"subsets":\[\{"addresses":\[\{"ip":"10\.0\.0\.1"\}\],"notReadyAddresses":\[\{"ip":"10\.0\.0\.2","nodeName":"n"\}\],"ports":\[\{"port":1,"protocol":"TCP"\}\]\}\]\}\n$/,
    );
  });

  test('E-272 pretty JSON is indented and has no final newline', async () => {
    const name = freshName();
    await wire.send('POST', ENDPOINTS, {body: endpoints(name, [], {annotations: {html: '<&>'}})});
    for (const sent of [
      {query: {pretty: 'true'}},
      {headers: {accept: 'application/json;pretty=1'}},
      {headers: {'user-agent': 'curl/8.0'}},
    ]) {
      const {text} = await wire.send('GET', `${ENDPOINTS}/${name}`, sent as object);
      expect(text.startsWith('{\n  "kind": "Endpoints",\n  "apiVersion": "v1",\n')).toBe(true);
      expect(text.endsWith('\n}')).toBe(true);
      expect(text).toContain('"html": "\\u003c\\u0026\\u003e"');
    }
    expect(
      (await wire.send('GET', `${ENDPOINTS}/${name}`, {query: {pretty: '0'}, headers: {'user-agent': 'curl/8.0'}}))
        .text,
    ).not.toContain('\n  ');
  });

  test('E-272 YAML in and out', async () => {
    const name = freshName();
    const body = `metadata:\n  name: ${name}\n  labels: {a: "1"}\nsubsets:\n- addresses:\n  - ip: 10.0.0.1\n  ports:\n  - port: 80\n`;
    const answer = await wire.send('POST', ENDPOINTS, {
      body,
      headers: {'content-type': 'application/yaml', accept: 'application/yaml'},
    });
    expect([answer.status, answer.headers['content-type']]).toEqual([201, 'application/yaml']);
    expect(answer.text).toContain(
      'subsets:\n- addresses:\n  - ip: 10.0.0.1\n  ports:\n  - port: 80\n    protocol: TCP\n',
    );
  });

  test('E-272 protobuf in and out', async () => {
    const {decodeProtobuf, encodeProtobuf, kubeTypes, openEnvelope} = await import('@palisade/wire/kube');
    const name = freshName();
    const type = 'application/vnd.kubernetes.protobuf';
    const sent = encodeProtobuf(kubeTypes, 'io.k8s.api.core.v1.Endpoints', endpoints(name, [subset()]));
    const created = await wire.send('POST', ENDPOINTS, {body: sent, headers: {'content-type': type}});
    expect([created.status, created.body.subsets]).toEqual([
      201,
      [{addresses: [{ip: '10.0.0.1'}], ports: [{port: 80, protocol: 'TCP'}]}],
    ]);
    const response = await fetch(`${wire.url}${ENDPOINTS}/${name}`, {headers: {accept: type}});
    expect(response.headers.get('content-type')).toBe(type);
    const read = decodeProtobuf(
      kubeTypes,
      'io.k8s.api.core.v1.Endpoints',
      openEnvelope(Buffer.from(await response.arrayBuffer())),
    );
    expect(read).toEqual(created.body);
    const list = await fetch(`${wire.url}${ENDPOINTS}`, {headers: {accept: type}});
    expect(openEnvelope(Buffer.from(await list.arrayBuffer()))).toMatchObject({
      kind: 'EndpointsList',
      apiVersion: 'v1',
    });
  });

  test('E-272 a protobuf watch sends framed events', async () => {
    const {openEnvelope} = await import('@palisade/wire/kube');
    const run = freshName();
    await wire.send('POST', ENDPOINTS, {body: endpoints(run, [], {labels: {run}})});
    const response = await fetch(`${wire.url}${ENDPOINTS}?watch=1&timeoutSeconds=1&labelSelector=run%3D${run}`, {
      headers: {accept: 'application/vnd.kubernetes.protobuf;stream=watch'},
    });
    expect(response.headers.get('content-type')).toBe('application/vnd.kubernetes.protobuf;stream=watch');
    const frame = Buffer.from(await response.arrayBuffer());
    expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
    expect(frame.toString('latin1', 4, 11)).toBe('\n\u0005ADDED');
    expect(openEnvelope(frame.subarray(frame.indexOf('k8s\0')))).toMatchObject({kind: 'Endpoints'});
  });

  test('E-272 a Table has rows for people', async () => {
    const name = freshName();
    const ports = [
      {name: 'a', port: 1},
      {name: 'b', port: 2},
    ];
    await wire.send('POST', ENDPOINTS, {
      body: endpoints(name, [{addresses: [{ip: '10.0.0.1'}, {ip: 'fd00::1'}], ports}]),
    });
    const {body} = await wire.send('GET', `${ENDPOINTS}/${name}`, {headers: {accept: TABLE}});
    expect([body.kind, body.apiVersion, body.columnDefinitions.map((column: Body) => column.name)]).toEqual([
      'Table',
      'meta.k8s.io/v1',
      ['Name', 'Endpoints', 'Age'],
    ]);
    expect(body.rows[0].cells).toEqual([
      name,
      '10.0.0.1:1,[fd00::1]:1,10.0.0.1:2 + 1 more...',
      expect.stringMatching(/^\d+s$/),
    ]);
    expect(body.rows[0].object).toMatchObject({kind: 'PartialObjectMetadata', metadata: {name}});
  });

  test.each([
    {subsets: undefined, cell: '<none>'},
    {subsets: [{addresses: [{ip: '10.0.0.1'}, {ip: '10.0.0.2'}]}], cell: '10.0.0.1,10.0.0.2'},
    {subsets: [{notReadyAddresses: [{ip: '10.0.0.1'}], ports: [{port: 1}]}], cell: ''},
  ])('E-272 E-041 the cell of $subsets is "$cell"', async ({subsets, cell}) => {
    const name = freshName();
    await wire.send('POST', ENDPOINTS, {body: endpoints(name, subsets)});
    expect((await wire.send('GET', `${ENDPOINTS}/${name}`, {headers: {accept: TABLE}})).body.rows[0].cells[1]).toBe(
      cell,
    );
  });

  test('E-272 PartialObjectMetadata has the metadata and nothing else', async () => {
    const name = freshName();
    const created = await wire.send('POST', ENDPOINTS, {body: endpoints(name, [subset()])});
    const {body} = await wire.send('GET', `${ENDPOINTS}/${name}`, {headers: {accept: METADATA}});
    expect(body).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: created.body.metadata,
    });
  });

  test('E-272 large answers are compressed for those who take it', async () => {
    const name = freshName();
    const addresses = Array.from({length: 8_000}, (_, i) => ({ip: `10.9.${i >> 8}.${i & 255}`}));
    await wire.send('POST', ENDPOINTS, {body: endpoints(name, [{addresses}])});
    const {request} = await import('node:http');
    const raw = await new Promise<{encoding: string | undefined; bytes: Buffer}>(resolve => {
      request(`${wire.url}${ENDPOINTS}/${name}`, {headers: {'accept-encoding': 'gzip'}}, async response => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        resolve({encoding: response.headers['content-encoding'], bytes: Buffer.concat(chunks)});
      }).end();
    });
    expect(raw.encoding).toBe('gzip');
    expect(JSON.parse(gunzipSync(raw.bytes).toString()).subsets[0].addresses).toEqual(addresses);
    expect((await wire.send('GET', `${ENDPOINTS}/${name}`)).headers['content-encoding']).toBeUndefined();
  });

  test('E-271 dryRun answers as if, and writes nothing', async () => {
    const name = freshName();
    const query = {dryRun: 'All'};
    const created = await wire.send('POST', ENDPOINTS, {query, body: endpoints(name, [subset()])});
    expect([created.status, created.body.metadata.resourceVersion]).toEqual([201, undefined]);
    expect((await wire.send('GET', `${ENDPOINTS}/${name}`)).status).toBe(404);
    const real = await wire.send('POST', ENDPOINTS, {body: endpoints(name, [subset()])});
    const patched = await wire.send('PATCH', `${ENDPOINTS}/${name}`, {
      query,
      body: {metadata: {labels: {a: 'b'}}},
      headers: {'content-type': MERGE},
    });
    expect([patched.body.metadata.labels, patched.body.metadata.resourceVersion]).toEqual([
      {a: 'b'},
      real.body.metadata.resourceVersion,
    ]);
    expect((await wire.send('DELETE', `${ENDPOINTS}/${name}`, {query})).status).toBe(200);
    expect((await wire.send('GET', `${ENDPOINTS}/${name}`)).body).toEqual(real.body);
  });

  test('E-257 apiVersion in managedFields has the form group/version', async () => {
    const {body} = await wire.send('POST', ENDPOINTS, {body: endpoints(freshName(), [subset()])});
    expect(body.metadata.managedFields[0].apiVersion).toBe('v1');
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

  test.each([
    {
      what: 'deep nesting',
      body: `{"metadata":{"name":"a"},"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      codes: [201, 400],
    },
    {what: 'invalid UTF-8', body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), codes: [422, 400]},
    {what: 'a duplicate key', body: '{"metadata":{"name":"dup","name":"dup2"}}', codes: [201]},
    {what: 'an empty body', body: '', codes: [400]},
    {what: 'null', body: 'null', codes: [422, 400]},
  ])('E-253 a body with $what is answered, and the server lives', async ({body, codes}) => {
    await using wire = await startWire();
    const answer = await wire.send('POST', ENDPOINTS, {body});
    expect(codes).toContain(answer.status);
    expect((await wire.send('GET', '/livez')).text).toBe('ok');
  });
});
