// SPDX-License-Identifier: Apache-2.0
/** The kubectl of PATH, and those that some installations keep beside it, each with a configuration and a cache of their own. */
import {spawn} from 'node:child_process';
import {existsSync, mkdirSync, realpathSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {type Finished, run} from '../../support/palisade.ts';
import {ADMIN_TOKEN, READER_TOKEN, type SecuredServer} from './secured-server.ts';
import {which} from './toolchain.ts';

export type Client = {readonly name: string; readonly path: string | undefined; readonly why: string};

/** Google's distribution puts one per version beside a dispatcher; these are the newest and the oldest of release 528. */
const BESIDE = ['kubectl.1.33', 'kubectl.1.27'];

export const KUBECTLS: readonly Client[] = (() => {
  const path = which('kubectl');
  const beside = BESIDE.map(name => {
    const other = path === undefined ? undefined : join(dirname(realpathSync(path)), name);
    const found = other !== undefined && existsSync(other) ? other : undefined;
    return {name, path: found, why: `${name} is not beside kubectl`};
  });
  return [{name: 'kubectl', path, why: 'kubectl is not on PATH'}, ...beside];
})();

/** A folder with a kubeconfig: contexts `admin` (the default) and `reader`, namespace `default`. */
export class Kubectl {
  readonly #path: string;
  readonly #dir: string;
  readonly #env: Record<string, string>;

  constructor(path: string, dir: string, server: SecuredServer) {
    mkdirSync(dir, {recursive: true});
    this.#path = path;
    this.#dir = dir;
    const kubeconfig = join(dir, 'kubeconfig');
    this.#env = {KUBECONFIG: kubeconfig, KUBECACHEDIR: join(dir, 'cache'), HOME: dir, LC_ALL: 'C.UTF-8'};
    const user = (name: string, token: string) => ({name, user: {token}});
    const context = (name: string) => ({name, context: {cluster: 'c', user: name, namespace: 'default'}});
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{name: 'c', cluster: {server: server.url, 'certificate-authority': server.caFile}}],
      users: [user('admin', ADMIN_TOKEN), user('reader', READER_TOKEN)],
      contexts: [context('admin'), context('reader')],
      'current-context': 'admin',
    };
    writeFileSync(kubeconfig, JSON.stringify(config), {mode: 0o600});
  }

  /** The minor version of this client: 33 for 1.33. */
  async minor(): Promise<number> {
    const version = JSON.parse(await this.ok('version --client -o json')) as {clientVersion: {minor: string}};
    return Number.parseInt(version.clientVersion.minor, 10);
  }

  /** Writes a manifest and gives its path. */
  file(name: string, text: string): string {
    const path = join(this.#dir, name);
    writeFileSync(path, text);
    return path;
  }

  /** One command, words separated by blanks; further words as they are. */
  run(words: string, ...more: readonly string[]): Promise<Finished> {
    return run([...words.split(' '), ...more], {command: this.#path, env: this.#env, cwd: this.#dir});
  }

  /** Stdout of a command that has to succeed. */
  async ok(words: string, ...more: readonly string[]): Promise<string> {
    const done = await this.run(words, ...more);
    if (done.code !== 0) throw new Error(`kubectl ${words} ended with ${done.code}: ${done.stderr}${done.stdout}`);
    return done.stdout;
  }

  /** A command that goes on until `close`; `lines` grows meanwhile. */
  start(words: string): {readonly lines: readonly string[]; close(): Promise<void>} {
    const child = spawn(this.#path, words.split(' '), {
      env: {...process.env, ...this.#env},
      cwd: this.#dir,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const lines: string[] = [];
    let rest = '';
    const collect = (chunk: unknown): void => {
      const parts = (rest + String(chunk)).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const ended = new Promise<void>(done => child.once('close', () => done()));
    return {
      lines,
      close: async () => {
        child.kill('SIGTERM');
        await ended;
      },
    };
  }
}
