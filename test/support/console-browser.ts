// SPDX-License-Identifier: Apache-2.0
/** What a browser sends to the console of a server: its cookies, and the headers that no page can change. */
import {request as httpRequest, type IncomingHttpHeaders} from 'node:http';
import {request as httpsRequest, type RequestOptions} from 'node:https';

export type Page = {readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string};
type Sent = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Not read to its end: a stream, or what follows an upgrade. */
  readonly isOpen?: boolean;
};
export type Session = {
  readonly user: {readonly username: string; readonly groups: readonly string[]};
  readonly method: string;
  readonly csrfToken: string;
  readonly expiresAt?: string;
};

const JSON_TYPE = {'content-type': 'application/json'};

export class ConsoleBrowser {
  readonly #url: string;
  readonly #tls: RequestOptions;
  readonly cookies = new Map<string, string>();
  /** As they were sent. */
  readonly setCookies: string[] = [];
  csrfToken = '';

  /** `tls`: the CA of the server, and a client certificate. */
  constructor(url: string, tls: Pick<RequestOptions, 'ca' | 'cert' | 'key'> = {}) {
    this.#url = url;
    this.#tls = tls;
  }

  send(method: string, path: string, {headers = {}, body, isOpen = false}: Sent = {}): Promise<Page> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const all = {...(cookie === '' ? {} : {cookie}), ...(body === undefined ? {} : JSON_TYPE), ...headers};
    const send = this.#url.startsWith('https:') ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const sent = send(new URL(path, this.#url), {...this.#tls, method, headers: all, agent: false}, response => {
        this.#keep(response.headers['set-cookie'] ?? []);
        const {statusCode: status = 0, headers: answered} = response;
        if (isOpen) {
          response.destroy();
          return resolve({status, headers: answered, text: ''});
        }
        let text = '';
        response.on('data', chunk => {
          text += String(chunk);
        });
        response.once('end', () => resolve({status, headers: answered, text}));
        response.once('error', reject);
      });
      sent.once('upgrade', (response, socket) => {
        socket.destroy();
        resolve({status: response.statusCode ?? 0, headers: response.headers, text: ''});
      });
      sent.once('error', reject);
      sent.end(body);
    });
  }

  /** As a page of the console sends it. */
  change(method: string, path: string, body?: object): Promise<Page> {
    const headers = {
      'x-csrf-token': this.csrfToken,
      'sec-fetch-site': 'same-origin',
      origin: new URL(this.#url).origin,
    };
    return this.send(method, path, {headers, ...(body === undefined ? {} : {body: JSON.stringify(body)})});
  }

  /** With a token, or with the certificate of the connection. */
  async signIn(token?: string): Promise<Page> {
    const page = await this.send('POST', '/console/session', {body: JSON.stringify({token})});
    if (page.status === 200) this.csrfToken = (JSON.parse(page.text) as Session).csrfToken;
    return page;
  }

  async session(): Promise<Session> {
    const {status, text} = await this.send('GET', '/console/session');
    if (status !== 200) throw new Error(`${status} ${text}`);
    const session = JSON.parse(text) as Session;
    this.csrfToken = session.csrfToken;
    return session;
  }

  #keep(lines: readonly string[]): void {
    for (const line of lines) {
      this.setCookies.push(line);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/; Max-Age=0(;|$)/.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}
