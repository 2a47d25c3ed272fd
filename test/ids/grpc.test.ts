// SPDX-License-Identifier: Apache-2.0
/** gRPC through a socket, with @grpc/grpc-js' protocol spoken by Connect's client. Ref: requirements I-113. */
import {randomUUID} from 'node:crypto';
import {create, createRegistry, equals} from '@bufbuild/protobuf';
import {anyUnpack, DurationSchema, EmptySchema, timestampDate} from '@bufbuild/protobuf/wkt';
import {Code, ConnectError, createClient} from '@connectrpc/connect';
import {createConnectTransport, createGrpcTransport, createGrpcWebTransport} from '@connectrpc/connect-node';
import {
  Endpoint_Severity,
  Endpoint_State,
  EndpointSchema,
  IDS,
  OperationMetadataSchema,
} from '@palisade/ids-wire/gen/google/cloud/ids/v1/ids_pb.ts';
import {Locations} from '@palisade/ids-wire/gen/google/cloud/location/locations_pb.ts';
import {type Operation, OperationSchema, Operations} from '@palisade/ids-wire/gen/google/longrunning/operations_pb.ts';
import {
  BadRequestSchema,
  QuotaFailureSchema,
  ResourceInfoSchema,
} from '@palisade/ids-wire/gen/google/rpc/error_details_pb.ts';
import {Health, HealthCheckResponse_ServingStatus} from '@palisade/ids-wire/gen/grpc/health/v1/health_pb.ts';
import {ServerReflection} from '@palisade/ids-wire/gen/grpc/reflection/v1/reflection_pb.ts';
import {ServerReflection as ServerReflectionV1Alpha} from '@palisade/ids-wire/gen/grpc/reflection/v1alpha/reflection_pb.ts';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const PARENT = 'projects/p/locations/local';
let server: TestServer;
let host: FakeSensorHost;
let rest: RestClient;
let counter = 0;
const freshId = (): string => {
  counter += 1;
  return `g${counter}`;
};
const transport = () => createGrpcTransport({baseUrl: `http://${server.grpc}`});
const client = () => createClient(IDS, transport());
const operations = () => createClient(Operations, transport());

beforeAll(async () => {
  host = new FakeSensorHost();
  server = await startTestServer({store: await openMemoryStore(), sensorHost: host, quota: {endpointsPerProject: 40}});
  rest = new RestClient(server.url);
});
afterAll(() => server.close());

const draft = {network: 'net', severity: Endpoint_Severity.HIGH};
const done = (operation: Operation) => operations().waitOperation({name: operation.name});
const refusal = async (call: Promise<unknown>): Promise<ConnectError> => {
  try {
    await call;
  } catch (error) {
    return ConnectError.from(error);
  }
  throw new Error('the call was not refused');
};

describe('IDS', () => {
  test('I-113 I-111 create, wait, get, list, delete; REST shows the same', async () => {
    const endpointId = freshId();
    const name = `${PARENT}/endpoints/${endpointId}`;
    const endpoint = {...draft, description: 'd', labels: {a: 'b'}, trafficLogs: true};
    const running = await client().createEndpoint({parent: PARENT, endpointId, endpoint});
    const metadata = running.metadata && anyUnpack(running.metadata, OperationMetadataSchema);
    expect(metadata).toMatchObject({target: name, verb: 'create', apiVersion: 'v1', requestedCancellation: false});
    const finished = await done(running);
    expect(finished.done).toBe(true);
    const response = finished.result.case === 'response' ? anyUnpack(finished.result.value, EndpointSchema) : undefined;
    const got = await client().getEndpoint({name});
    expect(response).toEqual(got);
    expect(got).toMatchObject({...endpoint, name, state: Endpoint_State.READY});
    const json = (await rest.get(name)).body;
    expect([got.endpointIp, got.endpointForwardingRule]).toEqual([json.endpointIp, json.endpointForwardingRule]);
    expect(got.createTime && timestampDate(got.createTime).toISOString()).toBe(new Date(json.createTime).toISOString());
    const page = await client().listEndpoints({parent: PARENT, filter: `name="${name}"`});
    expect([page.endpoints, page.nextPageToken]).toEqual([[got], '']);
    const deleted = await done(await client().deleteEndpoint({name}));
    expect(deleted.result.case === 'response' && anyUnpack(deleted.result.value, EmptySchema)).toBeTruthy();
    expect((await refusal(client().getEndpoint({name}))).code).toBe(Code.NotFound);
  });

  test('I-113 pages and orders as REST does', async () => {
    for (const id of ['pa', 'pb', 'pc'])
      await done(
        await client().createEndpoint({parent: 'projects/q/locations/local', endpointId: id, endpoint: draft}),
      );
    const request = {parent: 'projects/q/locations/-', pageSize: 2, orderBy: 'name desc'};
    const first = await client().listEndpoints(request);
    const second = await client().listEndpoints({...request, pageToken: first.nextPageToken});
    expect([...first.endpoints, ...second.endpoints].map(e => e.name.split('/').at(-1))).toEqual(['pc', 'pb', 'pa']);
    expect((await refusal(client().listEndpoints({...request, pageSize: -1}))).code).toBe(Code.InvalidArgument);
  });

  test('I-090 I-113 50 concurrent equal creates over gRPC are one operation', async () => {
    const request = {parent: PARENT, endpointId: freshId(), endpoint: draft, requestId: randomUUID()};
    const ids = client();
    const answers = await Promise.all(Array.from({length: 50}, () => ids.createEndpoint(request)));
    expect(new Set(answers.map(a => a.name)).size).toBe(1);
  });

  test('an endpoint with exceptions, and one that is UPDATING, can be read over gRPC', async () => {
    const {name} = await rest.created(PARENT, freshId(), {threatExceptions: ['1']});
    let release = (): void => {};
    host.before = call =>
      call === 'update'
        ? new Promise(resolve => {
            release = resolve;
          })
        : undefined;
    const {body} = await rest.patch(name, {updateMask: 'description'}, {description: 'x'});
    expect((await client().getEndpoint({name})).state).toBe(4);
    while (!host.calls.includes(`update ${name}`)) await new Promise(resolve => setImmediate(resolve));
    release();
    host.before = undefined;
    await rest.done(body);
    expect((await rest.get(name)).body.threatExceptions).toEqual(['1']);
  });
});

describe('errors', () => {
  test('I-025 I-096 INVALID_ARGUMENT is code 3 with a BadRequest of all violations', async () => {
    const error = await refusal(
      client().createEndpoint({parent: PARENT, endpointId: 'Bad_', endpoint: {}, requestId: 'x'}),
    );
    expect(error.code).toBe(Code.InvalidArgument);
    const [detail] = error.findDetails(BadRequestSchema);
    expect(detail?.fieldViolations.map(v => v.field)).toEqual([
      'endpointId',
      'requestId',
      'endpoint.network',
      'endpoint.severity',
    ]);
  });

  test.each([
    ['I-097 NOT_FOUND', () => client().getEndpoint({name: `${PARENT}/endpoints/none`}), Code.NotFound],
    ['a name that is none', () => client().getEndpoint({name: 'x'}), Code.InvalidArgument],
    [
      'an unknown severity number',
      () =>
        client().createEndpoint({
          parent: PARENT,
          endpointId: 'sev',
          endpoint: {network: 'n', severity: 9 as Endpoint_Severity},
        }),
      Code.InvalidArgument,
    ],
    ['an unknown operation', () => operations().getOperation({name: `${PARENT}/operations/none`}), Code.NotFound],
    [
      'cancel of an unknown operation',
      () => operations().cancelOperation({name: `${PARENT}/operations/none`}),
      Code.NotFound,
    ],
    [
      'an unknown location',
      () => createClient(Locations, transport()).getLocation({name: 'projects/p/locations/none'}),
      Code.NotFound,
    ],
  ])('%s', async (_, call, code) => {
    expect((await refusal(call())).code).toBe(code);
  });

  test('I-093 I-097 ALREADY_EXISTS and ABORTED are distinct, and carry the resource', async () => {
    const endpointId = freshId();
    const name = `${PARENT}/endpoints/${endpointId}`;
    await done(await client().createEndpoint({parent: PARENT, endpointId, endpoint: draft}));
    const exists = await refusal(client().createEndpoint({parent: PARENT, endpointId, endpoint: draft}));
    expect(exists.code).toBe(Code.AlreadyExists);
    expect(exists.findDetails(ResourceInfoSchema)[0]?.resourceName).toBe(name);
    let release = (): void => {};
    const gate = new Promise<void>(resolve => {
      release = resolve;
    });
    host.before = call => (call === 'stop' ? gate : undefined);
    const running = await client().deleteEndpoint({name});
    expect((await refusal(client().deleteEndpoint({name}))).code).toBe(Code.Aborted);
    host.before = undefined;
    release();
    await done(running);
  });

  test('I-100 RESOURCE_EXHAUSTED carries the quota failure', async () => {
    const parent = 'projects/full/locations/europe-west1-b';
    const ids = client();
    for (let i = 0; i < 40; i += 1) await ids.createEndpoint({parent, endpointId: `e${i}`, endpoint: draft});
    const error = await refusal(ids.createEndpoint({parent, endpointId: 'more', endpoint: draft}));
    expect(error.code).toBe(Code.ResourceExhausted);
    expect(error.findDetails(QuotaFailureSchema)[0]?.violations[0]?.subject).toBe('projects/full');
  });
});

describe('Operations', () => {
  test('I-113 wait answers when the time is up, or when the operation is done', async () => {
    let release = (): void => {};
    const gate = new Promise<void>(resolve => {
      release = resolve;
    });
    host.before = call => (call === 'start' ? gate : undefined);
    const running = await client().createEndpoint({parent: PARENT, endpointId: freshId(), endpoint: draft});
    const early = await operations().waitOperation({
      name: running.name,
      timeout: create(DurationSchema, {nanos: 1_000_000}),
    });
    expect(early.done).toBe(false);
    const waiting = operations().waitOperation({name: running.name});
    host.before = undefined;
    release();
    expect((await waiting).done).toBe(true);
  });

  test('I-113 list, cancel, delete', async () => {
    const finished = await done(
      await client().createEndpoint({parent: PARENT, endpointId: freshId(), endpoint: draft}),
    );
    const page = await operations().listOperations({
      name: 'projects/p/locations/-',
      filter: 'done=true',
      pageSize: 1000,
    });
    const [listed, ...more] = page.operations.filter(o => o.name === finished.name);
    expect([listed !== undefined && equals(OperationSchema, listed, finished), more]).toEqual([true, []]);
    await operations().cancelOperation({name: finished.name});
    await operations().deleteOperation({name: finished.name});
    expect((await refusal(operations().getOperation({name: finished.name}))).code).toBe(Code.NotFound);
  });
});

describe('beside them', () => {
  test('I-113 locations', async () => {
    const locations = createClient(Locations, transport());
    const {locations: all} = await locations.listLocations({name: 'projects/p'});
    expect(all.map(l => l.locationId)).toEqual(['local', 'us-central1-a', 'europe-west1-b']);
    expect((await locations.getLocation({name: all[1]?.name ?? ''})).labels).toEqual({
      'cloud.googleapis.com/region': 'us-central1',
    });
  });

  test('health: SERVING, also per service; NOT_FOUND for another', async () => {
    const health = createClient(Health, transport());
    expect((await health.check({})).status).toBe(HealthCheckResponse_ServingStatus.SERVING);
    expect((await health.check({service: 'google.cloud.ids.v1.IDS'})).status).toBe(
      HealthCheckResponse_ServingStatus.SERVING,
    );
    expect((await refusal(health.check({service: 'none'}))).code).toBe(Code.NotFound);
  });

  test.each([
    ['v1', ServerReflection],
    ['v1alpha', ServerReflectionV1Alpha],
  ] as const)('reflection %s names the services and gives a file with all that it needs', async (_, service) => {
    const reflection = createClient(service as typeof ServerReflection, transport());
    const asks = [
      {case: 'listServices', value: ''},
      {case: 'fileContainingSymbol', value: 'google.cloud.ids.v1.IDS.CreateEndpoint'},
      {case: 'fileByFilename', value: 'google/rpc/none.proto'},
    ] as const;
    const answers = [];
    for await (const {messageResponse} of reflection.serverReflectionInfo(
      (async function* () {
        for (const messageRequest of asks) yield {host: '', messageRequest};
      })(),
    ))
      answers.push(messageResponse);
    const [services, file, missing] = answers;
    expect(services?.case === 'listServicesResponse' && services.value.service.map(s => s.name)).toEqual(
      expect.arrayContaining([
        'google.cloud.ids.v1.IDS',
        'google.longrunning.Operations',
        'google.cloud.location.Locations',
      ]),
    );
    expect(file?.case === 'fileDescriptorResponse' && file.value.fileDescriptorProto.length).toBeGreaterThan(5);
    expect(missing?.case === 'errorResponse' && missing.value.errorCode).toBe(Code.NotFound);
  });

  test('an operation is answered in the JSON of Connect too, with what it holds', async () => {
    const registry = createRegistry(OperationMetadataSchema, EndpointSchema);
    const options = {baseUrl: `http://${server.grpc}`, httpVersion: '2', useBinaryFormat: false} as const;
    const json = createClient(IDS, createConnectTransport({...options, jsonOptions: {registry}}));
    const endpoint = {network: 'net', severity: Endpoint_Severity.LOW};
    const {metadata} = await json.createEndpoint({parent: PARENT, endpointId: freshId(), endpoint});
    expect(metadata && anyUnpack(metadata, OperationMetadataSchema)?.verb).toBe('create');
  });

  test('gRPC-Web and Connect speak to the same handlers', async () => {
    const {name} = await rest.created(PARENT, freshId());
    const options = {baseUrl: `http://${server.grpc}`, httpVersion: '2'} as const;
    for (const other of [createGrpcWebTransport(options), createConnectTransport(options)])
      expect((await createClient(IDS, other).getEndpoint({name})).name).toBe(name);
  });
});
