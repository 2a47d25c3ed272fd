// SPDX-License-Identifier: Apache-2.0
/**
 * kubeconfig → Connection. Several files are merged as kubectl does: the first one that names a context, cluster or user wins.
 * Paths inside a file are relative to that file. Ref: client-go tools/clientcmd.
 */
import {dirname, isAbsolute, join} from 'node:path';
import {parse} from 'yaml';
import type {Connection} from '../http/contract.ts';
import {type ActsAs, impersonationFaults, impersonationHeaders} from './impersonation.ts';
import {kubeconfigFaults} from './kubeconfig-shape.ts';

/** A kubeconfig that cannot be used; the message names the file or entry and what is wrong. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
  /** Nothing there is wrong, something is missing: a file, or an entry that another file might have. */
  readonly isLack: boolean;
  constructor(message: string, options: ErrorOptions & {readonly isLack?: boolean} = {}) {
    super(message, options);
    this.isLack = options.isLack ?? false;
  }
}

/** One kubeconfig text; `path` is where it came from ('' for a text that came inline). */
export type KubeconfigSource = {readonly path: string; readonly text: string};

export type KubeconfigOptions = {
  /** Context to use; absent: current-context. */
  readonly context?: string | undefined;
  /** Reads certificates and tokens that are named by path. */
  readonly readFile: (path: string) => string;
  /** Bearer token that stands for the credentials of the context's user; whom it acts as stays, as with client-go. */
  readonly token?: string | undefined;
  /** PEM text of the authority that stands for the one of the cluster. */
  readonly ca?: string | undefined;
  /** Accept any certificate, whatever the cluster says. */
  readonly insecure?: boolean | undefined;
};

const WHY_UNREAD: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is a file where its folder should be',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

const whyUnread = (error: unknown): string => {
  const {code = '', message} = error as NodeJS.ErrnoException;
  return WHY_UNREAD[code] ?? message;
};

/**
 * The files of a list such as $KUBECONFIG, in order; those that are not there are left out, as kubectl does. Throws KubeconfigError
 * where none is there, or one cannot be read.
 */
export function readKubeconfigFiles(paths: readonly string[], readFile: (path: string) => string): KubeconfigSource[] {
  const sources = paths.flatMap(path => {
    try {
      return [{path, text: readFile(path)}];
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw new KubeconfigError(`the kubeconfig ${path} cannot be read: ${whyUnread(cause)}`, {cause});
    }
  });
  if (sources.length > 0) return sources;
  throw new KubeconfigError(
    paths.length === 1
      ? `the kubeconfig ${paths[0]} cannot be read: there is no such file`
      : `no kubeconfig found: ${paths.join(', ')}`,
    {isLack: true},
  );
}

export type KubeTarget = {
  readonly connection: Connection;
  readonly context: string;
  /** Name of the context's cluster; '' when it names none. */
  readonly cluster: string;
  /** Name of the context's user; '' when it names none. */
  readonly user: string;
  /** Namespace of the context; '' when it names none. */
  readonly namespace: string;
};

/** Cluster of the kubeconfigs that `palisade serve` and `palisade kubeconfig` write: its server has both APIs. */
export const OWN_CLUSTER = 'palisade';

/** Whether something proves who asks. */
export const hasCredential = ({tls, authorization}: Connection): boolean =>
  tls?.cert !== undefined || authorization?.() !== undefined;

/** Whether it leads to a server of both APIs, with a credential. */
export const isOwnTarget = ({cluster, connection}: KubeTarget): boolean =>
  cluster === OWN_CLUSTER && hasCredential(connection);

type Cluster = {
  server?: string;
  'certificate-authority'?: string;
  'certificate-authority-data'?: string;
  'insecure-skip-tls-verify'?: boolean;
  'tls-server-name'?: string;
};
type User = ActsAs & {
  token?: string;
  tokenFile?: string;
  'client-certificate'?: string;
  'client-certificate-data'?: string;
  'client-key'?: string;
  'client-key-data'?: string;
  username?: string;
  password?: string;
  exec?: unknown;
  'auth-provider'?: unknown;
};
type Context = {cluster?: string; user?: string; namespace?: string};
type Document = {
  'current-context'?: string;
  clusters?: {name: string; cluster?: Cluster}[];
  users?: {name: string; user?: User}[];
  contexts?: {name: string; context?: Context}[];
};
/** An entry with the folder that its paths are relative to. */
type Found<T> = {readonly entry: T; readonly folder: string};

/** Throws KubeconfigError. */
export function readKubeconfig(sources: readonly KubeconfigSource[], options: KubeconfigOptions): KubeTarget {
  const documents = sources.map(source => ({document: parseDocument(source), folder: dirname(source.path)}));
  const current = documents
    .map(({document}) => document['current-context'])
    .find(name => name !== undefined && name !== '');
  const contextName = options.context ?? current;
  if (contextName === undefined)
    throw new KubeconfigError(
      'the kubeconfig has no current-context: name a context (kubectl config use-context NAME)',
      {isLack: true},
    );
  const find = <T>(
    what: string,
    name: string,
    select: (document: Document) => {name: string; value: T | undefined}[],
  ) => {
    for (const {document, folder} of documents) {
      const hit = select(document).find(item => item.name === name);
      if (hit !== undefined) return {entry: hit.value ?? ({} as T), folder};
    }
    throw new KubeconfigError(`the kubeconfig has no ${what} named ${JSON.stringify(name)}`, {isLack: true});
  };
  const context = find('context', contextName, d =>
    (d.contexts ?? []).map(c => ({name: c.name, value: c.context})),
  ).entry;
  const cluster = find('cluster', context.cluster ?? '', d =>
    (d.clusters ?? []).map(c => ({name: c.name, value: c.cluster})),
  );
  const user: Found<User> =
    context.user === undefined || context.user === ''
      ? {entry: {}, folder: ''}
      : find('user', context.user, d => (d.users ?? []).map(u => ({name: u.name, value: u.user})));
  return {
    connection: toConnection(cluster, user, context, options),
    context: contextName,
    cluster: context.cluster ?? '',
    user: context.user ?? '',
    namespace: context.namespace ?? '',
  };
}

/** What the package `yaml` reports of a text that is nested too deeply for it. */
const TOO_DEEP = 'Maximum call stack size exceeded';

function parseDocument(source: KubeconfigSource): Document {
  const where = source.path === '' ? 'the kubeconfig' : `the kubeconfig ${source.path}`;
  let document: unknown;
  try {
    document = parse(source.text, (_, value: unknown) => value ?? undefined); // as in Go, null is the same as nothing
  } catch (cause) {
    const [why = ''] = (cause as Error).message.split('\n');
    throw new KubeconfigError(`${where} ${why.startsWith(TOO_DEEP) ? 'is nested too deeply' : `is not YAML: ${why}`}`, {
      cause,
    });
  }
  if (document === null || document === undefined) return {};
  if (typeof document !== 'object' || Array.isArray(document))
    throw new KubeconfigError(`${where} is not a kubeconfig`);
  const kind = (document as {kind?: unknown}).kind;
  if (kind !== undefined && kind !== 'Config')
    throw new KubeconfigError(
      `${where} has kind ${typeof kind === 'string' ? kind : JSON.stringify(kind)}, expected Config`,
    );
  const faults = kubeconfigFaults(document as Readonly<Record<string, unknown>>);
  if (faults.length > 0) throw new KubeconfigError(`${where}: ${faults.join('; ')}`);
  return document as Document;
}

function toConnection(
  cluster: Found<Cluster>,
  user: Found<User>,
  context: Context,
  {readFile, token, ca, insecure}: KubeconfigOptions,
): Connection {
  const {server} = cluster.entry;
  if (server === undefined || server === '') {
    throw new KubeconfigError(`the cluster ${JSON.stringify(context.cluster ?? '')} of the kubeconfig has no server`);
  }
  const faults = impersonationFaults(user.entry);
  if (faults.length > 0)
    throw new KubeconfigError(`the user ${JSON.stringify(context.user)} of the kubeconfig: ${faults.join('; ')}`);
  const headers = impersonationHeaders(user.entry);
  if (headers === undefined) {
    throw new KubeconfigError(
      `the user ${JSON.stringify(context.user)} of the kubeconfig has as-uid, as-groups or as-user-extra without a user to impersonate: set as`,
    );
  }
  const trust = {
    ca: ca ?? (insecure ? undefined : pem(cluster, 'certificate-authority-data', 'certificate-authority', readFile)),
    serverName: cluster.entry['tls-server-name'],
    insecure: insecure || (ca === undefined && cluster.entry['insecure-skip-tls-verify']),
  };
  const place = {server: server.replace(/\/+$/, ''), headers};
  if (token !== undefined) return {...place, tls: trust, authorization: () => `Bearer ${token}`};
  refusePlugins(user.entry, context.user ?? '');
  const tls = {
    ...trust,
    cert: pem(user, 'client-certificate-data', 'client-certificate', readFile),
    key: pem(user, 'client-key-data', 'client-key', readFile),
  };
  return {...place, tls, authorization: authorizationOf(user, readFile)};
}

function refusePlugins(user: User, name: string): void {
  for (const kind of ['exec', 'auth-provider'] as const) {
    if (user[kind] !== undefined) {
      throw new KubeconfigError(
        `the user ${JSON.stringify(name)} of the kubeconfig authenticates through ${kind}, which is not supported: use a token or a client certificate`,
      );
    }
  }
}

function authorizationOf(user: Found<User>, readFile: (path: string) => string): () => string | undefined {
  const {token, tokenFile, username, password} = user.entry;
  if (tokenFile !== undefined && tokenFile !== '') {
    return () => `Bearer ${readNamed(tokenFile, user.folder, readFile).trim()}`;
  }
  if (token !== undefined && token !== '') return () => `Bearer ${token}`;
  if (username !== undefined && username !== '') {
    return () => `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}`;
  }
  return () => undefined;
}

function pem<T extends object>(
  found: Found<T>,
  dataKey: keyof T & string,
  fileKey: keyof T & string,
  readFile: (path: string) => string,
): string | undefined {
  const data = found.entry[dataKey];
  if (typeof data === 'string' && data !== '') return Buffer.from(data, 'base64').toString('utf8');
  const path = found.entry[fileKey];
  return typeof path === 'string' && path !== '' ? readNamed(path, found.folder, readFile) : undefined;
}

function readNamed(path: string, folder: string, readFile: (path: string) => string): string {
  const place = isAbsolute(path) ? path : join(folder, path);
  try {
    return readFile(place);
  } catch (cause) {
    throw new KubeconfigError(`the kubeconfig names ${place}, which cannot be read: ${whyUnread(cause)}`, {cause});
  }
}
