// SPDX-License-Identifier: Apache-2.0
/** The endpoint resource through a socket: inputs, outputs, errors. Ref: requirements I.1 to I.5. */
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {type Json, RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const PARENT = 'projects/p/locations/us-central1-a';
let server: TestServer;
let host: FakeSensorHost;
let rest: RestClient;
let counter = 0;
const freshId = (): string => {
  counter += 1;
  return `e${counter}`;
};

beforeAll(async () => {
  host = new FakeSensorHost();
  server = await startTestServer({store: await openMemoryStore(), sensorHost: host});
  rest = new RestClient(server.url);
});
afterAll(() => server.close());

const create = async (body: object = {}): Promise<Json> => rest.created(PARENT, freshId(), body);

/** The violated fields of a refusal. */
const fieldsOf = (body: Json): string[] => body.error.details[0].fieldViolations.map((v: Json) => v.field);

describe('identity', () => {
  test('I-002 I-034 I-035 I-055 creating makes an endpoint in the project and location of the path', async () => {
    const {status, body} = await rest.create('projects/other/locations/local', 'guard');
    expect(status).toBe(200);
    await rest.done(body);
    const {body: endpoint} = await rest.get('projects/other/locations/local/endpoints/guard');
    expect(endpoint.name).toBe('projects/other/locations/local/endpoints/guard');
    const names = async (parent: string) =>
      ((await rest.get(`${parent}/endpoints`)).body.endpoints ?? []).map((e: Json) => e.name);
    expect(await names('projects/other/locations/local')).toEqual([endpoint.name]);
    expect(await names('projects/other/locations/-')).toEqual([endpoint.name]);
    expect(await names('projects/other/locations/us-central1-a')).toEqual([]);
  });

  test('I-003 I-020 no id is an error that names the field; none is invented', async () => {
    const before = (await rest.get('projects/-/locations/-/endpoints', {pageSize: '1000'})).body.endpoints.length;
    for (const query of [{}, {endpointId: ''}] as Record<string, string>[]) {
      const {status, body} = await rest.post(`${PARENT}/endpoints`, query, {network: 'n', severity: 'LOW'});
      expect([status, body.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
      expect(fieldsOf(body)).toEqual(['endpointId']);
    }
    const after = (await rest.get('projects/-/locations/-/endpoints', {pageSize: '1000'})).body.endpoints.length;
    expect(after).toBe(before);
  });

  test('I-021 the id is the last part of the name', async () => {
    const {name} = await create();
    expect(name).toBe(`${PARENT}/endpoints/e${counter}`);
  });
});

describe('endpoint id', () => {
  test.each([
    ['I-023 one letter', 'z'],
    ['I-023 I-098 63 characters', `a${'b'.repeat(62)}`],
    ['I-023 digits and hyphens inside', 'a-0--9b'],
  ])('%s is accepted', async (_, id) => {
    expect((await rest.create('projects/ids/locations/local', id)).status).toBe(200);
  });

  test.each([
    ['I-022 a leading digit', '1a'],
    ['I-022 a leading hyphen', '-a'],
    ['I-022 a capital', 'A'],
    ['I-023 a capital inside', 'aB'],
    ['I-023 an underscore', 'a_b'],
    ['I-023 a dot', 'a.b'],
    ['I-023 I-098 64 characters', `a${'b'.repeat(63)}`],
    ['I-024 a hyphen at the end', 'a-'],
    ['I-023 a blank', 'a b'],
    ['I-023 a slash', 'a/b'],
    ['I-023 a letter of another script', 'añb'],
    ['I-023 a line end', 'a\n'],
  ])('I-025 I-095 %s is INVALID_ARGUMENT', async (_, id) => {
    const {status, body} = await rest.create(PARENT, id);
    expect([status, body.error.code, body.error.status]).toEqual([400, 400, 'INVALID_ARGUMENT']);
    expect(fieldsOf(body)).toEqual(['endpointId']);
    expect(body.error.message).toContain('lowercase letter');
  });
});

describe('inputs', () => {
  test.each([
    ['I-026 a full URL', 'https://www.googleapis.com/compute/v1/projects/p/global/networks/my-net'],
    ['I-027 a partial name', 'projects/p/global/networks/my-net'],
    ['I-027 a bare name', 'my-net'],
    ['I-027 a name without project', 'global/networks/my-net'],
  ])('I-004 %s is kept as written', async (_, network) => {
    expect((await create({network})).network).toBe(network);
    expect(host.running.get(`${PARENT}/endpoints/e${counter}`)?.network).toBe(network);
  });

  test('F-28 what is no network is refused by name at create', async () => {
    const {status, body} = await rest.create(PARENT, freshId(), {network: 'foo/bar'});
    expect([status, fieldsOf(body)]).toEqual([400, ['endpoint.network']]);
    expect(body.error.message).toContain('"foo/bar" is not the name of a network: use NAME, projects/PROJECT/');
  });

  test('F-28 an exception that is no threat id is kept, as the contract has it, and the health names it', async () => {
    const {name, threatExceptions} = await create({threatExceptions: ['30845', 'foo', '1:2:3']});
    expect(threatExceptions).toEqual(['30845', 'foo', '1:2:3']);
    const {body} = await rest.get(`${name}/health`);
    expect(body.reasons).toEqual([
      'threatExceptions[1]: "foo" is not a threat id and matches nothing: use gid:sid or sid, such as 1:2019401',
      'threatExceptions[2]: "1:2:3" is not a threat id and matches nothing: use gid:sid or sid, such as 1:2019401',
    ]);
  });

  test.each(['', 'my net', `n${'x'.repeat(2000)}`])('I-044 network %j is refused by name', async network => {
    const {status, body} = await rest.create(PARENT, freshId(), {network});
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual(['endpoint.network']);
  });

  test.each(['INFORMATIONAL', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'])(
    'I-028 I-029 severity %s is kept',
    async severity => {
      expect((await create({severity})).severity).toBe(severity);
      expect(host.running.get(`${PARENT}/endpoints/e${counter}`)?.severity).toBe(severity);
    },
  );

  test.each(['SEVERITY_UNSPECIFIED', 0, null, 'SEVERE'])(
    'I-029 I-030 I-044 severity %j is refused by name',
    async severity => {
      const {status, body} = await rest.create(PARENT, freshId(), {severity});
      expect(status).toBe(400);
      expect(fieldsOf(body)).toEqual(['endpoint.severity']);
    },
  );

  test('I-032 I-033 I-040 I-042 X-002 every input comes back', async () => {
    const input = {
      network: 'projects/p/global/networks/n',
      severity: 'CRITICAL',
      description: 'Zürich 中文 🛡 "quoted" \\ back\nnew line',
      labels: {env: 'prod', 'a_b-c': ''},
      trafficLogs: true,
      threatExceptions: ['1:2019401', '30845', 'anything at all'],
    };
    expect(await create(input)).toMatchObject(input);
    expect(host.running.get(`${PARENT}/endpoints/e${counter}`)).toMatchObject({
      trafficLogs: true,
      threatExceptions: input.threatExceptions,
    });
  });

  test('I-041 duplicate exceptions are dropped, order is kept, 99 are allowed', async () => {
    expect((await create({threatExceptions: ['3', '1', '3', '2', '1']})).threatExceptions).toEqual(['3', '1', '2']);
    const ids = Array.from({length: 99}, (_, i) => String(i));
    expect((await create({threatExceptions: ids})).threatExceptions).toEqual(ids);
  });

  test.each([
    [
      'I-041 100 exceptions',
      {threatExceptions: Array.from({length: 100}, (_, i) => String(i))},
      'endpoint.threatExceptions',
    ],
    ['I-041 an empty exception', {threatExceptions: ['1', '']}, 'endpoint.threatExceptions'],
    ['I-041 a blank exception', {threatExceptions: [' ']}, 'endpoint.threatExceptions'],
    [
      'I-033 65 labels',
      {labels: Object.fromEntries(Array.from({length: 65}, (_, i) => [`k${i}`, '']))},
      'endpoint.labels',
    ],
    ['I-033 a label key with a capital', {labels: {Upper: 'x'}}, 'endpoint.labels'],
    ['I-042 traffic logs that are no boolean', {trafficLogs: 'yes'}, 'endpoint.trafficLogs'],
    ['I-096 an unknown field', {colour: 'blue'}, 'endpoint.colour'],
  ])('%s is refused by name', async (_, body, field) => {
    const answer = await rest.create(PARENT, freshId(), body);
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer.body)).toEqual([field]);
    expect((await rest.get(`${PARENT}/endpoints/e${counter}`)).status).toBe(404);
  });

  test('I-043 defaults are not part of the message', async () => {
    const endpoint = await create({trafficLogs: false, threatExceptions: [], labels: {}, description: ''});
    for (const field of ['trafficLogs', 'threatExceptions', 'labels', 'description'])
      expect(endpoint).not.toHaveProperty(field);
  });

  test('I-096 all faults of a request come at once, each with its field', async () => {
    const {body} = await rest.post(
      `${PARENT}/endpoints`,
      {endpointId: 'Bad_', requestId: 'x'},
      {severity: 'SEVERE', labels: {A: 'x'}, colour: 1, threatExceptions: ['']},
    );
    expect(new Set(fieldsOf(body))).toEqual(
      new Set([
        'endpointId',
        'requestId',
        'endpoint.severity',
        'endpoint.colour',
        'endpoint.network',
        'endpoint.labels',
        'endpoint.threatExceptions',
      ]),
    );
    expect(body.error.details[0]['@type']).toBe('type.googleapis.com/google.rpc.BadRequest');
  });
});

describe('outputs', () => {
  test('I-005 I-052 I-053 rule and address are set when READY; the rule is answered by this server and says how to send', async () => {
    const endpoint = await create();
    expect(endpoint.endpointIp).toMatch(/^127\.77\.\d+\.\d+$/);
    expect(endpoint.endpointForwardingRule).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/compute\/v1\/projects\/[a-z][0-9a-f]{16}-tp\/regions\/us-central1\/forwardingRules\/ids-fr-[a-z0-9-]{1,6}-[a-z0-9]{16}$/,
    );
    const path = new URL(endpoint.endpointForwardingRule).pathname;
    const {status, body} = await rest.get(path);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: 'compute#forwardingRule',
      IPAddress: endpoint.endpointIp,
      network: endpoint.network,
      loadBalancingScheme: 'INTERNAL',
      isMirroringCollector: true,
      ports: ['4789', '6081'],
      labels: {driver: 'relay', encapsulations: 'vxlan-geneve', vni: expect.stringMatching(/^\d+$/)},
      selfLink: endpoint.endpointForwardingRule,
    });
    const {body: list} = await rest.get(path.replace(/\/[^/]+$/, ''));
    expect(list.items).toContainEqual(body);
    expect((await rest.get(`${path}x`)).status).toBe(404);
  });

  test('I-053 addresses and VNIs are never shared', async () => {
    await Promise.all(Array.from({length: 20}, () => create()));
    const specs = [...host.running.values()];
    expect(new Set(specs.map(s => s.ip)).size).toBe(specs.length);
    expect(new Set(specs.map(s => s.vni)).size).toBe(specs.length);
  });

  test('I-051 I-057 createTime is RFC 3339 UTC and constant; updateTime moves on update only', async () => {
    const first = await create();
    expect(first.createTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/);
    expect(first.updateTime >= first.createTime).toBe(true);
    expect((await rest.get(first.name)).body).toEqual(first);
    await rest.done((await rest.patch(first.name, {updateMask: 'description'}, {description: 'd'})).body);
    const second = (await rest.get(first.name)).body;
    expect(second.createTime).toBe(first.createTime);
    expect(second.updateTime > first.updateTime).toBe(true);
  });

  test('I-058 output-only fields of a body are ignored', async () => {
    const outputs = {
      state: 'DELETING',
      endpointIp: '192.0.2.7',
      createTime: 'x',
      name: 'projects/a',
      satisfiesPzs: true,
    };
    const endpoint = await create(outputs);
    expect(endpoint.state).toBe('READY');
    expect(endpoint.endpointIp).not.toBe('192.0.2.7');
    expect(endpoint).not.toHaveProperty('satisfiesPzs');
  });
});

describe('errors', () => {
  test('I-097 404 names the resource', async () => {
    const name = `${PARENT}/endpoints/none`;
    for (const answer of [
      await rest.get(name),
      await rest.delete(name),
      await rest.patch(name, {updateMask: 'labels'}, {}),
      await rest.get(`${name}/health`),
      await rest.get(`${name}/threats`),
    ]) {
      expect([answer.status, answer.body.error.status]).toEqual([404, 'NOT_FOUND']);
      expect(answer.body.error.message).toContain(name);
    }
  });

  test('I-093 I-097 a second create of the id is ALREADY_EXISTS and changes nothing', async () => {
    const endpoint = await create();
    const {status, body} = await rest.create(PARENT, `e${counter}`, {severity: 'HIGH'});
    expect([status, body.error.status]).toEqual([409, 'ALREADY_EXISTS']);
    expect(body.error.message).toContain(endpoint.name);
    expect((await rest.get(endpoint.name)).body).toEqual(endpoint);
  });

  test('a create in a location that the server does not have is refused, and says which there are', async () => {
    const {status, body} = await rest.create('projects/p/locations/nowhere', freshId());
    expect([status, body.error.status]).toEqual([404, 'NOT_FOUND']);
    expect(body.error.message).toContain('us-central1-a');
  });

  test.each([
    ['GET', `projects/p/locations/-/endpoints/abc`],
    ['DELETE', `projects/p/locations/-/endpoints/abc`],
    ['PATCH', `projects/p/locations/-/endpoints/abc`],
    ['GET', `projects/p/locations/-/operations/abc`],
    ['DELETE', `projects/-/locations/local/endpoints/abc`],
  ])('I-097 %s %s: a wildcard is no name', async (method, path) => {
    const {status, body} = await rest.call(method, path, {}, method === 'PATCH' ? {} : undefined);
    expect([status, body.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
  });

  test.each([
    ['GET', 'projects/p/locations/local/widgets'],
    ['POST', 'projects/p/locations/local/endpoints/e:explode'],
    ['PUT', 'projects/p/locations/local/endpoints/e'],
    ['POST', 'projects/p/endpoints'],
    ['DELETE', 'projects/p/locations/local'],
    ['GET', 'projects/p/locations/local/endpoints/%ZZ'],
    ['GET', 'projects/p/locations/local/endpoints/a%2Fb'],
    ['GET', ''],
  ])('I-110 %s /v1/%s is not there', async (method, path) => {
    const {status, body} = await rest.call(method, path, {}, method === 'GET' || method === 'DELETE' ? undefined : {});
    expect([status, body.error.status]).toEqual([404, 'NOT_FOUND']);
  });

  test.each([
    ['no JSON', '{"network":', 'application/json'],
    ['a string', '"x"', 'application/json'],
    ['a list', '[]', 'application/json'],
    ['broken UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'application/json'],
    ['a form', 'network=n', 'application/x-www-form-urlencoded'],
    ['plain text, as a web page could send it', '{"network":"n","severity":"LOW"}', 'text/plain'],
    ['more than the limit', `{"description":"${'x'.repeat(1_100_000)}"}`, 'application/json'],
  ])('I-096 a body that is %s is INVALID_ARGUMENT', async (_, body, type) => {
    const response = await fetch(`${server.url}/v1/${PARENT}/endpoints?endpointId=${freshId()}`, {
      method: 'POST',
      headers: {'content-type': type},
      body,
    });
    expect(response.status).toBe(400);
    expect(((await response.json()) as Json).error.status).toBe('INVALID_ARGUMENT');
  });

  test('I-110 unknown query parameters are refused, all of them by name', async () => {
    const {status, body} = await rest.get(`${PARENT}/endpoints`, {sort: 'name', colour: 'x', pageSize: '1'});
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual(['sort', 'colour']);
  });
});

test('I-096 a body far beyond the limit is answered, not cut off', async () => {
  const response = await fetch(`${server.url}/v1/${PARENT}/endpoints?endpointId=${freshId()}`, {
    method: 'POST',
    headers: {'content-type': 'application/json'},
    body: Buffer.alloc(20_000_000, ' '),
  });
  expect(response.status).toBe(400);
  expect(((await response.json()) as Json).error.message).toContain('larger than');
});

describe('system parameters', () => {
  test('I-110 are never refused, and do what they say', async () => {
    const endpoint = await create({severity: 'HIGH', labels: {a: 'b'}});
    const get = (query: Record<string, string>) => rest.get(endpoint.name, query);
    const all = {
      alt: 'json',
      key: 'k',
      access_token: 't',
      oauth_token: 't',
      quotaUser: 'u',
      callback: 'cb',
      trace: 't',
    };
    expect((await get({...all, uploadType: 'm', upload_protocol: 'p', '$.xgafv': '2'})).body).toEqual(endpoint);
    expect((await get({$alt: 'json;enum-encoding=int'})).body).toEqual({...endpoint, severity: 4, state: 2});
    expect((await get({fields: 'name,severity'})).body).toEqual({name: endpoint.name, severity: 'HIGH'});
    expect((await get({prettyPrint: 'true'})).text).toContain('\n  "name"');
    expect((await get({prettyPrint: 'false'})).text).not.toContain('\n');
    const list = await rest.get(`${PARENT}/endpoints`, {
      $alt: 'json;enum-encoding=int',
      filter: 'labels.a=b',
      fields: 'endpoints/state',
    });
    expect(list.body.endpoints[0]).toEqual({state: 2});
  });

  test('a callback makes no script of the answer', async () => {
    const answer = await rest.get('projects/p/locations', {callback: 'steal'});
    expect(answer.headers.get('content-type')).toBe('application/json; charset=UTF-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.text.startsWith('{')).toBe(true);
  });
});
