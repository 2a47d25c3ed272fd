// SPDX-License-Identifier: Apache-2.0
/** A Kubernetes API on a socket for each test file, and a client that hides nothing: what came over the wire is what tests see. */
import {request as httpRequest, type IncomingHttpHeaders, type IncomingMessage} from 'node:http';
import {
  type Authenticator,
  type Authorizer,
  type Clock,
  type CompatMode,
  type ControllerFactory,
  everyoneIsMaster,
  type Fairness,
  type KindDefinition,
  type KindModule,
  type Limits,
  mastersOnly,
  type Random,
  systemClock,
  systemRandom,
  systemTimers,
  type Timers,
} from '@palisade/apiserver';
import {kubeModule} from '@palisade/kinds';
import type {Store} from '@palisade/store';
import {openMemoryStore} from '@palisade/store/memory';
import {serveKubeApi} from './serve.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies are JSON from outside; tests look into them by path
export type Body = any;

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly warnings: readonly string[];
  readonly text: string;
  readonly body: Body;
};

export type Sent = {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON, text and bytes as they are. */
  readonly body?: unknown;
};

export type WireOptions = {
  readonly compat?: CompatMode;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly timers?: Timers;
  readonly limits?: Partial<Limits>;
  readonly fairness?: Fairness;
  readonly store?: Store;
  /** In place of the product's without a prober. */
  readonly module?: KindModule;
  readonly kinds?: readonly KindDefinition[];
  readonly authenticator?: Authenticator;
  readonly authorizer?: Authorizer;
  readonly controllers?: readonly ControllerFactory[];
};

export const MERGE = 'application/merge-patch+json';
export const STRATEGIC = 'application/strategic-merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';
export const APPLY = 'application/apply-patch+yaml';

/** The texts of Warning headers, without code and quotes. */
const warningsOf = (response: IncomingMessage): string[] => {
  const found: string[] = [];
  for (let i = 0; i < response.rawHeaders.length; i += 2) {
    if (response.rawHeaders[i]?.toLowerCase() !== 'warning') continue;
    found.push(
      (response.rawHeaders[i + 1] ?? '')
        .replace(/^299 - "/, '')
        .replace(/"$/, '')
        .replace(/\\(["\\])/g, '$1'),
    );
  }
  return found;
};

const parseBody = (text: string, headers: IncomingHttpHeaders): Body =>
  headers['content-type']?.startsWith('application/json') && text !== '' ? JSON.parse(text) : undefined;

const open = (url: string, method: string, path: string, sent: Sent): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const query = sent.query === undefined ? '' : `?${new URLSearchParams(sent.query)}`;
    const data =
      sent.body === undefined
        ? undefined
        : typeof sent.body === 'string' || Buffer.isBuffer(sent.body)
          ? sent.body
          : JSON.stringify(sent.body);
    const headers: Record<string, string> = {
      accept: 'application/json',
      'user-agent': 'wire-test/1.0',
      ...(data === undefined
        ? {}
        : {'content-type': 'application/json', 'content-length': String(Buffer.byteLength(data))}),
      ...sent.headers,
    };
    const request = httpRequest(url + path + query, {method, headers}, resolve);
    request.on('error', reject);
    request.end(data);
  });

export class WireClient {
  readonly url: string;
  constructor(url: string) {
    this.url = url;
  }

  async send(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const response = await open(this.url, method, path, sent);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      warnings: warningsOf(response),
      text,
      body: parseBody(text, response.headers),
    };
  }

  /** Opens a watch; events come in order through `next`. */
  async watch(
    path: string,
    query: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<WireWatch> {
    return new WireWatch(await open(this.url, 'GET', path, {query: {watch: '1', ...query}, headers}));
  }
}

export class WireWatch {
  readonly response: IncomingMessage;
  readonly #lines: AsyncGenerator<Body>;
  constructor(response: IncomingMessage) {
    this.response = response;
    this.#lines = linesOf(response);
  }

  /** The next event, or undefined when the server has ended the stream. */
  async next(): Promise<Body> {
    return (await this.#lines.next()).value;
  }

  /** The next events, as `TYPE name`. */
  async take(count: number): Promise<string[]> {
    const found: string[] = [];
    for (let i = 0; i < count; i++) {
      const event = await this.next();
      found.push(`${event.type} ${event.object.metadata.name}`);
    }
    return found;
  }

  close(): void {
    this.response.destroy();
  }
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<Body> {
  let rest = '';
  try {
    for await (const chunk of response) {
      rest += (chunk as Buffer).toString('utf8');
      for (let at = rest.indexOf('\n'); at >= 0; at = rest.indexOf('\n')) {
        yield JSON.parse(rest.slice(0, at));
        rest = rest.slice(at + 1);
      }
    }
  } catch (error) {
    if ((error as {code?: string}).code !== 'ECONNRESET' && !response.destroyed) throw error;
  }
}

export type Wire = AsyncDisposable & WireClient;

const NAMESPACES = ['one', 'two'];

/** Real, but waits of up to 8 s take 5 ms, for tests of what comes after them. Longer waits limit a request, and remain. */
export const hastyTimers: Timers = {
  ...systemTimers,
  after: (delayMs, action) => systemTimers.after(delayMs > 8_000 ? delayMs : Math.min(delayMs, 5), action),
};

/** A fresh server with the namespaces `one` and `two`. */
export const startWire = async (options: WireOptions = {}): Promise<Wire> => {
  const module = options.module ?? kubeModule;
  const served = await serveKubeApi({
    store: options.store ?? (await openMemoryStore()),
    kinds: options.kinds ?? module.kinds,
    bootstraps: module.bootstraps,
    compat: options.compat ?? 'spec',
    authenticator: options.authenticator ?? everyoneIsMaster,
    authorizer: options.authorizer ?? mastersOnly,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    timers: options.timers,
    limits: options.limits,
    fairness: options.fairness,
    controllers: [...module.controllers, ...(options.controllers ?? [])],
  });
  const client = new WireClient(served.url) as WireClient & Partial<AsyncDisposable>;
  for (const name of NAMESPACES) await client.send('POST', '/api/v1/namespaces', {body: {metadata: {name}}});
  client[Symbol.asyncDispose] = () => served[Symbol.asyncDispose]();
  return client as Wire;
};

export const ENDPOINTS = '/api/v1/namespaces/one/endpoints';

let serial = 0;
/** A name that no other test uses. */
export const freshName = (): string => `n${serial++}`;

export type Subset = Record<string, unknown>;

/** An Endpoints body. */
export const endpoints = (name: string, subsets?: readonly Subset[], metadata: Record<string, unknown> = {}): Body => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: {name, ...metadata},
  ...(subsets === undefined ? {} : {subsets}),
});

/** One ready address and one port; `address` and `port` lie over these. */
export const subset = (address: Record<string, unknown> = {}, port: Record<string, unknown> = {}): Subset => ({
  addresses: [{ip: '10.0.0.1', ...address}],
  ports: [{port: 80, ...port}],
});

/** Paths of the causes of a refusal. */
export const fields = (answer: Answer): string[] =>
  (answer.body?.details?.causes ?? []).map((cause: Body) => cause.field);

/** The store as a server sees it that must not close it: for tests that start a second server over the same data. */
export const keepOpen = (store: Store): Store => ({
  currentRevision: () => store.currentRevision(),
  get: (key, at) => store.get(key, at),
  list: (prefix, page) => store.list(prefix, page),
  put: (key, value, expected) => store.put(key, value, expected),
  delete: (key, expected) => store.delete(key, expected),
  txn: ops => store.txn(ops),
  watch: (prefix, from, signal) => store.watch(prefix, from, signal),
  compact: below => store.compact(below),
  compactedRevision: () => store.compactedRevision(),
  close: async () => {},
  [Symbol.asyncDispose]: async () => {},
});
