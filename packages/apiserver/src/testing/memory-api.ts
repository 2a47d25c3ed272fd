// SPDX-License-Identifier: Apache-2.0
/**
 * A Kubernetes API on the memory store, with a clock and timers that a test moves, driven through its verbs: no sockets, no
 * HTTP, no authentication. A refusal is a reply, as it is on the wire.
 */
import {openMemoryStore} from '@palisade/store/memory';
import type {Answer} from '../answer/answer.ts';
import {answerInOwnForm} from '../answer/answer-form.ts';
import {mastersOnly} from '../authz/authorizer.ts';
import {StatusError} from '../base/status-error.ts';
import {decodeItem} from '../cache/cached-object.ts';
import {everyoneIsMaster, type UserInfo} from '../identity/authenticator.ts';
import type {KindDefinition, Verb} from '../kind/kind.ts';
import {createKubeApi, type KubeApi, type KubeApiOptions} from '../kube-api.ts';
import {parseQuery} from '../request/query.ts';
import {create} from '../verbs/create.ts';
import {deleteOne} from '../verbs/delete.ts';
import {deleteCollection} from '../verbs/delete-collection.ts';
import {get} from '../verbs/get.ts';
import {list} from '../verbs/list.ts';
import type {RequestContext} from '../verbs/object/request-context.ts';
import {patch} from '../verbs/patch.ts';
import {update} from '../verbs/update.ts';
import {ManualTime} from './manual-time.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into objects by path
export type Body = any;

/** `body`: the object, the list as `{items}`, or the Status. */
export type Reply = {readonly status: number; readonly body: Body; readonly warnings: readonly string[]};

export type MemoryApiOptions = Partial<KubeApiOptions> & Pick<KubeApiOptions, 'kinds'>;

type Sent = {
  readonly subresource?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly type?: string;
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
};

/** More than any work takes between two writes. */
const QUIET_TURNS = 20;
/** Far more than any test needs: whoever writes for so long never stops. */
const TURNS_MAX = 50_000;

const HANDLERS: Partial<Record<Verb, (context: RequestContext) => Answer | Promise<Answer>>> = {
  create, update, patch, get, list, delete: deleteOne, deletecollection: deleteCollection,
}; // biome-ignore format: one line

export class MemoryApi implements AsyncDisposable {
  readonly api: KubeApi;
  readonly time: ManualTime;

  private constructor(api: KubeApi, time: ManualTime) {
    this.api = api;
    this.time = time;
  }

  /** Started. Default mode: spec. */
  static async open(options: MemoryApiOptions): Promise<MemoryApi> {
    const time = new ManualTime();
    const store = options.store ?? (await openMemoryStore());
    const rest = {compat: 'spec', authenticator: everyoneIsMaster, authorizer: mastersOnly} as const;
    const api = createKubeApi({...rest, clock: time, timers: time, ...options, store});
    await api.start();
    return new MemoryApi(api, time);
  }

  /** `namespace`: '' for kinds without. */
  of(kind: KindDefinition, namespace = kind.namespaced ? 'default' : ''): Resource {
    return new Resource(this.api, kind, namespace, undefined);
  }

  /** Resolves when nothing has been written for some turns of the event loop: on this store work takes turns, never time. */
  async settle(): Promise<void> {
    const {cache} = this.api.services;
    let quiet = 0;
    for (let turn = 0; quiet < QUIET_TURNS; turn++) {
      if (turn > TURNS_MAX) throw new Error('the controllers never come to rest');
      const before = cache.revision;
      await new Promise(resolve => setImmediate(resolve));
      quiet = cache.revision === before ? quiet + 1 : 0;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.api.stop();
  }
}

/** The objects of a kind in a namespace, as a user sees them; default user: the server itself. */
export class Resource {
  readonly #api: KubeApi;
  readonly #user: UserInfo | undefined;
  readonly kind: KindDefinition;
  readonly namespace: string;

  constructor(api: KubeApi, kind: KindDefinition, namespace: string, user: UserInfo | undefined) {
    this.#api = api;
    this.kind = kind;
    this.namespace = namespace;
    this.#user = user;
  }

  in(namespace: string): Resource {
    return new Resource(this.#api, this.kind, namespace, this.#user);
  }

  as(name: string, ...groups: readonly string[]): Resource {
    return new Resource(this.#api, this.kind, this.namespace, {name, groups});
  }

  async send(verb: Verb, name: string, {subresource = '', query = {}, type, body}: Sent = {}): Promise<Reply> {
    const base = this.#api.contextFor(this.kind, this.namespace, this.#user);
    const bytes =
      typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.from(body) : Buffer.from(JSON.stringify(body) ?? '');
    const warnings: string[] = [];
    const context: RequestContext = {
      ...base,
      info: {...base.info, verb, name, subresource},
      query: parseQuery(new URLSearchParams(query).toString()),
      body: {contentType: type ?? 'application/json', read: async () => bytes},
      warn: text => warnings.push(text),
    };
    try {
      return {...replyOf(await (HANDLERS[verb] as (typeof HANDLERS)['get'] & object)(context)), warnings};
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return {status: error.code, body: error.status, warnings};
    }
  }

  post(metadata: object, content: object = {}, query?: Sent['query']): Promise<Reply> {
    return this.send('create', '', {body: {...content, metadata}, ...(query && {query})});
  }

  /** A new object, as it was answered. Throws when it is refused. */
  async make(metadata: object, content: object = {}): Promise<Body> {
    const {status, body} = await this.post(metadata, content);
    if (status !== 201) throw new Error(`${status} ${body.message}`);
    return body;
  }

  put(name: string, content: object, query?: Sent['query']): Promise<Reply> {
    return this.send('update', name, {body: {metadata: {name}, ...content}, ...(query && {query})});
  }

  /** `type`: merge, strategic-merge or json. */
  patch(name: string, type: string, body: unknown, query?: Sent['query']): Promise<Reply> {
    return this.send('patch', name, {body, type: `application/${type}-patch+json`, ...(query && {query})});
  }

  merge(name: string, metadata: object): Promise<Reply> {
    return this.patch(name, 'merge', {metadata});
  }

  apply(manager: string, name: string, content: object = {}, query: Sent['query'] = {}): Promise<Reply> {
    const {group, version, kind} = this.kind;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const body = {apiVersion, kind, metadata: {name}, ...content};
    const type = 'application/apply-patch+yaml';
    return this.send('patch', name, {body, type, query: {fieldManager: manager, ...query}});
  }

  remove(name: string, options: object = {}): Promise<Reply> {
    return this.send('delete', name, {body: options});
  }

  /** The stored object, or undefined. */
  async get(name: string): Promise<Body> {
    const {status, body} = await this.send('get', name);
    return status === 200 ? body : undefined;
  }

  async names(query: Sent['query'] = {}): Promise<readonly string[]> {
    return (await this.send('list', '', {query})).body.items.map((item: Body) => item.metadata.name);
  }

  /** An owner reference to an object of this kind. */
  refTo({name, uid}: {readonly name: string; readonly uid: string}, more: object = {}): object {
    const {group, version, kind} = this.kind;
    return {apiVersion: group === '' ? version : `${group}/${version}`, kind, name, uid, ...more};
  }
}

const replyOf = (stored: Answer): Omit<Reply, 'warnings'> => {
  const answer = answerInOwnForm(stored);
  if (answer.type === 'object') return {status: answer.code, body: decodeItem(answer.object)};
  if (answer.type === 'list') return {status: 200, body: {items: answer.slices.flat().map(decodeItem)}};
  if (answer.type === 'status') return {status: answer.code, body: answer.status};
  throw new Error(`no test looks at a ${answer.type}`);
};
