// SPDX-License-Identifier: Apache-2.0
/** Which server a command talks to, and as whom: --server, then PALISADE_SERVER, then a KUBECONFIG of Palisade, then the server that left its address in the data folder. */
import {existsSync} from 'node:fs';
import {delimiter, join, resolve} from 'node:path';
import {
  type Connection,
  createIdsClient,
  type IdsClient,
  type IdsEndpoint,
  type IdsError,
  isIdsError,
  isTransportError,
  isUntrustedCertificate,
  parseEndpointName,
  type TransportError,
} from '@palisade/client';
import {defaultDataDir, kubeconfigFile} from '@palisade/server/data-folder';
import {recordedServer} from '@palisade/server/recorded-server';
import {
  addressOf,
  isAlive,
  type LocalAddress,
  readServerFile,
  SERVER_FILE,
  type ServerFile,
} from '@palisade/server/server-file';
import {holdingTimers} from '@palisade/server/system';
import {type CliIo, CommandError, UsageError} from '../command-line/io.ts';
import type {OptionTable} from '../command-line/options.ts';
import {type Credential, localCredential, plainCredential, refusalText} from './credential.ts';
import {type Found, fromOwnKubeconfig, localCertificate, type Overrides} from './from-kubeconfig.ts';
import {readAuthority, readLocalAuthority} from './read-authority.ts';

/** Flags of every command that asks a server; those for the IDS API alone use `idsConnectionOptions`. */
export const connectionOptions = {
  server: {
    type: 'string',
    value: 'URL',
    doc: 'ask this server (default: $PALISADE_SERVER, $KUBECONFIG or local)',
  },
  token: {
    type: 'string',
    value: 'TOKEN',
    doc: 'send this bearer token (default: $PALISADE_TOKEN or the kubeconfig)',
  },
  ca: {
    type: 'string',
    value: 'FILE',
    completes: 'file',
    doc: 'trust this CA of the server, such as pki/ca.crt in its data folder',
  },
  insecure: {type: 'boolean', doc: 'accept any server certificate'},
  json: {type: 'boolean', doc: 'print JSON, one object a line'},
} as const satisfies OptionTable;

/** Of commands for the IDS API alone: of kubeconfigs, those that a Palisade server wrote count. */
export const idsConnectionOptions = connectionOptions;

export type ConnectionFlags = {
  readonly server: string | undefined;
  readonly token: string | undefined;
  readonly ca: string | undefined;
  readonly insecure: boolean;
  /** The server that runs on this data folder is asked, whatever the environment names. */
  readonly data?: string | undefined;
};

/** Throws UsageError for flags that exclude each other, CommandError for a file that holds no certificate. */
export const toOverrides = async ({token, ca, insecure}: ConnectionFlags, cwd: string): Promise<Overrides> => {
  if (ca !== undefined && insecure) throw new UsageError('--ca and --insecure exclude each other');
  return {
    ...(token === undefined ? {} : {token: checkedToken(token, '--token')}),
    ...(ca === undefined ? {} : {ca: await readAuthority(ca, cwd)}),
    ...(insecure ? {insecure} : {}),
  };
};

/** Ref: RFC 6750 section 2.1; other visible characters are let through. */
const checkedToken = (token: string, said: string): string => {
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new CommandError(
      `${said}: not a valid token; it is empty, or has spaces, line breaks or non-ASCII characters`,
    );
  return token;
};

/** How long a server whose process is not seen may take to answer. */
const PROBE_MS_MAX = 500;

type Local = LocalAddress & {
  /** The certificate to show, of this kubeconfig; absent: the kubeconfig has no certificate. */
  readonly client?: {readonly tls: Connection['tls']; readonly file: string};
};

/** With the client certificate of its data folder, if `wantsCertificate` and there is one. */
const localOf = (dir: string, file: ServerFile, wantsCertificate: boolean): Local => {
  const kubeconfig = kubeconfigFile(dir);
  const {https, ca} = file;
  const found = wantsCertificate && https !== undefined ? localCertificate(kubeconfig) : undefined;
  if (https === undefined || found?.server !== https) return addressOf(file);
  const {tls} = found;
  return {url: https, ...(ca === undefined ? {} : {ca}), client: {tls, file: kubeconfig}};
};

/** The server that runs on a data folder. Throws CommandError for one that ended and could not take its address away. */
const localServer = async (dir: string, wantsCertificate: boolean): Promise<Local | undefined> => {
  const file = await readServerFile(dir);
  if (file === undefined) return undefined;
  const local = localOf(dir, file, wantsCertificate);
  if (isAlive(file)) return local;
  if ((await recordedServer(dir, file, holdingTimers, PROBE_MS_MAX)) !== 'none') return local;
  throw new CommandError(
    [
      `no server is running: ${join(dir, SERVER_FILE)} names ${local.url}, but process ${file.pid} is gone and no server answers there (it was killed, or the machine restarted)`,
      'start it again with palisade serve, or name another server with --server URL or PALISADE_SERVER',
    ].join('\n'),
  );
};

const given = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

/** The server that was named: --server, then PALISADE_SERVER. */
export const namedServer = ({server}: ConnectionFlags, env: CliIo['env']): string | undefined =>
  server ?? given(env['PALISADE_SERVER']);

/** `elsewhere`: as of withIdsClient. */
const noServer = (env: CliIo['env'], elsewhere: string | undefined): string => {
  const fault = 'no server configured; give --server URL, set PALISADE_SERVER, or start one with palisade serve';
  const kubeconfig = given(env['KUBECONFIG']);
  if (kubeconfig === undefined) return fault;
  if (!kubeconfig.split(delimiter).some(existsSync))
    return `${fault}\nKUBECONFIG ${kubeconfig}: no such file; check the path`;
  const more = elsewhere === undefined ? '' : `; ${elsewhere}`;
  return `${fault}\nKUBECONFIG is used for Kubernetes objects only, unless a Palisade server wrote it${more}`;
};

/** Who named the server that a command without a kubeconfig asks. */
export const serverSource = ({server}: ConnectionFlags, env: CliIo['env']): string =>
  server !== undefined
    ? '--server'
    : given(env['PALISADE_SERVER']) === undefined
      ? join(defaultDataDir(env), SERVER_FILE)
      : 'PALISADE_SERVER';

/**
 * For what every Palisade server has: the server that was named, the one that wrote KUBECONFIG, or the local one. Throws UsageError,
 * CommandError.
 */
export const findConnection = async (flags: ConnectionFlags, {env, cwd}: CliIo, elsewhere?: string): Promise<Found> => {
  const overrides = await toOverrides(flags, cwd);
  const dir = flags.data === undefined ? undefined : resolve(cwd, flags.data);
  const named = dir === undefined ? namedServer(flags, env) : undefined;
  const configured = named === undefined && dir === undefined ? fromOwnKubeconfig(env, overrides) : undefined;
  if (configured !== undefined) return configured;
  const {token = given(env['PALISADE_TOKEN']), ...tls} = overrides;
  const local = named === undefined ? await localServer(dir ?? defaultDataDir(env), token === undefined) : undefined;
  const server = named ?? local?.url;
  if (server === undefined) throw new CommandError(noServer(env, elsewhere));
  const fault =
    !/^https?:\/\//.test(server) || !URL.canParse(server)
      ? 'must be a URL that starts with http:// or https://'
      : /[?#]/.test(server)
        ? 'must be a URL without query (?) and fragment (#)'
        : undefined;
  const source = dir === undefined ? serverSource(flags, env) : join(dir, SERVER_FILE);
  if (fault !== undefined) {
    const text = `${source} "${server}": ${fault}`;
    throw flags.server === undefined ? new CommandError(text) : new UsageError(text);
  }
  if (token !== undefined) checkedToken(token, 'PALISADE_TOKEN');
  const connection = {
    server: server.replace(/\/+$/, ''),
    tls: await tlsTo(local, tls),
    ...(token === undefined ? {} : {authorization: () => `Bearer ${token}`}),
  };
  const credential: Credential =
    local?.client === undefined ? plainCredential(flags.token, env) : localCredential(local.client.file);
  return {connection, credential, namespace: '', source};
};

/** What the flags say goes before what the data folder of a local server has. */
const tlsTo = async (local: Local | undefined, flags: Omit<Overrides, 'token'>): Promise<Connection['tls']> => {
  const client = local?.client?.tls;
  const shown = client === undefined ? {} : {cert: client.cert, key: client.key};
  if (flags.ca !== undefined || flags.insecure === true) return {...flags, ...shown};
  const ca = local?.ca === undefined ? client?.ca : await readLocalAuthority(local.ca);
  return {...(ca === undefined ? {} : {ca}), ...shown};
};

/** Why there was no answer, from which server, named by whom, and what to do where its certificate is not trusted. */
export const noAnswer = (error: TransportError, server: string, source: string): CommandError => {
  const said = error.message.includes(server) ? error.message : `${server}: ${error.message}`;
  const hint = isUntrustedCertificate(error)
    ? '\ngive its CA with --ca FILE (for palisade serve --https: pki/ca.crt in its data folder), or accept any certificate with --insecure'
    : error.code === 'timeout'
      ? '\ncheck that a palisade server has this address, that it is not overloaded (GET /livez), and that no firewall drops the packets; another server: --server URL'
      : '';
  return new CommandError(`${source}: ${said}${hint}`, {cause: error});
};

/** What may be wrong where a server that was named with a path has not found what was asked for; '' otherwise. */
export const pathHint = (notFound: boolean, server: string, source: string): string => {
  const {pathname} = new URL(server);
  return !notFound || pathname === '/'
    ? ''
    : `\n${source}: its path ${pathname} is put before the path of every request; remove it unless a proxy needs it`;
};

/** The way out for users with permissions in some projects only; '' for other refusals. */
const ofOneProject = (error: IdsError, flags: ConnectionFlags): string =>
  error.code === 'PERMISSION_DENIED' && error.message.includes('projects/-/')
    ? `\nthis asked for all projects; if you have permissions in one project only, give the full name: ${'endpoint' in flags ? '--endpoint ' : ''}${fullForm('ENDPOINT')}`
    : '';

/** A wait that a user may take for a command that hangs. */
const NOTE_AFTER_MS = 3_000;

/** For a client: says once on stderr that a server does not answer yet. */
export const noteOfWaiting = (server: string, stderr: CliIo['stderr'], {after} = holdingTimers): (() => () => void) => {
  let isNoted = false;
  return () => {
    const timer = after(NOTE_AFTER_MS, () => {
      if (!isNoted) stderr.write(`palisade: waiting for ${server} to answer\n`);
      isNoted = true;
    });
    return () => timer.cancel();
  };
};

/**
 * Runs `work` with an IDS client; failures to reach or of the server become one readable line. `elsewhere`: what to write
 * if the Kubernetes side was meant. `timeoutMs`: the longest silence of the server.
 */
export const withIdsClient = async <T>(
  flags: ConnectionFlags,
  io: CliIo,
  work: (client: IdsClient) => Promise<T>,
  elsewhere?: string,
  timeoutMs?: number,
): Promise<T> => {
  const {connection, credential, source} = await findConnection(flags, io, elsewhere);
  const onRequest = noteOfWaiting(connection.server, io.stderr);
  const client = createIdsClient(connection, {userAgent: 'palisade-cli', onRequest, timeoutMs});
  try {
    return await work(client);
  } catch (error) {
    if (isTransportError(error)) throw noAnswer(error, client.server, source);
    if (isIdsError(error)) {
      const text = refusalText(error, credential, io.env);
      const hint = pathHint(error.code === 'NOT_FOUND', client.server, source);
      throw new CommandError(`${text}${ofOneProject(error, flags)}${hint}`, {cause: error});
    }
    throw error;
  } finally {
    client.close();
  }
};

/** Every IDS endpoint that the caller may see. */
export const EVERYWHERE = 'projects/-/locations/-';

const fullForm = (id: string): string => `projects/PROJECT/locations/LOCATION/endpoints/${id}`;

/** All of them, or those of a parent, page by page. */
export async function* allEndpoints(
  client: Pick<IdsClient, 'listEndpoints'>,
  parent = EVERYWHERE,
): AsyncGenerator<IdsEndpoint> {
  for (let pageToken = ''; ; ) {
    const page = await client.listEndpoints(parent, {pageSize: 1000, ...(pageToken === '' ? {} : {pageToken})});
    yield* page.endpoints ?? [];
    pageToken = page.nextPageToken ?? '';
    if (pageToken === '') return;
  }
}

type ResolveOptions = {
  /** How the user gave it. */
  readonly said?: string;
  /** What is asked for outlives the endpoint. */
  readonly mayBeGone?: boolean;
  /** What to write if the Kubernetes side was meant; asked only when there is no such endpoint. */
  readonly elsewhere?: () => Promise<string | undefined>;
};

/** The full resource name that `word` stands for: itself, or the one endpoint with that id. */
export const resolveEndpoint = async (
  client: IdsClient,
  word: string,
  {said = `--endpoint ${word}`, mayBeGone = false, elsewhere}: ResolveOptions = {},
): Promise<string> => {
  if (parseEndpointName(word) !== undefined) return word;
  const found: string[] = [];
  for await (const {name} of allEndpoints(client)) if (name?.endsWith(`/endpoints/${word}`)) found.push(name);
  const [only, ...others] = found;
  if (only === undefined) {
    const more = await elsewhere?.();
    const gone = `; for records of a deleted endpoint give its full name, ${fullForm(word)}`;
    throw new CommandError(
      `${said}: no IDS endpoint has this ID; list them with palisade describe${mayBeGone ? gone : ''}${more === undefined ? '' : `; ${more}`}`,
    );
  }
  if (others.length > 0)
    throw new CommandError(`${said}: several endpoints have this ID; give one of\n  ${found.join('\n  ')}`);
  return only;
};
