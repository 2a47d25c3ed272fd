// SPDX-License-Identifier: Apache-2.0
/** A Palisade server in a network of its own, as the guide sets it up: HTTPS, tokens, a kubeconfig for each consumer with its rights alone. */
import type {ChildProcess} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {endBy, until} from '../../../bench/processes.ts';
import {PALISADE} from '../../support/palisade.ts';
import type {Network} from './network.ts';

const ADMIN = 'admintoken';
const FOLLOWER = fileURLToPath(new URL('./follower.ts', import.meta.url));
const WAIT_MS = 240_000;
/** Of a hook that starts a server and a consumer. */
export const START_MS = 2 * WAIT_MS;

type Rules = readonly {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}[];
export type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {readonly name: string; readonly namespace?: string; readonly [more: string]: unknown};
  readonly [more: string]: unknown;
};

export type Followed<T> = {readonly atMs: number; readonly type: string; readonly object: T};

const PLURALS: Readonly<Record<string, string>> = {Endpoints: 'endpoints'};

const pathOf = ({apiVersion, kind, metadata}: Manifest): string => {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  return `${root}${place}/${PLURALS[kind] ?? `${kind.toLowerCase()}s`}`;
};

export class KubeSide {
  readonly #network: Network;
  readonly #dir: string;
  readonly #args: readonly string[];
  readonly #url: string;
  /** File of the certificate authority. */
  readonly #ca: string;
  #server: {readonly child: ChildProcess; readonly log: () => string} | undefined;
  #starts = 0;

  private constructor(network: Network, dir: string, host: string, flags: readonly string[]) {
    this.#network = network;
    this.#dir = dir;
    this.#args = ['serve', '--data', join(dir, 'data'), '--http', 'off', '--https', `${host}:6443`, ...flags];
    this.#url = `https://${host}:6443`;
    this.#ca = join(dir, 'data/pki/ca.crt');
  }

  /** Consumers are users of that name with a token of that name. `host` is the address of the server in its network. */
  static async start(
    network: Network,
    dir: string,
    consumers: readonly string[],
    {flags = [], host = '127.0.0.1'}: {readonly flags?: readonly string[]; readonly host?: string} = {},
  ): Promise<KubeSide> {
    mkdirSync(dir, {recursive: true});
    const tokens = join(dir, 'tokens.csv');
    const lines = [`${ADMIN},admin,u0,"system:masters"`, ...consumers.map(user => `${tokenOf(user)},${user},${user}`)];
    writeFileSync(tokens, `${lines.join('\n')}\n`, {mode: 0o600});
    const more = ['--apis', 'kubernetes', '--token-auth-file', tokens, '--log-level', 'warn', ...flags];
    const side = new KubeSide(network, dir, host, more);
    await side.serve();
    return side;
  }

  /** Starts the server on its data, and waits until it is ready. */
  async serve(): Promise<void> {
    const {child, log} = this.#network.start(`palisade-${++this.#starts}`, this.#dir, PALISADE, this.#args);
    this.#server = {child, log};
    await until('palisade', async () => child.exitCode !== null || (await this.isReady()), WAIT_MS);
    if (child.exitCode !== null) throw new Error(`palisade ended: ${log()}`);
  }

  /** SIGKILL; resolves when the process is gone. */
  async kill(): Promise<void> {
    if (this.#server !== undefined) await endBy(this.#server.child, 'SIGKILL');
  }

  log(): string {
    return this.#server?.log() ?? '';
  }

  async isReady(): Promise<boolean> {
    return (await this.#network.ask('http', {method: 'GET', url: `${this.#url}/readyz`, ca: this.#ca})).status === 200;
  }

  async request(method: string, path: string, body?: object, type = 'application/json'): Promise<unknown> {
    const {status, text} = await this.#network.ask('http', {
      method,
      url: `${this.#url}${path}`,
      ca: this.#ca,
      headers: {authorization: `Bearer ${ADMIN}`, 'content-type': type},
      ...(body === undefined ? {} : {body: JSON.stringify(body)}),
    });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return JSON.parse(text);
  }

  /** Creates the object, or changes it to what is given (server-side apply, forced). */
  apply(manifest: Manifest): Promise<unknown> {
    const path = `${pathOf(manifest)}/${manifest.metadata.name}?fieldManager=test&force=true`;
    return this.request('PATCH', path, manifest, 'application/apply-patch+yaml');
  }

  delete(manifest: Manifest): Promise<unknown> {
    return this.request('DELETE', `${pathOf(manifest)}/${manifest.metadata.name}`);
  }

  /** All events of one watch but bookmarks, from now on, each with the time at which it came. `path` is that of a collection, with a query. */
  follow<T>(name: string, path: string): () => readonly Followed<T>[] {
    const args = [FOLLOWER, `${this.#url}${path}`, this.#ca, ADMIN];
    const {log} = this.#network.start(name, this.#dir, process.execPath, args);
    return () =>
      log()
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line) as Followed<T>)
        .filter(({type}) => type !== 'BOOKMARK');
  }

  /** A ClusterRole with these rules, and nothing else, for the user of that name. */
  async allow(user: string, rules: Rules): Promise<void> {
    const rbac = 'rbac.authorization.k8s.io';
    await this.apply({apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: {name: user}, rules});
    await this.apply({
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: {name: user},
      roleRef: {apiGroup: rbac, kind: 'ClusterRole', name: user},
      subjects: [{apiGroup: rbac, kind: 'User', name: user}],
    });
  }

  /** File of a kubeconfig for a consumer. */
  kubeconfig(user: string): string {
    const file = join(this.#dir, `${user.replaceAll(':', '-')}.kubeconfig`);
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{name: 'palisade', cluster: {server: this.#url, 'certificate-authority': this.#ca}}],
      users: [{name: user, user: {token: tokenOf(user)}}],
      contexts: [{name: 'palisade', context: {cluster: 'palisade', user}}],
      'current-context': 'palisade',
    };
    writeFileSync(file, JSON.stringify(config), {mode: 0o600});
    return file;
  }
}

const tokenOf = (user: string): string => `token-of-${user.replaceAll(':', '-')}`;
