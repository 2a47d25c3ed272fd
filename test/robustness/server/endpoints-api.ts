// SPDX-License-Identifier: Apache-2.0
/** Endpoints as the keys of a registry: what a client asks for, and what it was answered, in the words of the record. */
import type {Answer, Call, KvRecord, Request, Step, Version} from '../suite/kv/record.ts';
import type {Connections, Response} from './http.ts';

export const PATH = '/api/v1/namespaces/default/endpoints';
const PAGE = 7;
const JSON_TYPE = 'application/json';

export type WireObject = {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
};

/** As many addresses as follow from the id. */
const subsetsOf = (id: string): unknown => {
  const count = 1 + ((id.codePointAt(id.length - 1) ?? 0) % 9);
  const addresses = Array.from({length: count}, (_, i) => ({ip: `10.0.${id.length}.${i + 1}`}));
  return [{addresses, ports: [{name: 'http', port: 80}]}];
};
const bodyOf = (name: string, id: string, resourceVersion?: string): unknown => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: {name, annotations: {id}, ...(resourceVersion === undefined ? {} : {resourceVersion})},
  subsets: subsetsOf(id),
});

export const versionOf = ({metadata}: WireObject): Version => ({
  key: metadata.name,
  id: metadata.annotations?.['id'] ?? '',
  revision: Number(metadata.resourceVersion),
});

/** The id in a stored object, or undefined where it is not whole. A patch changes the id alone. */
export const idIn = (json: string): string | undefined => {
  try {
    return (JSON.parse(json) as WireObject).metadata.annotations?.['id'];
  } catch {
    return undefined;
  }
};

/** Writes and reads of one client, each in the record with its answer. */
export class EndpointsApi {
  readonly #connections: Connections;
  readonly #record: KvRecord;
  readonly #answered: () => void;

  constructor(connections: Connections, record: KvRecord, answered: () => void) {
    this.#connections = connections;
    this.#record = record;
    this.#answered = answered;
  }

  create(client: string, key: string, id: string): Promise<Call> {
    return this.#write(client, {op: 'put', key, id, expected: 0}, () =>
      this.#connections.ask('POST', PATH, {type: JSON_TYPE, value: bodyOf(key, id)}),
    );
  }

  /**
   * Without `expected`: whatever is there. An absent one is created in any case: the version is not compared then.
   * Ref: kubernetes v1.36 apiserver/pkg/registry/generic/registry/store.go Update (Endpoints allow create on update)
   */
  update(client: string, key: string, {id, expected}: {id: string; expected?: number | undefined}): Promise<Call> {
    const value = bodyOf(key, id, expected?.toString());
    return this.#write(client, {op: 'put', key, id, expected, orAbsent: true}, () =>
      this.#connections.ask('PUT', `${PATH}/${key}`, {type: JSON_TYPE, value}),
    );
  }

  patch(client: string, key: string, id: string): Promise<Call> {
    const value = {metadata: {annotations: {id}}};
    return this.#write(client, {op: 'put', key, id, exists: true}, () =>
      this.#connections.ask('PATCH', `${PATH}/${key}`, {type: 'application/merge-patch+json', value}),
    );
  }

  remove(client: string, key: string, expected?: number): Promise<Call> {
    const value = {preconditions: {resourceVersion: expected?.toString()}};
    return this.#write(client, {op: 'delete', key, expected}, () =>
      this.#connections.ask('DELETE', `${PATH}/${key}`, {type: JSON_TYPE, value}),
    );
  }

  get(client: string, key: string): Promise<Call> {
    return this.#ask(client, {kind: 'get', key}, async () => {
      const found = await this.#connections.ask('GET', `${PATH}/${key}`);
      if (found === undefined) return undefined;
      if (found.status === 404) return {kind: 'got', entry: undefined};
      return found.status === 200 ? {kind: 'got', entry: versionOf(JSON.parse(found.body))} : refused(found);
    });
  }

  /** In pages. */
  list(client: string): Promise<Call> {
    return this.#ask(client, {kind: 'list', prefix: ''}, () => this.pages());
  }

  /** All pages, of one revision. */
  async pages(): Promise<Answer | undefined> {
    const entries: Version[] = [];
    for (let next = ''; ; ) {
      const found = await this.#connections.ask('GET', `${PATH}?limit=${PAGE}&continue=${encodeURIComponent(next)}`);
      if (found === undefined) return undefined;
      if (found.status !== 200) return refused(found);
      const page = JSON.parse(found.body) as {
        metadata: {resourceVersion: string; continue?: string};
        items: readonly WireObject[];
      };
      entries.push(...page.items.map(versionOf));
      next = page.metadata.continue ?? '';
      if (next === '') return {kind: 'listed', revision: Number(page.metadata.resourceVersion), entries};
    }
  }

  #write(client: string, step: Step, send: () => Promise<Response | undefined>): Promise<Call> {
    return this.#ask(client, {kind: 'write', steps: [step]}, async () => {
      const found = await send();
      if (found === undefined) return undefined;
      const {status, body} = found;
      const isConditional = step.expected !== undefined || status === 404;
      if ((status === 409 || status === 404) && isConditional) return {kind: 'conflict'};
      if (status !== 200 && status !== 201) return refused(found);
      return {kind: 'written', revision: step.op === 'delete' ? undefined : versionOf(JSON.parse(body)).revision};
    });
  }

  async #ask(client: string, request: Request, run: () => Promise<Answer | undefined>): Promise<Call> {
    const call = this.#record.call(client, request);
    const answer = await run();
    if (answer !== undefined) {
      this.#record.answer(call, answer);
      this.#answered();
    }
    return call;
  }
}

const refused = ({status, body}: Response): Answer => {
  const {reason = ''} = JSON.parse(body) as {reason?: string};
  return {kind: 'refused', code: `${status} ${reason}`};
};
