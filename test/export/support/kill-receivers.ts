// SPDX-License-Identifier: Apache-2.0
/** Receivers of every exporter that a test stops, starts again, and asks for the ids that they have. */
import {createHmac} from 'node:crypto';
import {existsSync, mkdirSync, readdirSync, readFileSync, renameSync, watch} from 'node:fs';
import {createServer as createHttpServer, type Server as HttpServer} from 'node:http';
import {createServer as createTcpServer, type Server, type Socket} from 'node:net';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {createServer as createTlsServer} from 'node:tls';
import {freePort} from '../../../bench/processes.ts';
import {makeCertificates} from '../../ids/export/test-certificates.ts';
import {ACCEPTED, startOtlpReceiver, uidsOf} from './otlp-receiver.ts';
import {whyNoProtos} from './published-protos.ts';
import {startRsyslog, whyNoRsyslog} from './rsyslog.ts';

/** `seen`: records came, and are not yet confirmed; `done`: they are. */
export type Moment = 'seen' | 'done';

export type KillReceiver = {
  readonly url: string;
  readonly options?: Readonly<Record<string, string>>;
  readonly files?: object;
  /** What it has, confirmed or not. */
  readonly ids: () => ReadonlySet<string>;
  /** Called at once, with how many records it was. */
  onRecords: (moment: Moment, count: number) => void;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Where `stop` keeps something. */
  close?(): Promise<void>;
};

export type ReceiverKind = {
  readonly name: string;
  readonly whyNot: string;
  /** It loses what comes while it is away, which the sender cannot know; or a server does not start without it. */
  readonly isNeverAway?: boolean;
  /** There is a moment at which it has confirmed records. */
  readonly confirms: boolean;
  open(dir: string): Promise<KillReceiver>;
};

const ignore = (): void => undefined;

const closed = async (server: HttpServer | Server): Promise<void> => {
  const ended = new Promise(resolve => server.close(resolve));
  if ('closeAllConnections' in server) server.closeAllConnections();
  await ended;
};

/** Records that a change of a file counts as. */
const EVENT = 50;

const SECRET = 'a-secret-of-thirty-two-characters';

const webhook: ReceiverKind = {
  name: 'webhook',
  confirms: true,
  whyNot: '',
  open: async () => {
    const port = await freePort();
    const ids = new Set<string>();
    let server: HttpServer | undefined;
    const receiver: KillReceiver = {
      url: `http://127.0.0.1:${port}/hook`,
      files: {secret: SECRET},
      ids: () => ids,
      onRecords: ignore,
      start: async () => {
        server = createHttpServer(async (request, response) => {
          const body = await text(request).catch(() => '');
          const {'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature} = request.headers;
          const right = createHmac('sha256', SECRET).update(`${id}.${at}.${body}`).digest('base64');
          if (signature !== `v1,${right}`) return void response.writeHead(401).end();
          const items = JSON.parse(body) as {endpoint: string; kind: string; id: string}[];
          for (const item of items) ids.add(`${item.endpoint}/${item.kind}/${item.id}`);
          receiver.onRecords('seen', items.length);
          response.writeHead(204).end(() => receiver.onRecords('done', items.length));
        });
        await new Promise<void>(resolve => server?.listen(port, '127.0.0.1', resolve));
      },
      stop: async () => {
        if (server !== undefined) await closed(server);
      },
    };
    return receiver;
  },
};

const otlp: ReceiverKind = {
  name: 'otlp',
  confirms: true,
  whyNot: whyNoProtos,
  open: async () => {
    const port = await freePort();
    const ids = new Set<string>();
    let running: AsyncDisposable | undefined;
    const receiver: KillReceiver = {
      url: `otlp+http://127.0.0.1:${port}`,
      ids: () => ids,
      onRecords: ignore,
      start: async () => {
        running = await startOtlpReceiver(logs => {
          for (const uid of uidsOf(logs)) ids.add(uid);
          receiver.onRecords('seen', logs.length);
          setImmediate(() => receiver.onRecords('done', logs.length));
          return ACCEPTED;
        }, port);
      },
      stop: async () => running?.[Symbol.asyncDispose](),
    };
    return receiver;
  },
};

/** `MSG-LEN SP MSG`; what is left is given back. */
const takeMessages = (bytes: Buffer, take: (message: string) => void): Buffer => {
  let rest = bytes;
  for (;;) {
    const [frame, length] = /^(\d+) /.exec(rest.subarray(0, 12).toString('latin1')) ?? [];
    const from = frame?.length ?? 0;
    if (length === undefined || rest.length < from + Number(length)) return rest;
    take(rest.subarray(from, from + Number(length)).toString());
    rest = rest.subarray(from + Number(length));
  }
};

const idOfMessage = (message: string): string => {
  const [, id, kind, endpoint] = / id="([^"]+)" kind="([^"]+)" endpoint="([^"]+)"/.exec(message) ?? [];
  return `${endpoint}/${kind}/${id}`;
};

const syslog = (transport: 'tcp' | 'tls'): ReceiverKind => ({
  name: `syslog ${transport}`,
  confirms: true,
  whyNot: '',
  open: async () => {
    const port = await freePort();
    const {ca, server: pair} = await makeCertificates('logs.example');
    const ids = new Set<string>();
    const sockets = new Set<Socket>();
    let server: Server | undefined;
    const serve = (socket: Socket): void => {
      let rest: Buffer = Buffer.alloc(0);
      let count = 0;
      sockets.add(socket);
      socket.on('error', ignore);
      socket.on('close', () => sockets.delete(socket));
      socket.on('data', (chunk: Buffer) => {
        rest = takeMessages(Buffer.concat([rest, chunk]), message => {
          ids.add(idOfMessage(message));
          count++;
          receiver.onRecords('seen', 1);
        });
      });
      socket.on('end', () => receiver.onRecords('done', count));
    };
    const receiver: KillReceiver = {
      url: `syslog+${transport}://127.0.0.1:${port}`,
      ...(transport === 'tls' ? {options: {serverName: 'logs.example'}, files: {ca}} : {}),
      ids: () => ids,
      onRecords: ignore,
      start: async () => {
        server = transport === 'tls' ? createTlsServer(pair, serve) : createTcpServer(serve);
        server.on('tlsClientError', ignore);
        await new Promise<void>(resolve => server?.listen(port, '127.0.0.1', resolve));
      },
      stop: async () => {
        const ended = server === undefined ? Promise.resolve() : closed(server);
        for (const socket of sockets) socket.destroy();
        await ended;
      },
    };
    return receiver;
  },
});

const udp: ReceiverKind = {
  name: 'syslog udp',
  confirms: false,
  whyNot: whyNoRsyslog,
  isNeverAway: true,
  open: async dir => {
    const rsyslog = await startRsyslog(dir, {transport: 'udp'});
    const watcher = watch(dir, () => receiver.onRecords('seen', EVENT));
    const receiver: KillReceiver = {
      url: `syslog+udp://127.0.0.1:${rsyslog.port}`,
      ids: () => new Set(rsyslog.messages().map(message => idOfMessage(message['structured-data']))),
      onRecords: ignore,
      start: async () => undefined,
      stop: async () => undefined,
      close: async () => {
        watcher.close();
        await rsyslog.stop();
      },
    };
    return receiver;
  },
};

/** A server does not start without its folder; ../away.test.ts takes it away from a running one. */
const eve: ReceiverKind = {
  name: 'eve.json',
  confirms: false,
  isNeverAway: true,
  whyNot: '',
  open: async dir => {
    const [folder, elsewhere] = [join(dir, 'logs'), join(dir, 'elsewhere')];
    mkdirSync(elsewhere);
    let watcher: ReturnType<typeof watch> | undefined;
    /** A torn line is none. */
    const idsIn = (name: string): readonly string[] =>
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .flatMap(line => /"palisade":\{"id":"([^"]+)".*\}$/.exec(line)?.[1] ?? []);
    const receiver: KillReceiver = {
      url: `eve:${join(folder, 'eve.json')}`,
      options: {maxBytes: '1MiB', keep: '100'},
      ids: () => new Set(readdirSync(folder).flatMap(idsIn)),
      onRecords: ignore,
      start: async () => {
        if (!existsSync(folder)) renameSync(elsewhere, folder);
        watcher = watch(folder, () => receiver.onRecords('seen', EVENT));
      },
      stop: async () => {
        watcher?.close();
        renameSync(folder, elsewhere);
      },
    };
    return receiver;
  },
};

export const RECEIVERS: readonly ReceiverKind[] = [syslog('tcp'), syslog('tls'), udp, webhook, otlp, eve];
