// SPDX-License-Identifier: Apache-2.0
/** A Kubernetes API on a socket with tokens and roles: `admin-token` is system:masters, every other user is `NAME-token`. */
import {
  type Authenticator,
  type Clock,
  type CompatMode,
  type KubeApi,
  type Log,
  parseTokenFile,
  type Timers,
  tokenAuthenticator,
  tokenTableSource,
} from '@palisade/apiserver';
import {createRbacAuthorizer, kubeModule} from '@palisade/kinds';
import type {Store} from '@palisade/store';
import {openMemoryStore} from '@palisade/store/memory';
import {serveKubeApi} from './serve.ts';
import {type Answer, type Sent, WireClient} from './support.ts';

const TOKENS = `admin-token,admin,admin-uid,"system:masters"
alice-token,alice,alice-uid,"dev,ops"
bob-token,bob,bob-uid
carol-token,carol,carol-uid,readers
sa-token,system:serviceaccount:one:builder,sa-uid,"system:serviceaccounts,system:serviceaccounts:one"
`;

export const RBAC = '/apis/rbac.authorization.k8s.io/v1';
export const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
export const AUTHENTICATION = '/apis/authentication.k8s.io/v1';

export type Rule = {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
};

/** Sends as a user: the name of a token without its end, or '' for no token at all. */
export class AuthWire {
  readonly #client: WireClient;
  readonly #close: () => Promise<void>;
  readonly api: KubeApi;

  constructor(client: WireClient, api: KubeApi, close: () => Promise<void>) {
    this.#client = client;
    this.api = api;
    this.#close = close;
  }

  as(user: string, method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const credentials: Record<string, string> = user === '' ? {} : {authorization: `Bearer ${user}-token`};
    return this.#client.send(method, path, {...sent, headers: {...credentials, ...sent.headers}});
  }

  get url(): string {
    return this.#client.url;
  }

  /** A role in the namespace (or of the cluster, with '') and its binding to `user`; both are named `name`. */
  async grant(user: string, namespace: string, name: string, rules: readonly Rule[]): Promise<void> {
    const below = namespace === '' ? RBAC : `${RBAC}/namespaces/${namespace}`;
    const kind = namespace === '' ? 'ClusterRole' : 'Role';
    const [roles, bindings] = namespace === '' ? ['clusterroles', 'clusterrolebindings'] : ['roles', 'rolebindings'];
    const role = await this.as('admin', 'POST', `${below}/${roles}`, {body: {metadata: {name}, rules}});
    const subjects = [{kind: 'User', name: user}];
    const body = {metadata: {name}, subjects, roleRef: {kind, name}};
    const binding = await this.as('admin', 'POST', `${below}/${bindings}`, {body});
    if (role.status !== 201 || binding.status !== 201) throw new Error(`no grant: ${role.text} ${binding.text}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

export type AuthWireOptions = {
  readonly compat?: CompatMode;
  readonly authenticator?: Authenticator;
  readonly store?: Store;
  readonly clock?: Clock;
  readonly timers?: Timers;
  readonly log?: Log;
};

/** A fresh server with the namespaces `one` and `two`. */
export const startAuthWire = async (options: AuthWireOptions = {}): Promise<AuthWire> => {
  const authorizer = createRbacAuthorizer();
  const served = await serveKubeApi({
    store: options.store ?? (await openMemoryStore()),
    kinds: kubeModule.kinds,
    bootstraps: kubeModule.bootstraps,
    compat: options.compat ?? 'spec',
    authenticator: options.authenticator ?? tokenAuthenticator([tokenTableSource(parseTokenFile(TOKENS))]),
    authorizer,
    clock: options.clock,
    timers: options.timers,
    log: options.log,
    controllers: [...kubeModule.controllers, authorizer.controller],
  });
  const wire = new AuthWire(new WireClient(served.url), served.api, async () => {
    await served[Symbol.asyncDispose]();
  });
  for (const name of ['one', 'two']) await wire.as('admin', 'POST', '/api/v1/namespaces', {body: {metadata: {name}}});
  return wire;
};
