// SPDX-License-Identifier: Apache-2.0
/** Requests to the server under test, as plain as they can be made: its process may be gone at any moment. */
import {Agent, type IncomingMessage, request} from 'node:http';
import {text} from 'node:stream/consumers';

export type Response = {readonly status: number; readonly body: string};

export class Connections {
  readonly #base: string;
  readonly #agent = new Agent({keepAlive: true});

  constructor(base: string) {
    this.#base = base;
  }

  /** Undefined: the connection broke before the whole answer was there, and nobody knows what was done. */
  async ask(
    method: string,
    path: string,
    body?: {readonly type: string; readonly value: unknown},
  ): Promise<Response | undefined> {
    try {
      const answer = await this.#send(method, path, body);
      return {status: answer.statusCode ?? 0, body: await text(answer)};
    } catch {
      return undefined;
    }
  }

  /** The answer, when its head is there; the body is a stream that fails when the connection breaks. Undefined as for ask. */
  async open(path: string): Promise<IncomingMessage | undefined> {
    return await this.#send('GET', path).catch(() => undefined);
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(
    method: string,
    path: string,
    body?: {readonly type: string; readonly value: unknown},
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body.value);
      const headers = body && {'content-type': body.type, 'content-length': Buffer.byteLength(text)};
      const sent = request(`${this.#base}${path}`, {method, agent: this.#agent, ...(headers && {headers})}, resolve);
      sent.on('error', reject);
      sent.end(text);
    });
  }
}
