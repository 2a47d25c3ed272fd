// SPDX-License-Identifier: Apache-2.0
/** A plain REST client for the tests: nothing is hidden, nothing is retried. */

// biome-ignore lint/suspicious/noExplicitAny: bodies are judged by the tests, field by field
export type Json = any;
export type Answer = {readonly status: number; readonly headers: Headers; readonly text: string; readonly body: Json};

export class RestClient {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.url = url;
    this.headers = headers;
  }

  async call(
    method: string,
    path: string,
    query: Readonly<Record<string, string>> = {},
    body?: unknown,
  ): Promise<Answer> {
    const search = new URLSearchParams(query).toString();
    const prefix = path.startsWith('/') ? '' : '/v1/';
    const response = await fetch(`${this.url}${prefix}${path}${search === '' ? '' : `?${search}`}`, {
      method,
      headers: {...(body === undefined ? {} : {'content-type': 'application/json'}), ...this.headers},
      ...(body === undefined ? {} : {body: typeof body === 'string' ? body : JSON.stringify(body)}),
    });
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  }

  get(path: string, query?: Readonly<Record<string, string>>): Promise<Answer> {
    return this.call('GET', path, query);
  }
  post(path: string, query: Readonly<Record<string, string>>, body?: unknown): Promise<Answer> {
    return this.call('POST', path, query, body ?? {});
  }
  patch(path: string, query: Readonly<Record<string, string>>, body: unknown): Promise<Answer> {
    return this.call('PATCH', path, query, body);
  }
  delete(path: string, query?: Readonly<Record<string, string>>): Promise<Answer> {
    return this.call('DELETE', path, query);
  }

  create(
    parent: string,
    endpointId: string,
    body: object = {},
    query: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return this.post(`${parent}/endpoints`, {endpointId, ...query}, {network: 'net', severity: 'LOW', ...body});
  }

  /** The operation when it is done; asks again and again, one request at a time. */
  async done(operation: Json): Promise<Json> {
    for (;;) {
      const {status, body} = await this.get(operation.name);
      if (status !== 200) throw new Error(`operation ${operation.name}: ${JSON.stringify(body)}`);
      if (body.done === true) return body;
    }
  }

  /** Creates and waits; the endpoint. Throws when the operation fails. */
  async created(parent: string, endpointId: string, body: object = {}): Promise<Json> {
    const answer = await this.create(parent, endpointId, body);
    if (answer.status !== 200) throw new Error(answer.text);
    const operation = await this.done(answer.body);
    if (operation.error !== undefined) throw new Error(JSON.stringify(operation.error));
    return (await this.get(`${parent}/endpoints/${endpointId}`)).body;
  }
}
