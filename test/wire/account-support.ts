// SPDX-License-Identifier: Apache-2.0
/** A Kubernetes API on a socket that signs tokens of service accounts, with roles, a clock that a test moves, and `/token`. */
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {
  type Auditor,
  createKubeApi,
  garbageCollection,
  type KubeApi,
  parseTokenFile,
  tokenTableSource,
} from '@palisade/apiserver';
import {createKubeModule, createRbacAuthorizer, DEFAULT_KIND_SETTINGS} from '@palisade/kinds';
import {openMemoryStore} from '@palisade/store/memory';
import {ManualTime} from '../../packages/apiserver/src/testing/manual-time.ts';
import {openAccounts} from '../../packages/server/src/accounts/open-accounts.ts';
import type {FailedLogins} from '../../packages/server/src/accounts/token-endpoint.ts';
import {Authentication} from '../../packages/server/src/auth/authentication.ts';
import {urlOf} from '../../packages/server/src/port/addresses.ts';
import {listenPlain} from '../../packages/server/src/port/listeners.ts';
import {route} from '../../packages/server/src/port/router.ts';
import {type Answer, type Body, type Sent, WireClient} from './support.ts';

const TOKENS = 'admin-token,admin,admin-uid,"system:masters"\nbob-token,bob,bob-uid\n';
export const ISSUER = 'https://kubernetes.default.svc';
export const ACCOUNTS = '/api/v1/namespaces/one/serviceaccounts';
export const KEYS = '/apis/platform.io/v1alpha1/namespaces/one/serviceaccountkeys';

export type AccountWire = AsyncDisposable & {
  readonly url: string;
  readonly api: KubeApi;
  readonly time: ManualTime;
  as(token: string, method: string, path: string, sent?: Sent): Promise<Answer>;
  admin(method: string, path: string, body?: unknown): Promise<Answer>;
  /** A token of `one/NAME`. */
  token(name: string, spec?: object): Promise<string>;
  /** The status of a TokenReview. */
  review(token: string, audiences?: readonly string[]): Promise<Body>;
  form(fields: Readonly<Record<string, string>>): Promise<{status: number; body: Body}>;
};

/** A fresh server with the namespace `one` and its service account `builder`. */
export const startAccountWire = async (failedLogins?: FailedLogins, auditor?: Auditor): Promise<AccountWire> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'palisade-accounts-'));
  const time = new ManualTime();
  const authentication = new Authentication('tokens', {wrap: authenticator => authenticator});
  authentication.addTokens(tokenTableSource(parseTokenFile(TOKENS)));
  let url = '';
  const accounts = await openAccounts({dataDir, issuer: ISSUER, authentication, publicUrl: () => url, failedLogins});
  const authorizer = createRbacAuthorizer();
  const store = await openMemoryStore();
  const module = createKubeModule(DEFAULT_KIND_SETTINGS, {prober: undefined, tokens: accounts.tokens});
  const {kinds, bootstraps, controllers} = module;
  const api = createKubeApi({
    ...{store, kinds, bootstraps, compat: 'spec', clock: time, timers: time, authorizer},
    authenticator: authentication.authenticator,
    controllers: [...controllers, authorizer.controller, garbageCollection],
    auditor,
    documents: accounts.documents,
    documentPaths: accounts.documentPaths,
  });
  await api.start();
  const none = {ids: undefined, grpc: undefined, metrics: undefined, health: undefined, console: undefined};
  const sides = {...none, kubernetes: api.handle.bind(api), token: accounts.serve(api, {auditor})};
  const listener = await listenPlain({host: '127.0.0.1', port: 0}, 'http', route(sides, {error: () => {}}));
  url = urlOf(listener.address, 'http');
  const client = new WireClient(url);
  const as: AccountWire['as'] = (token, method, path, sent = {}) =>
    client.send(method, path, {...sent, headers: {authorization: `Bearer ${token}`, ...sent.headers}});
  const admin: AccountWire['admin'] = (method, path, body) =>
    as('admin-token', method, path, body === undefined ? {} : {body});
  await admin('POST', '/api/v1/namespaces', {metadata: {name: 'one'}});
  await admin('POST', ACCOUNTS, {metadata: {name: 'builder'}});
  return {
    ...{url, api, time, as, admin},
    token: async (name, spec = {}) => (await admin('POST', `${ACCOUNTS}/${name}/token`, {spec})).body.status.token,
    review: async (token, audiences) =>
      (await admin('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {spec: {token, audiences}})).body.status,
    form: async fields => {
      const response = await fetch(`${url}/token`, {method: 'POST', body: new URLSearchParams(fields)});
      return {status: response.status, body: await response.json()};
    },
    [Symbol.asyncDispose]: async () => {
      await api.stop();
      listener.force();
      await listener.close();
      await store.close();
      rmSync(dataDir, {recursive: true, force: true});
    },
  };
};

/** The claims of a JWT, unchecked. */
export const claimsIn = (token: string): Body =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
