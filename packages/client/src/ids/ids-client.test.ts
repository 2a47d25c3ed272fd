// SPDX-License-Identifier: Apache-2.0
import type {ThreatRecord} from '@palisade/ids-wire';
import {describe, expect, test} from 'vitest';
import {createIdsClient} from '../node-clients.ts';
import {startFakeIdsServer} from '../testing/fake-ids-server.ts';
import {startJsonServer} from '../testing/json-server.ts';
import {manualClock} from '../testing/manual-clock.ts';
import {type IdsError, isIdsError} from './ids-error.ts';
import {canonicalNetwork, type IdsEndpoint, parseEndpointName} from './objects.ts';
import {waitForOperation} from './operation-waiter.ts';

const PARENT = 'projects/p/locations/l';
const NAME = `${PARENT}/endpoints/a`;
const ENDPOINT: IdsEndpoint = {network: 'n', severity: 'LOW'};
const THREAT = {threat_id: '1:1', repeat_count: '2', endpoint: NAME} as ThreatRecord;
const LINE = {id: 'f-1', ...THREAT};
const never = new AbortController().signal;

describe('createIdsClient', () => {
  test('creates, reads, patches and deletes; refusals are typed', async () => {
    await using server = await startFakeIdsServer();
    const client = createIdsClient({server: server.url});
    const operation = await client.createEndpoint(PARENT, 'a', ENDPOINT, {requestId: 'r'});
    expect(operation).toMatchObject({done: true, name: expect.stringContaining(`${PARENT}/operations/`)});
    expect(await client.getEndpoint(NAME)).toMatchObject({name: NAME, state: 'READY', network: 'n'});
    const again = client.createEndpoint(PARENT, 'a', ENDPOINT, {requestId: 's'});
    await expect(again).rejects.toSatisfy(error => isIdsError(error, 'ALREADY_EXISTS'));
    await client.patchEndpoint(NAME, {description: 'x'}, ['description', 'trafficLogs'], {requestId: 't'});
    expect(Object.fromEntries(server.requests.at(-1)?.query ?? [])).toEqual({
      updateMask: 'description,trafficLogs',
      requestId: 't',
    });
    await client.deleteEndpoint(NAME);
    await expect(client.getEndpoint(NAME)).rejects.toSatisfy(error => isIdsError(error, 'NOT_FOUND'));
  });

  test('field violations are kept; a body that is no error is described', async () => {
    const fieldViolations = [{field: 'endpointId', description: 'bad'}];
    const details = [{'@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations}];
    await using server = await startJsonServer(({path}) =>
      path.includes('/a')
        ? {status: 400, body: {error: {code: 400, status: 'INVALID_ARGUMENT', message: 'm', details}}}
        : path.includes('/nothing')
          ? {status: 404, body: ''}
          : {status: 503, body: 'busy'},
    );
    const client = createIdsClient({server: server.url});
    const error = (await client.getEndpoint(NAME).catch((thrown: unknown) => thrown)) as IdsError;
    expect(error).toMatchObject({code: 'INVALID_ARGUMENT', message: 'm', violations: fieldViolations});
    await expect(client.getEndpoint('x')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'the server answered 503: busy',
    });
    const wordless = {code: 'NOT_FOUND', message: 'the server answered 404 to GET /v1/nothing'};
    await expect(client.getEndpoint('nothing')).rejects.toMatchObject(wordless);
    await expect(client.followRecords('nothing', 'threats').next()).rejects.toThrow(
      'the server answered 404 to GET /v1/nothing/threats',
    );
  });

  test('lists pages of endpoints, operations and records, and follows records', async () => {
    await using server = await startJsonServer(({path, query}) => {
      if (query.get('follow') === '1') return {status: 200, body: '', lines: ['{"cursor":"c"}', JSON.stringify(LINE)]};
      if (path.endsWith('/threats')) return {status: 200, body: {threats: [{threat_id: '1:1'}], nextPageToken: 't'}};
      return {status: 200, body: path.endsWith('/health') ? {state: 'OK'} : {}};
    });
    const client = createIdsClient({server: server.url});
    expect(await client.listEndpoints('projects/p/locations/-', {pageSize: 2, filter: 'a=b'})).toEqual({});
    expect(await client.listRecords(NAME, 'threats', {since: '2025-01-01T00:00:00Z'})).toEqual({
      records: [{threat_id: '1:1'}],
      nextPageToken: 't',
    });
    const followed: unknown[] = [];
    for await (const line of client.followRecords(NAME, 'threats', {cursor: 'b'})) followed.push(line);
    expect(followed).toEqual([{cursor: 'c'}, {record: LINE, id: `${NAME} f-1`}]);
    expect(Object.fromEntries(server.requests.at(-1)?.query ?? [])).toEqual({
      follow: '1',
      cursors: '1',
      cursor: 'b',
    });
    expect(await client.getHealth(NAME)).toEqual({state: 'OK'});
    await client.cancelOperation(`${PARENT}/operations/o`);
    expect(server.requests.map(({method, path}) => `${method} ${path}`)).toEqual([
      'GET /v1/projects/p/locations/-/endpoints',
      `GET /v1/${NAME}/threats`,
      `GET /v1/${NAME}/threats`,
      `GET /v1/${NAME}/health`,
      `POST /v1/${PARENT}/operations/o:cancel`,
    ]);
  });
});

test('a followed stream that is silent for too long is given up', async () => {
  await using server = await startJsonServer(() => ({status: 200, body: '', lines: ['{"cursor":"c"}'], end: 'open'}));
  const stream = createIdsClient({server: server.url}).followRecords(NAME, 'threats', {silenceMs: 20});
  expect((await stream.next()).value).toEqual({cursor: 'c'});
  await expect(stream.next()).rejects.toMatchObject({code: 'timeout'});
});

test('a followed stream may have another silence before its first line', async () => {
  await using server = await startJsonServer(() => ({status: 200, body: '', lines: ['{"cursor":"c"}'], end: 'open'}));
  const client = createIdsClient({server: server.url});
  const late = client.followRecords(NAME, 'threats', {silenceMs: 20, firstSilenceMs: 60_000});
  expect((await late.next()).value).toEqual({cursor: 'c'});
  await expect(late.next()).rejects.toMatchObject({message: `no answer from ${server.url} within 20 ms`});
  await using mute = await startJsonServer(() => ({status: 200, body: '', lines: [], end: 'open'}));
  const never = createIdsClient({server: mute.url}).followRecords(NAME, 'threats', {firstSilenceMs: 20});
  await expect(never.next()).rejects.toMatchObject({message: `no answer from ${mute.url} within 20 ms`});
});

test('locations are asked one by one and listed', async () => {
  await using server = await startFakeIdsServer();
  server.behaviour.locations = ['l', 'm'];
  const client = createIdsClient({server: server.url});
  expect(await client.getLocation(PARENT)).toMatchObject({name: PARENT, locationId: 'l'});
  await expect(client.getLocation('projects/p/locations/n')).rejects.toSatisfy(error => isIdsError(error, 'NOT_FOUND'));
  const {locations} = await client.listLocations('projects/p', {pageSize: 5});
  expect(locations?.map(({locationId}) => locationId)).toEqual(['l', 'm']);
  expect(server.requests.at(-1)?.query.get('pageSize')).toBe('5');
});

describe('waitForOperation', () => {
  const running = {name: `${PARENT}/operations/o`, done: false, metadata: {statusMessage: 'starting'}};
  const waiting = (answers: (() => unknown)[]) => {
    const clock = manualClock(60_000);
    const client = {getOperation: async () => (answers.shift() ?? (() => running))() as typeof running};
    const progress: string[] = [];
    const wait = (timeoutMs: number, signal = never) =>
      waitForOperation(client, running, {clock, timeoutMs, signal, onProgress: text => progress.push(text)});
    return {clock, progress, wait};
  };

  test('polls with growing pauses until it is done, and tells the progress once', async () => {
    const done = {...running, done: true};
    const {clock, progress, wait} = waiting([
      () => running,
      () => ({...running, metadata: {statusMessage: 'b'}}),
      () => done,
    ]);
    expect(await wait(10_000)).toBe(done);
    expect(progress).toEqual(['starting', 'b']);
    expect(clock.slept).toEqual([100, 140, expect.closeTo(196)]);
  });

  test('throws the error of the operation', async () => {
    const {wait} = waiting([() => ({...running, done: true, error: {code: 8, message: 'no address left'}})]);
    await expect(wait(10_000)).rejects.toMatchObject({code: 'RESOURCE_EXHAUSTED', message: 'no address left'});
  });

  test('a server that is away for a while is asked again; a refusal is not', async () => {
    await using server = await startFakeIdsServer();
    server.behaviour.instant = false;
    const client = createIdsClient({server: server.url});
    const started = await client.createEndpoint(PARENT, 'a', ENDPOINT);
    const clock = manualClock(60_000);
    server.behaviour.unavailable = 2;
    clock.onSleep = () => {
      if (clock.slept.length === 3) server.finishAll();
    };
    const operation = await waitForOperation(client, started, {clock, timeoutMs: 10_000, signal: never});
    expect(operation.done).toBe(true);
    server.operations.clear();
    const lost = waitForOperation(client, {...started, done: false}, {clock, timeoutMs: 10_000, signal: never});
    await expect(lost).rejects.toMatchObject({code: 'NOT_FOUND'});
  });

  test('ends after the timeout, and at once on an abort, saying what was going on', async () => {
    await expect(waiting([]).wait(3_000)).rejects.toMatchObject({
      why: 'timeout',
      message: expect.stringMatching(/within 3 s \(starting\)/),
    });
    const {clock, wait} = waiting([]);
    await expect(wait(3_000, AbortSignal.abort())).rejects.toMatchObject({why: 'aborted'});
    expect(clock.slept).toEqual([]);
  });
});

test('names of endpoints and networks', () => {
  expect(parseEndpointName(NAME)).toEqual({project: 'p', location: 'l', endpointId: 'a'});
  expect(parseEndpointName('a')).toBeUndefined();
  const full = 'projects/p/global/networks/n';
  for (const form of ['n', 'global/networks/n', full, `https://www.example.com/compute/v1/${full}`]) {
    expect(canonicalNetwork(form, 'p')).toBe(full);
  }
  expect(canonicalNetwork('projects/q/global/networks/n', 'p')).toBe('projects/q/global/networks/n');
  expect(canonicalNetwork('what/ever/else', 'p')).toBe('what/ever/else');
});
