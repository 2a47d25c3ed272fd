// SPDX-License-Identifier: Apache-2.0
/** Which server a command talks to, and as whom: --server, then PALISADE_SERVER, then the server that left its address in the data folder. */
import {
  type Connection,
  createIdsClient,
  type IdsClient,
  type IdsEndpoint,
  isIdsError,
  isTransportError,
  parseEndpointName,
  type TransportError,
} from '@palisade/client';
import {type CliIo, CommandError} from '../cli/io.ts';
import type {OptionTable} from '../cli/options.ts';
import {defaultDataDir} from '../run/config.ts';
import {readServerFile} from '../run/server-file.ts';

/** Flags of every command that asks a server. */
export const connectionOptions = {
  server: {
    type: 'string',
    value: 'URL',
    doc: 'The server (default: $PALISADE_SERVER; else, for Endpoints and namespaces, the context of $KUBECONFIG; else the one on the default data folder).',
  },
  token: {type: 'string', value: 'TOKEN', doc: 'Bearer token (default: $PALISADE_TOKEN).'},
  insecure: {type: 'boolean', doc: 'Accept any certificate of the server.'},
  json: {type: 'boolean', doc: 'JSON on stdout, one object a line.'},
} as const satisfies OptionTable;

export type ConnectionFlags = {
  readonly server: string | undefined;
  readonly token: string | undefined;
  readonly insecure: boolean;
};

const localServer = async (env: CliIo['env']): Promise<string | undefined> =>
  (await readServerFile(defaultDataDir(env)))?.http;

export const toConnection = async (flags: ConnectionFlags, env: CliIo['env']): Promise<Connection> => {
  const server = flags.server ?? env['PALISADE_SERVER'] ?? (await localServer(env));
  if (server === undefined)
    throw new CommandError(
      'no server: give --server URL or set PALISADE_SERVER, or start one with: palisade serve --auth none',
    );
  if (!/^https?:\/\//.test(server)) throw new CommandError(`server "${server}": must begin with http:// or https://`);
  const token = flags.token ?? env['PALISADE_TOKEN'];
  return {
    server: server.replace(/\/+$/, ''),
    ...(flags.insecure ? {tls: {insecure: true}} : {}),
    ...(token === undefined ? {} : {authorization: () => `Bearer ${token}`}),
  };
};

/** The server has a certificate that is not trusted here. Ref: Node's X509 codes. */
const UNTRUSTED = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;

/** Why there was no answer, from which server, and what to do where its certificate is not trusted. */
export const noAnswer = (error: TransportError, server: string): CommandError => {
  const {code = ''} = (error.cause ?? {}) as NodeJS.ErrnoException;
  const said = error.message.includes(server) ? error.message : `${server}: ${error.message}`;
  const hint = UNTRUSTED.test(code)
    ? '\ntrust its authority (NODE_EXTRA_CA_CERTS=DATA/pki/ca.crt), or give --insecure'
    : '';
  return new CommandError(`${said}${hint}`, {cause: error});
};

/** A refusal for want of a credential says how this command takes one. */
export const withHint = (error: Error): string =>
  /credential|^Unauthorized$/i.test(error.message)
    ? `${error.message}\ngive --token TOKEN or set PALISADE_TOKEN`
    : error.message;

/** Runs `work` with an IDS client; failures to reach or of the server become one readable line. */
export const withIdsClient = async <T>(
  flags: ConnectionFlags,
  io: CliIo,
  work: (client: IdsClient) => Promise<T>,
): Promise<T> => {
  const client = createIdsClient(await toConnection(flags, io.env), {userAgent: 'palisade-cli'});
  try {
    return await work(client);
  } catch (error) {
    if (isTransportError(error)) throw noAnswer(error, client.server);
    if (isIdsError(error)) throw new CommandError(withHint(error), {cause: error});
    throw error;
  } finally {
    client.close();
  }
};

/** Every IDS endpoint that the caller may see. */
export const EVERYWHERE = 'projects/-/locations/-';

/** All of them, page by page. */
export async function* allEndpoints(client: IdsClient): AsyncGenerator<IdsEndpoint> {
  for (let pageToken = ''; ; ) {
    const page = await client.listEndpoints(EVERYWHERE, {pageSize: 1000, ...(pageToken === '' ? {} : {pageToken})});
    yield* page.endpoints ?? [];
    pageToken = page.nextPageToken ?? '';
    if (pageToken === '') return;
  }
}

/** The full resource name that `word` stands for: itself, or the one endpoint with that id. `said` is how the user gave it. */
export const resolveEndpoint = async (
  client: IdsClient,
  word: string,
  said = `--endpoint ${word}`,
): Promise<string> => {
  if (parseEndpointName(word) !== undefined) return word;
  const found: string[] = [];
  for await (const {name} of allEndpoints(client)) if (name?.endsWith(`/endpoints/${word}`)) found.push(name);
  const [only, ...others] = found;
  if (only === undefined) throw new CommandError(`${said}: no IDS endpoint has this id; see: palisade describe`);
  if (others.length > 0)
    throw new CommandError(`${said}: several endpoints have this id; give one of\n  ${found.join('\n  ')}`);
  return only;
};
