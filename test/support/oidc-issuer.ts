// SPDX-License-Identifier: Apache-2.0
/** An OpenID Connect issuer on loopback, over TLS: `oidc-provider`. ID tokens come by the authorization code flow, as a browser does it. */
import {generateKeyPairSync, randomUUID} from 'node:crypto';
import {mkdirSync, writeFileSync} from 'node:fs';
import {createServer, request} from 'node:https';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {Provider} from 'oidc-provider';
import {ownCertificate} from '../../packages/server/src/pki/certificates.ts';

const SILENT = {info: () => {}, warn: () => {}};
const REDIRECT = 'https://client.example.com/callback';
/** Of the console of a server, whose port is not known before; `localhost`: another site than the issuer. */
const CONSOLE_REDIRECT = /^https?:\/\/(127\.0\.0\.1|localhost):\d+\/console\/oidc\/callback$/;
export const CLIENT_SECRET = 'client-secret';
/** Audiences. Tokens of `brief` live for two seconds. */
export const CLIENTS = ['palisade', 'other', 'brief'] as const;
const BRIEF_S = 2;
const LONG_S = 3600;

export type OidcIssuer = {
  readonly url: string;
  readonly caFile: string;
  /** Requests for the keys so far. */
  keyFetches(): number;
  /** Signs in and gives the ID token. Users are `NAME`, in the groups `NAME-team` and `everyone`. */
  idToken(user: string, client?: (typeof CLIENTS)[number]): Promise<string>;
  /** Signs in where `start`, a URL of this issuer, leads; gives the URL that the browser is sent to. */
  visit(start: string, user: string): Promise<string>;
  /** Requests for tokens so far. */
  tokenRequests(): number;
  /** A new key with a new id, and no other: tokens of the old one are not to be accepted for long. */
  rotate(): void;
  /** Connections are cut until `up`. */
  down(): void;
  up(): void;
  close(): Promise<void>;
};

const newKey = () => ({
  ...generateKeyPairSync('rsa', {modulusLength: 2048}).privateKey.export({format: 'jwk'}),
  ...{kid: randomUUID(), use: 'sig', alg: 'RS256'},
});

const providerOf = (url: string): Provider => {
  const findAccount = (_context: unknown, accountId: string) => ({
    accountId,
    claims: () => ({
      sub: accountId,
      email: `${accountId}@example.com`,
      email_verified: accountId !== 'unverified',
      groups: [`${accountId}-team`, 'everyone'],
    }),
  });
  const provider = new Provider(url, {
    clients: CLIENTS.map(id => ({
      client_id: id,
      client_secret: CLIENT_SECRET,
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
    })),
    claims: {openid: ['sub', 'email', 'email_verified', 'groups']},
    conformIdTokenClaims: false,
    cookies: {keys: [randomUUID()]},
    issueRefreshToken: async () => true,
    pkce: {required: () => false},
    findAccount,
    jwks: {keys: [newKey()]},
    ttl: {
      ...{AccessToken: LONG_S, AuthorizationCode: 60, Grant: LONG_S, Interaction: 60, Session: LONG_S},
      IdToken: (_context: unknown, _token: unknown, client: {clientId: string}) =>
        client.clientId === 'brief' ? BRIEF_S : LONG_S,
    },
  });
  const {Client} = provider as unknown as {Client: {prototype: {redirectUriAllowed(uri: string): boolean}}};
  Client.prototype.redirectUriAllowed = uri => uri === REDIRECT || CONSOLE_REDIRECT.test(uri);
  return provider;
};

type Page = {readonly status: number; readonly location: string; readonly text: string};

/** What a browser does: keeps cookies, follows redirects to the issuer, sends forms. */
class Browser {
  readonly #ca: string;
  readonly #cookies = new Map<string, string>();

  constructor(ca: string) {
    this.#ca = ca;
  }

  send(url: string, form?: Readonly<Record<string, string>>, authorization?: string): Promise<Page> {
    const headers = {
      cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(form === undefined ? {} : {'content-type': 'application/x-www-form-urlencoded'}),
      ...(authorization === undefined ? {} : {authorization}),
    };
    const method = form === undefined ? 'GET' : 'POST';
    return new Promise((resolve, reject) => {
      const sent = request(url, {ca: this.#ca, agent: false, method, headers}, response => {
        for (const line of response.headers['set-cookie'] ?? []) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          this.#cookies.set(name, value);
        }
        const chunks: Buffer[] = [];
        response.on('data', chunk => chunks.push(chunk as Buffer));
        response.once('end', () => {
          const location = response.headers.location ?? '';
          resolve({
            status: response.statusCode ?? 0,
            location: location === '' ? '' : new URL(location, url).href,
            text: Buffer.concat(chunks).toString(),
          });
        });
      });
      sent.once('error', reject);
      sent.end(form === undefined ? undefined : new URLSearchParams(form).toString());
    });
  }
}

/** Through the pages for signing in and for consent, up to the redirect with the code. */
const throughPages = async (browser: Browser, issuer: string, start: string, user: string): Promise<string> => {
  let page = await browser.send(start);
  for (let steps = 0; steps < 10 && (page.location === '' || page.location.startsWith(issuer)); steps++) {
    if (page.location === '') throw new Error(`sign-in ended at ${page.status} ${page.text}`);
    const next = page.location;
    page = await browser.send(next);
    const [, prompt] = /name="prompt" value="(\w+)"/.exec(page.text) ?? [];
    if (prompt !== undefined) page = await browser.send(next, {prompt, login: user, password: 'any'});
  }
  return page.location;
};

const signIn = async (issuer: string, ca: string, user: string, client: string): Promise<string> => {
  const browser = new Browser(ca);
  const query = new URLSearchParams({
    ...{client_id: client, response_type: 'code', scope: 'openid', redirect_uri: REDIRECT},
  });
  const answer = await throughPages(browser, issuer, `${issuer}/auth?${query}`, user);
  const code = new URL(answer).searchParams.get('code') ?? '';
  const basic = `Basic ${Buffer.from(`${client}:${CLIENT_SECRET}`).toString('base64')}`;
  const form = {grant_type: 'authorization_code', code, redirect_uri: REDIRECT};
  const {text} = await browser.send(`${issuer}/token`, form, basic);
  const {id_token: token} = JSON.parse(text) as {id_token?: string};
  if (token === undefined) throw new Error(`no ID token: ${text}`);
  return token;
};

/** `dir`: gets the CA of the issuer. */
export const startIssuer = async (dir: string): Promise<OidcIssuer> => {
  mkdirSync(dir, {recursive: true});
  const {cert, key, ca} = await ownCertificate(dir, '127.0.0.1', {nowMs: Date.now(), log: SILENT});
  const caFile = join(dir, 'issuer-ca.crt');
  writeFileSync(caFile, ca);
  let provider: Provider;
  let isUp = true;
  let keyFetches = 0;
  let tokenRequests = 0;
  const server = createServer({cert, key}, (req, res) => {
    if (!isUp) {
      req.socket.destroy();
      return;
    }
    if (req.url === '/jwks') keyFetches++;
    if (req.url === '/token') tokenRequests++;
    void provider.callback()(req, res);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  provider = providerOf(url);
  return {
    url,
    caFile,
    keyFetches: () => keyFetches,
    tokenRequests: () => tokenRequests,
    visit: (start, user) => throughPages(new Browser(ca), url, start, user),
    idToken: (user, client = 'palisade') => signIn(url, ca, user, client),
    rotate: () => {
      provider = providerOf(url);
    },
    down: () => {
      isUp = false;
    },
    up: () => {
      isUp = true;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
};
