// SPDX-License-Identifier: Apache-2.0
/**
 * A typed client of any Kubernetes API server. Every method throws KubeError for a refusal and TransportError for no answer.
 * Nothing is retried here but a stale connection; callers know what is safe.
 */
import type {HttpRequest, Transport} from '../http/contract.ts';
import {KubeError, statusOf, toKubeError} from './kube-error.ts';
import type {Endpoints, KubeList, KubeObject, Namespace, WatchEvent, WatchEventType} from './objects.ts';
import {warningTexts} from './warnings.ts';

/** Of an answer that is not what was asked for. */
const EXCERPT_CHARACTERS = 100;

export type PatchType = 'merge' | 'strategic' | 'json' | 'apply';
const PATCH_MEDIA: Readonly<Record<PatchType, string>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** Called with each warning of the answer, also of a refusal. */
export type OnWarning = (text: string) => void;

export type WriteOptions = {
  readonly fieldManager?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore' | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onWarning?: OnWarning | undefined;
};
export type PatchOptions = WriteOptions & {readonly force?: boolean | undefined};
export type DeleteOptions = {
  /** Delete only the object with this uid, else a Conflict. */
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onWarning?: OnWarning | undefined;
};
export type ListOptions = {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  /** Only apiVersion, kind and metadata of each object, where the server can answer so. */
  readonly metadataOnly?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
};
export type WatchOptions = Pick<ListOptions, 'labelSelector' | 'fieldSelector' | 'resourceVersion' | 'signal'> & {
  readonly bookmarks?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
};

/** One kind. `namespace` is '' for all namespaces (list, watch) and for kinds without one. */
export interface ResourceClient<T extends KubeObject> {
  get(namespace: string, name: string, options?: {readonly signal?: AbortSignal | undefined}): Promise<T>;
  /** One page. */
  list(namespace: string, options?: ListOptions): Promise<KubeList<T>>;
  create(namespace: string, object: T, options?: WriteOptions): Promise<T>;
  replace(namespace: string, object: T, options?: WriteOptions): Promise<T>;
  patch(namespace: string, name: string, type: PatchType, patch: unknown, options?: PatchOptions): Promise<T>;
  /** The object when it is still there (finalizers, grace), undefined when it is gone. */
  delete(namespace: string, name: string, options?: DeleteOptions): Promise<T | undefined>;
  /** Events until the server ends the watch or `signal` aborts (TransportError `aborted`). An ERROR event throws its Status. */
  watch(namespace: string, options?: WatchOptions): AsyncGenerator<WatchEvent<T>>;
}

/** A kind by what its path and its bodies need. `group` is '' for the core group. */
export type ResourceType = {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
};

export interface KubeClient {
  readonly server: string;
  readonly endpoints: ResourceClient<Endpoints>;
  readonly namespaces: ResourceClient<Namespace>;
  /** Any kind, of any group. */
  resource<T extends KubeObject>(type: ResourceType): ResourceClient<T>;
  /** Any GET below the server's address, decoded. */
  getJson(path: string, signal?: AbortSignal): Promise<unknown>;
  /** Lines of an answer that may last: the longest silence of the server is `silenceMs`. Empty lines are left out. */
  getLines(path: string, options: Pick<HttpRequest, 'query' | 'silenceMs' | 'signal'>): AsyncGenerator<string>;
  /** The answer to a POST without a body, in the pieces that arrive. */
  postForBytes(path: string, options: Pick<HttpRequest, 'query' | 'silenceMs' | 'signal'>): AsyncGenerator<Uint8Array>;
  close(): void;
}

/** The client over any transport; `server` is what messages call the server. */
export function kubeClientOver(transport: Transport, server: string): KubeClient {
  const resource = <T extends KubeObject>(type: ResourceType) => createResourceClient<T>(transport, type);
  const core = {group: '', version: 'v1'};
  return {
    server,
    endpoints: resource<Endpoints>({...core, plural: 'endpoints', kind: 'Endpoints', namespaced: true}),
    namespaces: resource<Namespace>({...core, plural: 'namespaces', kind: 'Namespace', namespaced: false}),
    resource,
    getJson: (path, signal) => sendJson(transport, {method: 'GET', path, signal}),
    getLines: (path, options) => readLinesOf(transport, {method: 'GET', path, ...options}),
    postForBytes: (path, options) => readBytesOf(transport, {method: 'POST', path, ...options}),
    close: () => transport.close(),
  };
}

async function* readLinesOf(transport: Transport, request: HttpRequest): AsyncGenerator<string> {
  const {lines, ...head} = await transport.open(request);
  if (head.status >= 300) {
    const body: string[] = [];
    for await (const line of lines) body.push(line);
    throw toKubeError({...head, body: body.join('\n')}, `${request.method} ${request.path}`);
  }
  for await (const line of lines) if (line !== '') yield line;
}

async function* readBytesOf(transport: Transport, request: HttpRequest): AsyncGenerator<Uint8Array> {
  const {bytes, ...head} = await transport.openBytes(request);
  if (head.status >= 300) {
    const decoder = new TextDecoder();
    let body = '';
    for await (const piece of bytes) body += decoder.decode(piece, {stream: true});
    throw toKubeError({...head, body: body + decoder.decode()}, `${request.method} ${request.path}`);
  }
  yield* bytes;
}

async function sendJson(transport: Transport, request: HttpRequest, onWarning?: OnWarning): Promise<unknown> {
  const answer = await transport.send(request);
  if (onWarning !== undefined) for (const text of warningTexts(answer.headers['warning'])) onWarning(text);
  if (answer.status >= 300) throw toKubeError(answer, `${request.method} ${request.path}`);
  try {
    return JSON.parse(answer.body);
  } catch (cause) {
    const excerpt = answer.body.slice(0, EXCERPT_CHARACTERS);
    throw new KubeError(
      {code: answer.status, reason: '', message: `the answer is not JSON: ${excerpt}`, causes: []},
      {cause},
    );
  }
}

type GroupVersion = Pick<ResourceType, 'group' | 'version'>;

/** `v1`, `rbac.authorization.k8s.io/v1`. */
export const apiVersionOf = ({group, version}: GroupVersion): string =>
  group === '' ? version : `${group}/${version}`;

/** `/api/v1`, `/apis/rbac.authorization.k8s.io/v1`. */
export const groupPath = (of: GroupVersion): string => `/${of.group === '' ? 'api' : 'apis'}/${apiVersionOf(of)}`;

/** What a server that knows no metadata-only lists may answer instead stands last. Ref: meta/v1 PartialObjectMetadataList. */
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json';

function createResourceClient<T extends KubeObject>(transport: Transport, kind: ResourceType): ResourceClient<T> {
  const send = (request: HttpRequest, onWarning?: OnWarning) => sendJson(transport, request, onWarning) as Promise<T>;
  const write = (options: Pick<WriteOptions, 'signal' | 'onWarning'> | undefined, request: HttpRequest) =>
    send({...request, signal: options?.signal}, options?.onWarning);
  const apiVersion = apiVersionOf(kind);
  const root = groupPath(kind);
  const path = (namespace: string, name?: string): string => {
    const scope = kind.namespaced && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
    return `${root}${scope}/${kind.plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
  };
  const body = (object: T): string => JSON.stringify({apiVersion, kind: kind.kind, ...object});
  return {
    get: (namespace, name, options) => send({method: 'GET', path: path(namespace, name), signal: options?.signal}),
    list: (namespace, options) =>
      sendJson(transport, {
        method: 'GET',
        path: path(namespace),
        query: listQuery(options),
        ...(options?.metadataOnly ? {headers: {accept: METADATA_LIST}} : {}),
        signal: options?.signal,
      }) as Promise<KubeList<T>>,
    create: (namespace, object, options) =>
      write(options, {method: 'POST', path: path(namespace), body: body(object), query: writeQuery(options)}),
    replace: (namespace, object, options) =>
      write(options, {
        method: 'PUT',
        path: path(namespace, object.metadata?.name ?? ''),
        body: body(object),
        query: writeQuery(options),
      }),
    patch: (namespace, name, type, patch, options) =>
      write(options, {
        method: 'PATCH',
        path: path(namespace, name),
        headers: {'content-type': PATCH_MEDIA[type]},
        body: JSON.stringify(patch),
        query: {...writeQuery(options), force: options?.force === undefined ? undefined : String(options.force)},
      }),
    delete: async (namespace, name, options) => {
      const answer = await write(options, {
        method: 'DELETE',
        path: path(namespace, name),
        body: JSON.stringify(deleteBody(options)),
      });
      return statusOf(answer) === undefined ? answer : undefined;
    },
    watch: (namespace, options) => watchResource<T>(transport, path(namespace), options ?? {}),
  };
}

function writeQuery(options: WriteOptions | undefined): Record<string, string | undefined> {
  return {
    fieldManager: options?.fieldManager,
    dryRun: options?.dryRun ? 'All' : undefined,
    fieldValidation: options?.fieldValidation,
  };
}

function listQuery(options: ListOptions | undefined): Record<string, string | undefined> {
  return {
    labelSelector: options?.labelSelector,
    fieldSelector: options?.fieldSelector,
    limit: options?.limit === undefined ? undefined : String(options.limit),
    continue: options?.continue,
    resourceVersion: options?.resourceVersion,
  };
}

function deleteBody(options: DeleteOptions | undefined): object {
  const preconditions = {
    ...(options?.uid === undefined ? {} : {uid: options.uid}),
    ...(options?.resourceVersion === undefined ? {} : {resourceVersion: options.resourceVersion}),
  };
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(Object.keys(preconditions).length === 0 ? {} : {preconditions}),
    ...(options?.gracePeriodSeconds === undefined ? {} : {gracePeriodSeconds: options.gracePeriodSeconds}),
    ...(options?.propagationPolicy === undefined ? {} : {propagationPolicy: options.propagationPolicy}),
  };
}

async function* watchResource<T extends KubeObject>(
  transport: Transport,
  path: string,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const query = {
    ...listQuery(options),
    watch: 'true',
    allowWatchBookmarks: options.bookmarks ? 'true' : undefined,
    timeoutSeconds: options.timeoutSeconds === undefined ? undefined : String(options.timeoutSeconds),
  };
  const stream = await transport.open({method: 'GET', path, query, signal: options.signal});
  if (stream.status >= 300) {
    const lines: string[] = [];
    for await (const line of stream.lines) lines.push(line);
    throw toKubeError({status: stream.status, headers: stream.headers, body: lines.join('\n')}, `GET ${path}`);
  }
  for await (const line of stream.lines) {
    const {type, object} = eventOf<T>(line, stream.status);
    if (type === 'ERROR') {
      throw new KubeError(statusOf(object) ?? {code: 0, reason: '', message: `the watch failed: ${line}`, causes: []});
    }
    yield {type, object};
  }
}

/** Throws KubeError for a line that is no event: any program may listen where a server is expected. */
function eventOf<T>(line: string, status: number): {readonly type: WatchEventType | 'ERROR'; readonly object: T} {
  let event: Partial<WatchEvent<T & KubeObject>> | null = null;
  try {
    event = JSON.parse(line);
  } catch {}
  if (typeof event?.type === 'string' && typeof event.object === 'object' && event.object !== null)
    return event as {type: WatchEventType; object: T & KubeObject};
  const message = `the watch has a line that is no event: ${line.slice(0, EXCERPT_CHARACTERS)}`;
  throw new KubeError({code: status, reason: '', message, causes: []});
}
