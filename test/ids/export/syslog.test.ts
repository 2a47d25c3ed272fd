// SPDX-License-Identifier: Apache-2.0
/** The syslog exporters against receivers of Node: what arrives when a receiver is slow, goes away or turns senders away. */
import {createSocket} from 'node:dgram';
import {once} from 'node:events';
import {type AddressInfo, createServer, type Server, type Socket} from 'node:net';
import {createServer as createTlsServer, type TlsOptions} from 'node:tls';
import {afterEach, expect, test, vi} from 'vitest';
import {ManualTime, makeStore, openExporter, passMinutes, passUntil, runnerOf, settingsOf} from './export-lab.ts';
import {makeCertificates} from './test-certificates.ts';

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** The messages of octet counting, and what is left. */
const unframed = (bytes: Buffer): {readonly messages: string[]; readonly rest: Buffer} => {
  const messages: string[] = [];
  let rest = bytes;
  for (;;) {
    const [, length] = /^(\d+) /.exec(rest.subarray(0, 12).toString('latin1')) ?? [];
    if (length === undefined) return {messages, rest};
    const start = length.length + 1;
    const end = start + Number(length);
    if (rest.length < end) return {messages, rest};
    messages.push(rest.subarray(start, end).toString());
    rest = rest.subarray(end);
  }
};
const idIn = (message: string): string => / id="([^"]+)"/.exec(message)?.[1] ?? '';

type Receiver = {
  readonly port: number;
  readonly messages: string[];
  connections: number;
  /** Of each connection, before its bytes are read; false: not read by the receiver. */
  onConnection: (socket: Socket) => boolean;
  stop(): Promise<void>;
};

const receive = async (tls?: TlsOptions, port = 0): Promise<Receiver> => {
  const open = new Set<Socket>();
  const receiver: Receiver = {
    port: 0,
    messages: [],
    connections: 0,
    onConnection: () => true,
    stop: async () => {
      for (const socket of open) socket.resetAndDestroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
  const serve = (socket: Socket): void => {
    open.add(socket);
    receiver.connections++;
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
    if (!receiver.onConnection(socket)) return;
    let bytes: Buffer = Buffer.alloc(0);
    socket.on('data', chunk => {
      const {messages, rest} = unframed(Buffer.concat([bytes, chunk]));
      receiver.messages.push(...messages);
      bytes = rest;
    });
  };
  const server: Server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => receiver.stop().catch(() => undefined));
  return Object.assign(receiver, {port: (server.address() as AddressInfo).port});
};

const idsOf = (messages: readonly string[]): readonly string[] => [...new Set(messages.map(idIn))].sort();

test.each(['close', 'write'])(
  '44-5 syslog+tcp, confirm=%s: a receiver that is away for ten minutes gets every record',
  async confirm => {
    const first = await receive();
    const settings = settingsOf(`syslog+tcp://127.0.0.1:${first.port}`, {options: {confirm}});
    const {records, write, ids} = makeStore();
    const time = new ManualTime();
    const runner = runnerOf(records, await openExporter(settings), settings, time);
    runner.start();
    await write(600);
    await passUntil(time, () => first.messages.length === 600);
    await first.stop();
    await write(600);
    await passMinutes(time, 10);
    expect((await runner.health()).state).toBe('RETRYING');
    const second = await receive(undefined, first.port);
    await passUntil(time, async () => (await runner.health()).lagRecords === 0);
    await runner.stop();
    await expect.poll(() => idsOf([...first.messages, ...second.messages])).toEqual(await ids());
  },
);

test('44-5 syslog+tcp: bytes that a receiver had not read when it was killed are sent again', async () => {
  const receiver = await receive();
  const settings = settingsOf(`syslog+tcp://127.0.0.1:${receiver.port}`);
  const {records, write, ids} = makeStore();
  const time = new ManualTime();
  const runner = runnerOf(records, await openExporter(settings), settings, time);
  const ignored: Socket[] = [];
  receiver.onConnection = socket => {
    if (receiver.connections > 3) return true;
    ignored.push(socket.pause());
    return false;
  };
  await write(50);
  runner.start();
  for (let n = 1; n <= 3; n++) {
    await passUntil(time, () => receiver.connections === n);
    expect((await runner.health()).sent).toBe(0);
    ignored.at(-1)?.resetAndDestroy();
  }
  await passUntil(time, async () => (await runner.health()).sent === 50);
  await runner.stop();
  expect(idsOf(receiver.messages)).toEqual(await ids());
});

test('44-5 syslog+tcp: a receiver that turns the sender away has received nothing', async () => {
  const receiver = await receive();
  receiver.onConnection = socket => {
    if (receiver.connections > 1) return true;
    socket.end();
    socket.resume();
    return false;
  };
  const settings = settingsOf(`syslog+tcp://127.0.0.1:${receiver.port}`);
  const {records, write} = makeStore();
  const time = new ManualTime();
  const runner = runnerOf(records, await openExporter(settings), settings, time);
  await write(1);
  runner.start();
  await passUntil(time, () => receiver.messages.length === 1);
  await passUntil(time, async () => (await runner.health()).sent === 1);
  expect((await runner.health()).retried).toBe(1);
  await runner.stop();
});

test('44-5 syslog+tcp, confirm=write: the last batch is sent again on the next connection', async () => {
  const receiver = await receive();
  const settings = settingsOf(`syslog+tcp://127.0.0.1:${receiver.port}`, {options: {confirm: 'write'}});
  const {records, write, ids} = makeStore();
  const time = new ManualTime();
  const runner = runnerOf(records, await openExporter(settings), settings, time);
  let first: Socket | undefined;
  receiver.onConnection = socket => {
    if (receiver.connections > 1) return true;
    first = socket.pause();
    return false;
  };
  await write(20);
  runner.start();
  await expect.poll(async () => (await runner.health()).sent).toBe(20);
  first?.resetAndDestroy();
  await write(20);
  await passUntil(time, () => receiver.messages.length >= 40);
  await runner.stop();
  expect(idsOf(receiver.messages)).toEqual(await ids());
});

test('44-5 syslog+tcp: a stopped exporter does not wait for a receiver that reads nothing', async () => {
  const receiver = await receive();
  receiver.onConnection = socket => {
    socket.pause();
    return false;
  };
  const settings = settingsOf(`syslog+tcp://127.0.0.1:${receiver.port}`);
  const {records, write} = makeStore();
  const time = new ManualTime();
  const runner = runnerOf(records, await openExporter(settings), settings, time);
  await write(500, 'x'.repeat(7_000));
  runner.start();
  await expect.poll(() => receiver.connections).toBe(1);
  const stopped = runner.stop();
  time.advance(5_000);
  await stopped;
});

test('44-5 syslog+tls: the CA, the name of the receiver and the certificate of the client are checked', async () => {
  const {ca, server, client} = await makeCertificates('logs.example');
  const receiver = await receive({...server, ca, requestCert: true, rejectUnauthorized: true});
  const {records, write, ids} = makeStore();
  await write(700);
  const url = `syslog+tls://127.0.0.1:${receiver.port}`;
  const {cert, key} = client;
  const attempt = async (options: Record<string, string>, files: object): Promise<string> => {
    const settings = settingsOf(url, {options});
    const exporter = await openExporter(settings, files);
    const time = new ManualTime();
    const runner = runnerOf(makeCopy(records), exporter, settings, time);
    runner.start();
    await expect
      .poll(async () => {
        const {sent, lastError} = await runner.health();
        return sent === 700 || lastError !== '';
      })
      .toBe(true);
    const {lastError} = await runner.health();
    await runner.stop();
    return lastError;
  };
  expect(await attempt({serverName: 'logs.example'}, {cert, key})).toContain('certificate');
  expect(await attempt({}, {ca, cert, key})).toContain("IP: 127.0.0.1 is not in the cert's list");
  expect(await attempt({serverName: 'logs.example'}, {ca})).not.toBe('');
  expect(receiver.messages).toEqual([]);
  expect(await attempt({serverName: 'logs.example'}, {ca, cert, key})).toBe('');
  expect(idsOf(receiver.messages)).toEqual(await ids());
  await expect(openExporter(settingsOf(url), {ca: 'no PEM', cert: 'x', key: 'y'})).rejects.toThrow(
    'certificate or key cannot be used',
  );
});

test('44-5 syslog+tls: a host name goes into SNI, serverName before it, an address does not', async () => {
  const {ca, server} = await makeCertificates('localhost');
  const names: string[] = [];
  const SNICallback: TlsOptions['SNICallback'] = (name, done) => {
    names.push(name);
    done(null);
  };
  const receiver = await receive({...server, SNICallback});
  for (const [host, options] of [
    ['localhost', {}],
    ['127.0.0.1', {serverName: 'localhost'}],
    ['127.0.0.1', {}],
  ] as const) {
    const exporter = await openExporter(settingsOf(`syslog+tls://${host}:${receiver.port}`, {options}), {ca});
    await exporter.send([], new AbortController().signal).catch(() => undefined); // the address is not in the certificate
    await exporter.close();
  }
  expect(names).toEqual(['localhost', 'localhost']);
});

test('44-5 syslog+tls: certificates are checked whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
  const {server} = await makeCertificates('localhost');
  const receiver = await receive({...server});
  const exporter = await openExporter(settingsOf(`syslog+tls://localhost:${receiver.port}`));
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  closers.push(() => vi.unstubAllEnvs());
  await expect(exporter.send([], new AbortController().signal)).rejects.toThrow('certificate');
});

/** The same records for a reader that is new. */
const makeCopy = (records: ReturnType<typeof makeStore>['records']) =>
  new Proxy(records, {
    get: (target, name) => {
      if (name === 'loadReader') return async () => undefined;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

test('44-5 syslog+udp: an address that cannot be sent to is named by its error, each time', async () => {
  const exporter = await openExporter(settingsOf('syslog+udp://255.255.255.255:514'));
  for (let n = 0; n < 2; n++)
    await expect(exporter.send([], new AbortController().signal)).rejects.toThrow(/^connect E(ACCES|NETUNREACH)/);
  await exporter.close();
});

test('44-5 syslog+udp: a datagram for each record, within its bound, and a closed port is noticed', async () => {
  const socket = createSocket('udp4');
  closers.push(() => new Promise<void>(resolve => socket.close(resolve)));
  const messages: string[] = [];
  socket.on('message', message => messages.push(message.toString()));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const {port} = socket.address();
  const settings = settingsOf(`syslog+udp://127.0.0.1:${port}`);
  const {records, write, ids} = makeStore();
  const time = new ManualTime();
  const runner = runnerOf(records, await openExporter(settings), settings, time);
  await write(20);
  await write(1, 'd'.repeat(9_000));
  runner.start();
  await expect.poll(() => idsOf(messages)).toEqual(await ids());
  expect(Math.max(...messages.map(message => message.length))).toBeLessThanOrEqual(2_048);
  await expect.poll(async () => (await runner.health()).truncated).toBe(1);
  await runner.stop();
  const closed = createSocket('udp4').bind(0, '127.0.0.1');
  await once(closed, 'listening');
  const {port: noPort} = closed.address();
  await new Promise<void>(resolve => closed.close(resolve));
  const nobody = settingsOf(`syslog+udp://127.0.0.1:${noPort}`, {name: 'nobody'});
  const lonely = runnerOf(records, await openExporter(nobody), nobody, time);
  lonely.start();
  await expect.poll(async () => (await lonely.health()).lastError).toContain('ECONNREFUSED');
  await lonely.stop();
});
