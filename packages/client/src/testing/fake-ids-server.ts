// SPDX-License-Identifier: Apache-2.0
/**
 * A small Cloud IDS API for tests of clients: operations end when the test lets them. No validation; the real behaviour is proved
 * against the product's own server.
 */
import {type JsonAnswer, type JsonServer, type RecordedRequest, startJsonServer} from './json-server.ts';

type Json = Record<string, unknown>;
type FakeOperation = Json & {name: string; done: boolean};

export type FakeIdsServer = JsonServer & {
  readonly endpoints: Map<string, Json>;
  readonly operations: Map<string, FakeOperation>;
  readonly behaviour: {
    /** Operations are done when they are answered. */
    instant: boolean;
    /** The next creations fail with this message. */
    failCreates: string | undefined;
    /** The status message of operations that succeeded. */
    warning: string | undefined;
    /** So many of the next requests are answered 503. */
    unavailable: number;
    /** What the server tells when it is asked for locations; creations are taken everywhere. Undefined: nothing is known of them. */
    locations: readonly string[] | undefined;
    /** So many at most in one page, whatever is asked for. */
    locationsPerPage: number;
    /** What it says of itself; undefined: it knows no such path, as Cloud IDS. */
    serverUid: string | undefined;
  };
  /** Ends every running operation. */
  finishAll(): void;
};

export async function startFakeIdsServer(): Promise<FakeIdsServer> {
  const state: State = {
    endpoints: new Map(),
    operations: new Map(),
    finishers: new Map(),
    requestIds: new Map(),
    behaviour: {
      instant: true,
      failCreates: undefined,
      warning: undefined,
      unavailable: 0,
      locations: undefined,
      locationsPerPage: 1_000,
      serverUid: undefined,
    },
    tick: 0,
  };
  const server = await startJsonServer(request => handle(request, state));
  return Object.assign(server, {
    endpoints: state.endpoints,
    operations: state.operations,
    behaviour: state.behaviour,
    finishAll: () => {
      for (const finish of state.finishers.values()) finish();
      state.finishers.clear();
    },
  });
}

type State = {
  readonly endpoints: Map<string, Json>;
  readonly operations: Map<string, FakeOperation>;
  readonly finishers: Map<string, () => void>;
  readonly requestIds: Map<string, {content: string; operation: FakeOperation}>;
  readonly behaviour: FakeIdsServer['behaviour'];
  tick: number;
};

function handle(request: RecordedRequest, state: State): JsonAnswer {
  if (state.behaviour.unavailable > 0) {
    state.behaviour.unavailable -= 1;
    return failure(503, 'UNAVAILABLE', 'try again later');
  }
  const {serverUid} = state.behaviour;
  if (request.path === '/v1/server' && serverUid !== undefined) return ok({uid: serverUid});
  const name = request.path.replace(/^\/v1\//, '');
  if (request.method === 'POST' && name.endsWith('/endpoints')) return create(name, request, state);
  if (name.includes('/operations/')) {
    const operation = state.operations.get(name);
    return operation === undefined ? failure(404, 'NOT_FOUND', `Resource '${name}' was not found`) : ok(operation);
  }
  const place = /^(projects\/[^/]+)\/locations(?:\/([^/]+))?$/.exec(name);
  if (place !== null) return locationAnswer(request, place[1] ?? '', place[2], state.behaviour);
  const endpoint = state.endpoints.get(name);
  if (endpoint === undefined) return failure(404, 'NOT_FOUND', `Resource '${name}' was not found`);
  if (request.method === 'GET') return ok(endpoint);
  if (endpoint['state'] !== 'READY') return failure(409, 'ABORTED', 'unable to queue the operation');
  if (request.method === 'DELETE') {
    endpoint['state'] = 'DELETING';
    return ok(start(state, name, () => void state.endpoints.delete(name)));
  }
  const mask = (request.query.get('updateMask') ?? '').split(',');
  const body = JSON.parse(request.body) as Json;
  endpoint['state'] = 'UPDATING';
  return ok(
    start(state, name, () => {
      for (const field of mask) {
        if (body[field] === undefined) delete endpoint[field];
        else endpoint[field] = body[field];
      }
      endpoint['state'] = 'READY';
      endpoint['updateTime'] = timeOf(state);
    }),
  );
}

function locationAnswer(
  {query}: RecordedRequest,
  project: string,
  asked: string | undefined,
  {locations: known, locationsPerPage}: FakeIdsServer['behaviour'],
): JsonAnswer {
  const locations = (known ?? []).map(id => ({name: `${project}/locations/${id}`, locationId: id}));
  if (asked === undefined) {
    const from = Number(query.get('pageToken') ?? 0);
    const to = from + locationsPerPage;
    const more = to < locations.length ? {nextPageToken: String(to)} : {};
    return known === undefined
      ? failure(404, 'NOT_FOUND', 'no such method')
      : ok({locations: locations.slice(from, to), ...more});
  }
  const found = locations.find(({locationId}) => locationId === asked);
  return found === undefined ? failure(404, 'NOT_FOUND', `Location '${asked}' was not found`) : ok(found);
}

function create(collection: string, request: RecordedRequest, state: State): JsonAnswer {
  const name = `${collection}/${request.query.get('endpointId')}`;
  const requestId = request.query.get('requestId') ?? '';
  const content = `${name} ${request.body}`;
  const known = state.requestIds.get(requestId);
  if (known !== undefined) {
    if (known.content === content) return ok(known.operation);
    return failure(400, 'INVALID_ARGUMENT', 'request_id was used for another request');
  }
  if (state.endpoints.has(name)) return failure(409, 'ALREADY_EXISTS', `Resource '${name}' already exists`);
  const message = state.behaviour.failCreates;
  const endpoint: Json = {...(JSON.parse(request.body) as Json), name, state: 'CREATING', createTime: timeOf(state)};
  state.endpoints.set(name, endpoint);
  const operation = start(state, name, done => {
    if (message !== undefined) {
      state.endpoints.delete(name);
      done['error'] = {code: 8, message};
      return;
    }
    const id = String(state.tick);
    Object.assign(endpoint, {state: 'READY', endpointIp: `10.77.0.${id}`, updateTime: timeOf(state)});
    endpoint['endpointForwardingRule'] = `https://host/compute/v1/projects/t/regions/r/forwardingRules/ids-fr-${id}`;
  });
  state.requestIds.set(requestId, {content, operation});
  return ok(operation);
}

function start(state: State, target: string, finish: (operation: FakeOperation) => void): FakeOperation {
  state.tick += 1;
  const location = target.split('/endpoints/')[0];
  const operation: FakeOperation = {
    name: `${location}/operations/operation-${state.tick}`,
    done: false,
    metadata: {target, statusMessage: 'starting the sensor'},
  };
  state.operations.set(operation.name, operation);
  const end = () => {
    finish(operation);
    operation.done = true;
    operation['metadata'] = {target, ...(state.behaviour.warning && {statusMessage: state.behaviour.warning})};
  };
  if (state.behaviour.instant) end();
  else state.finishers.set(operation.name, end);
  return operation;
}

const timeOf = (state: State): string => new Date(Date.UTC(2025, 0, 1) + ++state.tick * 1000).toISOString();
const ok = (body: unknown): JsonAnswer => ({status: 200, body});
const failure = (code: number, status: string, message: string): JsonAnswer => ({
  status: code,
  body: {error: {code, status, message}},
});
