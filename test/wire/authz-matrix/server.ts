// SPDX-License-Identifier: Apache-2.0
/** `palisade serve` with both APIs, the namespaces `own` and `other`, and a user for each column of the tables. */
import {writeFileSync} from 'node:fs';
import {Agent, request as httpRequest} from 'node:http';
import {join} from 'node:path';
import {createGrpcTransport} from '@connectrpc/connect-node';
import {vi} from 'vitest';
import {type Ready, scratch, serve} from '../../support/palisade.ts';

const WAIT_MS = 30_000;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** Column → cluster role, bound in the namespace `own`. */
const IN_OWN = {
  admin: 'admin',
  edit: 'edit',
  view: 'view',
  groups: 'palisade:endpointgroups-editor',
  'ids-ed': 'ids-editor',
  'ids-an': 'ids-analyst',
  'ids-vw': 'ids-viewer',
};
/** Column → cluster role, bound everywhere. */
const EVERYWHERE = {cluster: 'cluster-admin', 'ids-all': 'ids-editor', auditor: 'palisade:auditor'};
/** Users without a binding; `masters` is of the group system:masters. */
const UNBOUND = ['masters', 'nobody'];
export const ANONYMOUS = 'anon';
export const COLUMNS = [...UNBOUND, ...Object.keys(IN_OWN), ...Object.keys(EVERYWHERE), ANONYMOUS];

export type Reply = {readonly status: number; readonly text: string};
export type Sent = {readonly body?: string | undefined; readonly type?: string; readonly headOnly?: boolean};

export class MatrixServer {
  readonly ready: Ready;
  readonly #agent = new Agent({keepAlive: true});
  readonly #close: () => Promise<void>;

  private constructor(ready: Ready, close: () => Promise<void>) {
    this.ready = ready;
    this.#close = close;
  }

  static async start(): Promise<MatrixServer> {
    const folder = scratch();
    const tokens = join(folder.dir, 'tokens.csv');
    const users = COLUMNS.filter(user => user !== ANONYMOUS);
    const groupOf = (user: string): string => (user === 'masters' ? ',"system:masters"' : '');
    writeFileSync(tokens, users.map(user => `${user}-token,${user},${user}-uid${groupOf(user)}\n`).join(''));
    const flags = ['--data', join(folder.dir, 'data'), '--http', '127.0.0.1:0', '--grpc', '127.0.0.1:0'];
    const process = await serve([...flags, '--token-auth-file', tokens, '--log-level', 'error']);
    const server = new MatrixServer(process.ready, async () => {
      await process.stop();
      folder[Symbol.dispose]();
    });
    await server.#bind();
    return server;
  }

  async #bind(): Promise<void> {
    const create = async (path: string, body: object): Promise<void> => {
      const {status, text} = await this.send('masters', 'POST', path, {body: JSON.stringify(body)});
      if (status !== 201) throw new Error(text);
    };
    const bindingOf = (user: string, role: string): object => ({
      metadata: {name: user},
      subjects: [{apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user}],
      roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role},
    });
    for (const name of ['own', 'other']) await create('/api/v1/namespaces', {metadata: {name}});
    for (const [user, role] of Object.entries(IN_OWN))
      await create(`${RBAC}/namespaces/own/rolebindings`, bindingOf(user, role));
    for (const [user, role] of Object.entries(EVERYWHERE))
      await create(`${RBAC}/clusterrolebindings`, bindingOf(user, role));
    // A controller fills the roles that are gathered from others.
    await vi.waitFor(async () => {
      const {status, text} = await this.send('admin', 'GET', `${RBAC}/namespaces/own/roles/absent`);
      if (status !== 404) throw new Error(text);
    }, WAIT_MS);
  }

  /** `headOnly`: for an answer that does not end. */
  send(user: string, method: string, path: string, {body, type, headOnly = false}: Sent = {}): Promise<Reply> {
    const headers: Record<string, string> = {
      ...(user === ANONYMOUS ? {} : {authorization: `Bearer ${user}-token`}),
      ...(body === undefined ? {} : {'content-type': type ?? 'application/json'}),
    };
    return new Promise((resolve, reject) => {
      const options = {method, headers, agent: this.#agent};
      const request = httpRequest(this.ready.http + path, options, response => {
        const {statusCode: status = 0} = response;
        if (headOnly && status === 200) {
          resolve({status, text: ''});
          request.destroy();
          return;
        }
        let text = '';
        response.setEncoding('utf8');
        response.on('data', chunk => {
          text += chunk;
        });
        response.on('end', () => resolve({status, text}));
        response.on('error', reject);
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  async json(path: string): Promise<unknown> {
    const {status, text} = await this.send('masters', 'GET', path);
    if (status !== 200) throw new Error(text);
    return JSON.parse(text);
  }

  transport(user: string) {
    return createGrpcTransport({
      baseUrl: `http://${this.ready.grpc}`,
      interceptors: [
        next => request => {
          if (user !== ANONYMOUS) request.header.set('authorization', `Bearer ${user}-token`);
          return next(request);
        },
      ],
    });
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.#close();
  }
}
