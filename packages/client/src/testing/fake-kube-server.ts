// SPDX-License-Identifier: Apache-2.0
/**
 * A small Kubernetes API server for tests of clients: Endpoints and EndpointGroups, no validation, just enough of create, get, strategic patch
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
  spec?: Json;
  status?: Json;
};

export type FakeKubeServer = JsonServer & {
  /** By `namespace/name`; tests change it to play other writers. */
  readonly objects: Map<string, FakeObject>;
  /** EndpointGroups, likewise. */
  readonly groups: Map<string, FakeObject>;
  readonly behaviour: {
    /** UID of the namespace kube-system, or the code of the refusal to read it. */
    identity: string | 403 | 404 | 503;
    /** Status of a group each time that it is answered: its controller. */
    status: (group: FakeObject) => Json;
    /** Refusal of every write of a group (422). */
    refusal: string | undefined;
    /** False: the server has no EndpointGroups. */
    hasGroups: boolean;
  };
};

export async function startFakeKubeServer(): Promise<FakeKubeServer> {
  const objects = new Map<string, FakeObject>();
  const groups = new Map<string, FakeObject>();
  const counter = {uid: 0, revision: 100};
  const behaviour: FakeKubeServer['behaviour'] = {
    identity: 404,
    status: () => ({ready: 0, total: 0}),
    refusal: undefined,
    hasGroups: true,
  };
  const server = await startJsonServer(request => {
    if (request.path === '/api/v1/namespaces/kube-system') return identity(behaviour);
    if (!request.path.startsWith(GROUPS)) return handle(request, objects, counter);
    if (!behaviour.hasGroups) return {status: 404, body: '404 page not found\n'};
    if (behaviour.refusal !== undefined && ['POST', 'PATCH'].includes(request.method))
      return failure(422, 'Invalid', behaviour.refusal);
    const answer = handle(request, groups, counter);
    const object = answer.body as FakeObject;
    return object.metadata?.uid === undefined
      ? answer
      : {...answer, body: {...object, status: behaviour.status(object)}};
  });
  return Object.assign(server, {objects, groups, behaviour});
}

const GROUPS = '/apis/platform.io/v1alpha1/';

const REFUSALS = {403: 'Forbidden', 404: 'NotFound', 503: 'ServiceUnavailable'} as const;

const identity = ({identity: uid}: FakeKubeServer['behaviour']): JsonAnswer =>
  typeof uid === 'string'
    ? {status: 200, body: {kind: 'Namespace', apiVersion: 'v1', metadata: {name: 'kube-system', uid}}}
    : failure(uid, REFUSALS[uid], 'namespaces "kube-system" cannot be read');

type Counter = {uid: number; revision: number};

function handle(request: RecordedRequest, objects: Map<string, FakeObject>, counter: Counter): JsonAnswer {
  const match = /\/namespaces\/([^/]+)\/endpoints?(?:groups)?(?:\/([^/]+))?$/.exec(request.path);
  if (match === null) return failure(404, 'NotFound', 'the server could not find the requested resource');
  const [, namespace = '', name] = match;
  const isDry = request.query.get('dryRun') === 'All';
  const stored = isDry ? new Map(structuredClone([...objects])) : objects;
  if (request.method === 'POST') return create(namespace, JSON.parse(request.body) as FakeObject, stored, counter);
  const key = `${namespace}/${name}`;
  const object = stored.get(key);
  if (object === undefined) return failure(404, 'NotFound', `endpoints "${name}" not found`);
  if (request.method === 'GET') return {status: 200, body: object};
  if (request.method === 'PATCH') return patch(key, object, JSON.parse(request.body) as Json, stored, counter);
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
      ...(draft.spec === undefined ? {} : {generation: 1}),
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

/** Replaces only: nobody here merges a spec. */
function setSpec(object: FakeObject, spec: Json | null): void {
  const {$patch, ...rest} = spec ?? {};
  object.spec = $patch === 'replace' || spec === null ? rest : {...object.spec, ...rest};
  object.metadata['generation'] = Number(object.metadata['generation'] ?? 0) + 1;
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
  if ('spec' in change) setSpec(object, change['spec'] as Json | null);
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
