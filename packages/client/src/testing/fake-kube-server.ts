// SPDX-License-Identifier: Apache-2.0
/**
 * A small Kubernetes API server for tests of clients: Endpoints only, no validation, just enough of create, get, strategic patch
 * and delete to see what a client sends. The real behaviour is proved against the product's own server.
 */
import {type JsonAnswer, type JsonServer, type RecordedRequest, startJsonServer} from './json-server.ts';

type Json = Record<string, unknown>;
export type FakeObject = {
  metadata: Json & {
    name: string;
    uid: string;
    labels?: Json;
    annotations?: Json;
    finalizers?: string[];
    ownerReferences?: Json[];
    deletionTimestamp?: string;
  };
  subsets?: Json[];
};

export type FakeKubeServer = JsonServer & {
  /** By `namespace/name`; tests change it to play other writers. */
  readonly objects: Map<string, FakeObject>;
  readonly behaviour: {
    /** UID of the namespace kube-system, or the code of the refusal to read it. */
    identity: string | 403 | 404 | 503;
  };
};

export async function startFakeKubeServer(): Promise<FakeKubeServer> {
  const objects = new Map<string, FakeObject>();
  const counter = {uid: 0, revision: 100};
  const behaviour: FakeKubeServer['behaviour'] = {identity: 404};
  const server = await startJsonServer(request =>
    request.path === '/api/v1/namespaces/kube-system' ? identity(behaviour) : handle(request, objects, counter),
  );
  return Object.assign(server, {objects, behaviour});
}

const REFUSALS = {403: 'Forbidden', 404: 'NotFound', 503: 'ServiceUnavailable'} as const;

const identity = ({identity: uid}: FakeKubeServer['behaviour']): JsonAnswer =>
  typeof uid === 'string'
    ? {status: 200, body: {kind: 'Namespace', apiVersion: 'v1', metadata: {name: 'kube-system', uid}}}
    : failure(uid, REFUSALS[uid], 'namespaces "kube-system" cannot be read');

type Counter = {uid: number; revision: number};

function handle(request: RecordedRequest, objects: Map<string, FakeObject>, counter: Counter): JsonAnswer {
  const match = /^\/api\/v1\/namespaces\/([^/]+)\/endpoints(?:\/([^/]+))?$/.exec(request.path);
  if (match === null) return failure(404, 'NotFound', 'the server could not find the requested resource');
  const [, namespace = '', name] = match;
  if (request.method === 'POST') return create(namespace, JSON.parse(request.body) as FakeObject, objects, counter);
  const key = `${namespace}/${name}`;
  const object = objects.get(key);
  if (object === undefined) return failure(404, 'NotFound', `endpoints "${name}" not found`);
  if (request.method === 'GET') return {status: 200, body: object};
  if (request.method === 'PATCH') return patch(key, object, JSON.parse(request.body) as Json, objects, counter);
  if (request.method === 'DELETE') return remove(key, object, request, objects);
  return failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
}

function create(namespace: string, draft: FakeObject, objects: Map<string, FakeObject>, counter: Counter): JsonAnswer {
  counter.uid += 1;
  const prefix = draft.metadata['generateName'];
  const name = draft.metadata.name ?? `${String(prefix)}${String(counter.uid).padStart(5, 'x')}`;
  const key = `${namespace}/${name}`;
  if (objects.has(key)) return failure(409, 'AlreadyExists', `endpoints "${name}" already exists`);
  const object: FakeObject = {
    ...draft,
    metadata: {
      ...draft.metadata,
      name,
      namespace,
      uid: `uid-${counter.uid}`,
      creationTimestamp: '2025-01-02T03:04:05Z',
      resourceVersion: String(++counter.revision),
    },
  };
  setSubsets(object, draft.subsets);
  objects.set(key, object);
  return {status: 201, body: object};
}

/** Stored as sent, with the default protocol; nothing at all when empty. */
function setSubsets(object: FakeObject, subsets: Json[] | null | undefined): void {
  if (subsets === null || subsets === undefined || subsets.length === 0) {
    delete object.subsets;
    return;
  }
  object.subsets = subsets.map(subset => {
    const ports = subset['ports'] as Json[] | undefined;
    return ports === undefined ? subset : {...subset, ports: ports.map(port => ({protocol: 'TCP', ...port}))};
  });
}

/** The last finalizer of an object that is being deleted takes it along, as on a real server. */
function patch(
  key: string,
  object: FakeObject,
  change: Json,
  objects: Map<string, FakeObject>,
  counter: Counter,
): JsonAnswer {
  const metadata = (change['metadata'] ?? {}) as Json;
  if (metadata['uid'] !== undefined && metadata['uid'] !== object.metadata.uid) {
    return failure(422, 'Invalid', 'metadata.uid: Invalid value: field is immutable');
  }
  for (const field of ['labels', 'annotations'] as const) {
    const merged = {...object.metadata[field]};
    for (const [name, value] of Object.entries((metadata[field] ?? {}) as Json)) {
      if (value === null) delete merged[name];
      else merged[name] = value;
    }
    object.metadata[field] = merged;
  }
  const dropped = (metadata['$deleteFromPrimitiveList/finalizers'] ?? []) as string[];
  const kept = (object.metadata.finalizers ?? []).filter(finalizer => !dropped.includes(finalizer));
  object.metadata.finalizers = [...kept, ...((metadata['finalizers'] ?? []) as string[])];
  for (const owner of (metadata['ownerReferences'] ?? []) as Json[]) {
    const others = (object.metadata.ownerReferences ?? []).filter(known => known['uid'] !== owner['uid']);
    object.metadata.ownerReferences = owner['$patch'] === 'delete' ? others : [...others, owner];
  }
  if ('subsets' in change) setSubsets(object, change['subsets'] as Json[] | null);
  object.metadata['resourceVersion'] = String(++counter.revision);
  if (object.metadata.deletionTimestamp !== undefined && object.metadata.finalizers.length === 0) objects.delete(key);
  return {status: 200, body: object};
}

function remove(
  key: string,
  object: FakeObject,
  request: RecordedRequest,
  objects: Map<string, FakeObject>,
): JsonAnswer {
  const {preconditions} = JSON.parse(request.body || '{}') as {preconditions?: {uid?: string}};
  if (preconditions?.uid !== undefined && preconditions.uid !== object.metadata.uid) {
    return failure(409, 'Conflict', 'the UID in the precondition does not match the UID in record');
  }
  if ((object.metadata.finalizers ?? []).length > 0) {
    object.metadata.deletionTimestamp = '2025-01-02T03:04:06Z';
    return {status: 200, body: object};
  }
  objects.delete(key);
  return {status: 200, body: {kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success'}};
}

const failure = (code: number, reason: string, message: string): JsonAnswer => ({
  status: code,
  body: {kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message, details: {}},
});
