// SPDX-License-Identifier: Apache-2.0
/** Sends each step to a server over TLS as its administrator, and returns what a client would notice. */
import type {IncomingMessage} from 'node:http';
import {Agent, request} from 'node:https';
import {createInterface} from 'node:readline';
import {TOKEN} from '../../bench/peers.ts';
import {Comparable} from './comparable.ts';
import {type Body, OWN_NAMESPACE, type Step, type Subject} from './steps.ts';

export type Answer = {readonly status: number; readonly warning: string; readonly type: string; readonly body: unknown};
type Raw = Omit<Answer, 'body'> & {readonly text: string};
export type Played = {
  readonly answers: readonly Answer[];
  /** Of a watch that was open meanwhile, and of one with a selector that came afterwards and asked for what it had missed. */
  readonly live: readonly unknown[];
  readonly missed: readonly unknown[];
};

const METHOD: Readonly<Record<Step['verb'], string>> = {
  create: 'POST',
  update: 'PUT',
  apply: 'PATCH',
  merge: 'PATCH',
  strategic: 'PATCH',
  json: 'PATCH',
  delete: 'DELETE',
  collect: 'DELETE',
  get: 'GET',
  list: 'GET',
};
const MEDIA_TYPE: Readonly<Partial<Record<Step['verb'], string>>> = {
  apply: 'application/apply-patch+yaml',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
};
const OF_THE_LIST: ReadonlySet<Step['verb']> = new Set(['create', 'collect', 'list']);

const HEADERS = {Authorization: `Bearer ${TOKEN}`, 'User-Agent': 'same/1'};
/** The object after whose event nothing more comes. */
const END = 'end';

export class Server {
  readonly #url: string;
  readonly #agent = new Agent({keepAlive: true, rejectUnauthorized: false});

  constructor(url: string) {
    this.#url = url;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** The document at the path. */
  async get(path: string): Promise<unknown> {
    const {status, text} = await this.#send('GET', path, {Accept: 'application/json'}, undefined);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return parsed(text);
  }

  /** All answers, in order, in a namespace that nobody else has. */
  async play(subject: Subject, namespace: string, steps: readonly Step[]): Promise<Played> {
    const made = await this.#make('/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {name: namespace},
    });
    const {all, scope} = placeOf(subject, namespace);
    const since = (await this.#present(all, subject)) ?? made;
    const comparable = new Comparable(JSON.stringify(steps), subject.chosen);
    const watch = await this.#watch(`${all}?watch=1&resourceVersion=${since}`);
    const last = new Map<string, Body>();
    const answers: Answer[] = [];
    for (const step of steps) {
      const at =
        step.apiVersion === undefined ? all : placeOf({...subject, apiVersion: step.apiVersion}, namespace).all;
      const sent = inNamespace(inScope(step, scope), namespace);
      const {text, ...answer} = await this.#step(at, sent, last.get(step.name));
      const body = parsed(text);
      if (isObject(body, subject)) last.set(step.name, body['metadata'] as Body);
      answers.push({...answer, body: comparable.of(body as never)});
    }
    const {apiVersion, kind, valid} = subject;
    const end = `${scope}${END}`;
    const marker = {apiVersion, kind, ...valid, metadata: {name: end, labels: {a: '1'}}};
    await this.#make(all, withNamespace(marker, namespace) as Body);
    const live = await eventsOf(watch, end);
    const missed = await eventsOf(
      await this.#watch(`${all}?watch=1&resourceVersion=${since}&labelSelector=a%3D1`),
      end,
    );
    if (scope !== '' || subject.own !== undefined) await this.#clean(all, scope);
    return {
      answers,
      live: comparable.of(live as never) as unknown[],
      missed: comparable.of(missed as never) as unknown[],
    };
  }

  /** Makes what only some servers make by themselves; returns the version of the last one. */
  async #present(all: string, {apiVersion, kind, present = []}: Subject): Promise<string | undefined> {
    let version: string | undefined;
    for (const name of present) {
      await this.#send('POST', all, {'Content-Type': 'application/json'}, {apiVersion, kind, metadata: {name}});
      const {text} = await this.#send('GET', `${all}/${name}`, {}, undefined);
      version = String((parsed(text) as {metadata: Body}).metadata['resourceVersion']);
    }
    return version;
  }

  /** Removes what no namespace takes with it, so that later lists are short, and what holds values of a later sequence. */
  async #clean(all: string, scope: string): Promise<void> {
    const {text} = await this.#send('GET', all, {Accept: 'application/json'}, undefined);
    for (const {metadata} of (parsed(text) as {items: {metadata: {name: string}}[]}).items) {
      if (!metadata.name.startsWith(scope)) continue;
      const path = `${all}/${metadata.name}`;
      const free = {metadata: {finalizers: null}};
      await this.#send('PATCH', path, {'Content-Type': 'application/merge-patch+json'}, free);
      await this.#send('DELETE', path, {}, undefined);
    }
  }

  /** Returns the version of what was created. */
  async #make(path: string, body: Body): Promise<string> {
    const {status, text} = await this.#send('POST', path, {'Content-Type': 'application/json'}, body);
    if (status !== 201) throw new Error(`${path}: ${status} ${text}`);
    return String((parsed(text) as {metadata: Body}).metadata['resourceVersion']);
  }

  /** Resolves when the server has taken the watch. */
  #watch(path: string): Promise<IncomingMessage> {
    return new Promise((done, fail) => {
      const sent = request(`${this.#url}${path}`, {rejectUnauthorized: false, agent: false, headers: HEADERS}, done);
      sent.once('error', fail);
      sent.end();
    });
  }

  #step(all: string, step: Step, last: Body | undefined): Promise<Raw> {
    const part = step.subresource === undefined ? '' : `/${step.subresource}`;
    const path = OF_THE_LIST.has(step.verb) ? all : `${all}/${step.name}${part}`;
    const query = new URLSearchParams(step.query).toString();
    const headers = {
      Accept: step.accept ?? 'application/json',
      ...(step.body !== undefined && {'Content-Type': MEDIA_TYPE[step.verb] ?? 'application/json'}),
    };
    return this.#send(METHOD[step.verb], query === '' ? path : `${path}?${query}`, headers, bodyOf(step, last));
  }

  #send(method: string, path: string, headers: Record<string, string>, body: unknown): Promise<Raw> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const length = {'Content-Length': String(Buffer.byteLength(text))}; // Node sends none of itself with a DELETE
    return new Promise((done, fail) => {
      const sent = request(
        `${this.#url}${path}`,
        {
          method,
          agent: this.#agent,
          headers: {...HEADERS, ...headers, ...length},
        },
        response => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => void chunks.push(chunk));
          response.once('error', fail);
          response.once('end', () =>
            done({
              status: response.statusCode ?? 0,
              warning: String(response.headers['warning'] ?? ''),
              type: String(response.headers['content-type'] ?? ''),
              text: Buffer.concat(chunks).toString(),
            }),
          );
        },
      );
      sent.once('error', fail);
      sent.end(text);
    });
  }
}

/** Up to the object of that name; the watch is left then. */
const eventsOf = async (watch: IncomingMessage, end: string): Promise<unknown[]> => {
  const events: unknown[] = [];
  for await (const line of createInterface({input: watch})) {
    const event = JSON.parse(line) as {object: {metadata?: Body}};
    events.push(event);
    if (event.object.metadata?.['name'] === end) break;
  }
  watch.destroy();
  return events;
};

const bodyOf = ({body, keeps}: Step, last: Body | undefined): unknown => {
  if (keeps === undefined || last === undefined) return body;
  const {resourceVersion, managedFields} = last;
  const kept = keeps === 'version' ? {resourceVersion} : {resourceVersion, managedFields};
  const {metadata, ...rest} = body as {metadata: Body};
  return {...rest, metadata: {...metadata, ...kept}};
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const isObject = (body: unknown, {kind}: Subject): body is Body => (body as Body | null)?.['kind'] === kind;

/** The path of the list, and what names begin with. */
const placeOf = (
  {apiVersion, resource, namespaced = true}: Subject,
  namespace: string,
): {all: string; scope: string} => {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespaced
    ? {all: `${root}/namespaces/${namespace}/${resource}`, scope: ''}
    : {all: `${root}/${resource}`, scope: `${namespace}-`};
};

const withNamespace = (body: unknown, namespace: string): unknown =>
  JSON.parse(JSON.stringify(body).replaceAll(OWN_NAMESPACE, namespace));

const inNamespace = (step: Step, namespace: string): Step =>
  step.body === undefined ? step : {...step, body: withNamespace(step.body, namespace)};

const inScope = (step: Step, scope: string): Step => {
  if (scope === '') return step;
  const {metadata, ...body} = (step.body ?? {}) as {metadata?: Body};
  const named = metadata?.['name'] === step.name ? {...metadata, name: `${scope}${step.name}`} : metadata;
  const isObjectBody = step.body !== undefined && !Array.isArray(step.body) && metadata !== undefined;
  return {...step, name: `${scope}${step.name}`, ...(isObjectBody && {body: {...body, metadata: named}})};
};
