// SPDX-License-Identifier: Apache-2.0
/** The ports: on plaintext both protocols however their bytes arrive, and bounds on what a connection may hold. */
import {subscribe, unsubscribe} from 'node:diagnostics_channel';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import type {ServerResponse} from 'node:http';
import {type ClientHttp2Session, connect as connectHttp2, constants} from 'node:http2';
import {connect, type Server, Socket} from 'node:net';
import {text} from 'node:stream/consumers';
import {connect as connectTls} from 'node:tls';
import {afterEach, beforeAll, describe, expect, test, vi} from 'vitest';
import {makeCertificate} from '../testing/certificate.ts';
import {type Handler, type Listener, type ListenerParts, listenPlain, listenTls} from './listeners.ts';

let listener: Listener | undefined;
const sockets: Socket[] = [];
const said: string[] = [];
const say = (_fields: object, message?: string): void => void said.push(message ?? '');
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await listener?.close();
  said.length = 0;
});

const listen = async (limits: ListenerParts['limits'] = {}): Promise<void> => {
  listener = await listenPlain(
    {host: '127.0.0.1', port: 0},
    'http',
    (request, response) => {
      let bytes = 0;
      request.on('data', chunk => {
        bytes += (chunk as Buffer).length;
      });
      request.on('end', () => response.end(`${request.method} ${bytes}`));
    },
    {log: {warn: say, error: say}, limits},
  );
};
const port = (): number => listener?.address.port ?? 0;

type Client = {readonly socket: Socket; readonly received: () => string; readonly closed: Promise<void>};
const open = (): Promise<Client> => opened(connect(port(), '127.0.0.1'), 'connect');
const opened = async (socket: Socket, event: string): Promise<Client> => {
  sockets.push(socket);
  let received = '';
  socket.on('data', chunk => {
    received += chunk.toString('latin1');
  });
  socket.on('error', () => {}); // a reset is a way to be closed
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => socket.once(event, resolve).once('error', reject));
  return {socket, received: () => received, closed};
};
/** One write for each byte; the server, in this process, gets its turn in between. */
const sendSlowly = async ({socket}: Client, bytes: Buffer): Promise<void> => {
  socket.setNoDelay(true);
  for (const byte of bytes) {
    await new Promise(resolve => socket.write(Buffer.of(byte), resolve));
    for (let turns = 0; turns < 3; turns++) await new Promise(resolve => setImmediate(resolve));
  }
};
const answerOf = async (client: Client): Promise<string> => {
  await expect.poll(client.received).toContain('\r\n\r\n');
  return client.received().split('\r\n')[0] ?? '';
};

describe('one port for both protocols', () => {
  test.each(['POST', 'PUT', 'PATCH', 'PROPFIND'])('%s byte by byte is HTTP/1.1', async method => {
    await listen();
    const client = await open();
    await sendSlowly(client, Buffer.from(`${method} / HTTP/1.1\r\nHost: t\r\nContent-Length: 4\r\n\r\nbody`));
    expect(await answerOf(client)).toBe('HTTP/1.1 200 OK');
    expect(client.received()).toMatch(`${method} 4`);
  });

  test('HTTP/2 byte by byte is HTTP/2: the server answers with its settings', async () => {
    await listen();
    const client = await open();
    const emptySettings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    await sendSlowly(client, Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), emptySettings]));
    await expect.poll(() => client.received().length).toBeGreaterThan(9);
    expect(client.received().charCodeAt(3)).toBe(4);
  });

  test('a usual HTTP/2 client is served', async () => {
    await listen();
    const session = connectHttp2(`http://127.0.0.1:${port()}`);
    const stream = session.request({':method': 'POST', ':path': '/'});
    stream.end('four');
    expect(await text(stream)).toBe('POST 4');
    session.close();
  });

  test('HTTP/2 with Expect: 100-continue is told to go on', async () => {
    await listen();
    const session = connectHttp2(`http://127.0.0.1:${port()}`);
    const stream = session.request({':method': 'POST', ':path': '/', expect: '100-continue'});
    await once(stream, 'continue');
    stream.end('four');
    expect(await text(stream)).toBe('POST 4');
    session.close();
  });

  const END_HEADERS = 4;
  const END_STREAM = 1;
  test.each([0, 8].flatMap(code => [END_HEADERS, END_HEADERS | END_STREAM].map(flags => ({code, flags}))))(
    'a stream that expects 100-continue and is reset in the same write ends nothing: %j',
    async ({code, flags}) => {
      await listen();
      const frame = (type: number, bits: number, stream: number, payload: Buffer) => {
        const head = Buffer.alloc(9);
        head.writeUIntBE(payload.length, 0, 3);
        head[3] = type;
        head[4] = bits;
        head.writeUInt32BE(stream, 5);
        return Buffer.concat([head, payload]);
      };
      const short = (value: string) => Buffer.concat([Buffer.of(value.length), Buffer.from(value)]);
      const fields = {':method': 'POST', ':scheme': 'http', ':path': '/', ':authority': 'x', expect: '100-continue'};
      const pairs = Object.entries(fields).flatMap(([name, value]) => [Buffer.of(0), short(name), short(value)]);
      const client = await open();
      client.socket.write(
        Buffer.concat([
          Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
          frame(4, 0, 0, Buffer.alloc(0)),
          frame(1, flags, 1, Buffer.concat(pairs)),
          frame(3, 0, 1, Buffer.from([0, 0, 0, code])),
          frame(6, 0, 0, Buffer.from('answered')),
        ]),
      );
      await expect.poll(() => client.received()).toContain('answered'); // to the ping behind it
    },
  );

  test.each([
    ['GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n', '400 Bad Request: too many Host headers'],
    [
      'GET /?watch=1 HTTP/1.1\r\nHost: a\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      '400 Bad Request: too many Host headers',
    ],
    ['GET / HTTP/1.1\r\n\r\n', '400 Bad Request: missing required Host header'],
    ['GET / HTTP/2.0\r\nHost: a\r\n\r\n', '505 HTTP Version Not Supported: unsupported protocol version'],
  ])('%j is refused as by Go, and the connection ends', async (head, refusal) => {
    await listen();
    const client = await open();
    client.socket.write(head);
    await client.closed;
    expect(client.received()).toMatch(new RegExp(`^HTTP/1\\.1 ${refusal}\r\n(?:.+\r\n)*\r\n${refusal}$`));
    expect(client.received()).toContain('content-type: text/plain; charset=utf-8\r\n');
  });

  describe('requests with many or long header fields', () => {
    const FIELDS_MAX = 1_024; // Host is one of them, `:authority` is not
    const groups = (count: number, bytes = 40) =>
      Array.from({length: count}, (_, i) => `team-${i}-`.padEnd(bytes, 'x'));
    const serveGroups = async (): Promise<void> => {
      listener = await listenPlain({host: '127.0.0.1', port: 0}, 'http', (request, response) =>
        response.end(`${String(request.headers['impersonate-group']).split(', ').length} groups`),
      );
    };
    const overHttp1 = async (fields: readonly string[], target = '/'): Promise<Client> => {
      const client = await open();
      client.socket.write(`GET ${target} HTTP/1.1\r\nHost: t\r\n${fields.map(field => `${field}\r\n`).join('')}\r\n`);
      return client;
    };
    const overHttp2 = (session: ClientHttp2Session, named: readonly string[]): Promise<string> =>
      text(session.request({':path': '/', 'impersonate-group': named as never}));
    /** One that has answered: the server's bounds are known to both. */
    const openHttp2 = async (): Promise<ClientHttp2Session> => {
      const session = connectHttp2(`http://127.0.0.1:${port()}`, {maxSendHeaderBlockLength: 1_000_000});
      expect(await overHttp2(session, ['a'])).toBe('1 groups');
      return session;
    };

    test('who acts for a user of a thousand groups may name all of them, over either protocol', async () => {
      await serveGroups();
      const most = groups(FIELDS_MAX - 1, 100);
      const client = await overHttp1(most.map(group => `Impersonate-Group: ${group}`));
      await expect.poll(client.received).toContain(`${FIELDS_MAX - 1} groups`);
      const session = await openHttp2();
      expect(await overHttp2(session, groups(FIELDS_MAX, 100))).toBe(`${FIELDS_MAX} groups`);
      session.close();
    });

    test('more than that is refused as a whole, never served with some of them', async () => {
      await serveGroups();
      const refused = 'HTTP/1.1 431 Request Header Fields Too Large';
      const tooMany = groups(FIELDS_MAX).map(group => `Impersonate-Group: ${group}`);
      expect(await answerOf(await overHttp1(tooMany))).toBe(refused);
      const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', ...tooMany];
      expect(await answerOf(await overHttp1(upgrade, '/?watch=1'))).toBe(refused);
      expect(await answerOf(await overHttp1([`X: ${'a'.repeat(200_000)}`]))).toBe(refused);
    });

    test.each([
      ['too many', groups(FIELDS_MAX + 1)],
      ['far too long', groups(FIELDS_MAX, 160)],
    ])(
      'over HTTP/2 fields that are %s end the stream, and leave the others of its connection alone',
      async (_, named) => {
        await serveGroups();
        const session = await openHttp2();
        await expect(overHttp2(session, named)).rejects.toThrow(/ENHANCE_YOUR_CALM/);
        expect(await overHttp2(session, ['a'])).toBe('1 groups');
        session.close();
      },
    );

    test('over HTTP/2 fields that are too long are 431, few or many, also before the client knows of the bound', async () => {
      await serveGroups();
      const session = connectHttp2(`http://127.0.0.1:${port()}`, {maxSendHeaderBlockLength: 10_000_000});
      const statusOf = async (named: readonly string[]) => {
        const stream = session.request({':path': '/', 'impersonate-group': named as never});
        const [headers] = await once(stream, 'response');
        stream.resume();
        return (headers as {':status': number})[':status'];
      };
      expect(await statusOf(Array<string>(1_000).fill('a'.repeat(200)))).toBe(431);
      expect(await statusOf(groups(3, 44_000))).toBe(431);
      expect(await statusOf(groups(3, 43_000))).toBe(200);
      expect(await overHttp2(session, ['a'])).toBe('1 groups');
      session.close();
    });

    test.each([
      ['one field of more than 64 KiB as it is sent', ['~'.repeat(65_537)]],
      ['a head of more than nine frames', Array(4).fill('~'.repeat(37_000))],
    ])('over HTTP/2 %s ends the connection', async (_, named) => {
      await serveGroups();
      const session = await openHttp2();
      const ended = new Promise(resolve => session.once('error', resolve));
      await expect(overHttp2(session, named)).rejects.toThrow();
      expect(await ended).toMatchObject({code: 'ERR_HTTP2_SESSION_ERROR'});
    });
  });

  test.each([' ', ' jane ', '\tjane'])('over HTTP/2 a header keeps the space around its value: %j', async user => {
    listener = await listenPlain({host: '127.0.0.1', port: 0}, 'http', (request, response) =>
      response.end(JSON.stringify(request.headers['impersonate-user'])),
    );
    const session = connectHttp2(`http://127.0.0.1:${port()}`);
    expect(await text(session.request({':path': '/', 'impersonate-user': user}))).toBe(JSON.stringify(user));
    session.close();
  });
});

describe('what is written goes out at once', () => {
  const hear: Record<string, () => Promise<Listener>> = {
    plain: () => listenPlain({host: '127.0.0.1', port: 0}, 'http', () => {}),
    // without a certificate no handshake succeeds, and none is needed here
    TLS: () => listenTls({host: '127.0.0.1', port: 0}, 'https', {cert: '', key: ''}, () => {}),
  };
  test.each(Object.keys(hear))('%s: no write of the server waits for an acknowledgement', async name => {
    const setNoDelay = vi.spyOn(Socket.prototype, 'setNoDelay');
    listener = await hear[name]?.();
    const {socket} = await open();
    await expect.poll(() => setNoDelay.mock.contexts.map(of => (of as Socket).remotePort)).toContain(socket.localPort);
    expect(setNoDelay.mock.calls).not.toContainEqual([false]);
    setNoDelay.mockRestore();
  });
});

test('whether the other end of a quiet connection is still there is asked from time to time', async () => {
  await listen();
  const {socket} = await open();
  const hex = (number = 0): string => number.toString(16).toUpperCase().padStart(4, '0');
  const ends = new RegExp(`: \\S+:${hex(port())} \\S+:${hex(socket.localPort)} 01 \\S+ (\\d\\d):`);
  const timerOf = (): string | undefined => ends.exec(readFileSync('/proc/net/tcp', 'latin1'))?.[1];
  await expect.poll(timerOf).toBe('02'); // keep-alive. Ref: Linux, proc_net_tcp
});

describe('an HTTP/2 stream that its client resets with NO_ERROR', () => {
  const MANY = Buffer.alloc(1_000_000);
  /** A request whose answer begins, with more bytes than the client lets the server send, and what the server's side tells. */
  const begun = async (isWhole: boolean, limits: ListenerParts['limits'] = {}) => {
    const ends: string[] = [];
    const at = {host: '127.0.0.1', port: 0};
    const answer: Handler = (_request, response) => {
      response.on('close', () => ends.push('close'));
      if (isWhole) response.end(MANY);
      else (response as ServerResponse).write(MANY);
    };
    listener = await listenPlain(at, 'http', answer, {limits});
    const socket = connect(port(), '127.0.0.1');
    sockets.push(socket);
    const session = connectHttp2(`http://127.0.0.1:${port()}`, {createConnection: () => socket});
    session.on('error', () => {});
    const stream = session.request({':path': '/'});
    await once(stream, 'response');
    return {stream, ends};
  };

  test('while bytes of its answer wait is over at once, for the server too', async () => {
    const {stream, ends} = await begun(false);
    stream.close(constants.NGHTTP2_NO_ERROR);
    await expect.poll(() => ends).toEqual(['close']);
  });

  test('while a whole answer waits is over some time after the client has left', async () => {
    const {stream, ends} = await begun(true, {keepAliveMs: 20});
    stream.close(constants.NGHTTP2_NO_ERROR);
    stream.session?.close();
    await expect.poll(() => ends).toEqual(['close']);
  });
});

describe('requests for a WebSocket', () => {
  const say = (request: unknown): string => String((request as {upgrade: unknown}).upgrade);
  const hear: Record<string, () => Promise<Client>> = {
    plain: async () => {
      listener = await listenPlain(
        {host: '127.0.0.1', port: 0},
        'http',
        (request, response) => void response.end(say(request)),
      );
      return open();
    },
    TLS: async () => {
      const pem = await makeCertificate('127.0.0.1');
      listener = await listenTls(
        {host: '127.0.0.1', port: 0},
        'https',
        pem,
        (request, response) => void response.end(say(request)),
      );
      return opened(
        connectTls({port: port(), rejectUnauthorized: false, ALPNProtocols: ['http/1.1']}),
        'secureConnect',
      );
    },
  };
  const watch = (upgrade: string): string =>
    `GET /?watch=1 HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\n\r\n`;

  test.each(Object.keys(hear))('%s: a watch comes to the handler with its socket, which then ends', async name => {
    const client = (await hear[name]?.()) as Client;
    client.socket.write(watch('websocket'));
    await client.closed;
    expect(client.received()).toMatch(/^HTTP\/1.1 200 OK.*\r\n\r\ntrue$/s);
  });

  test.each(Object.keys(hear))('%s: every other upgrade is passed over', async name => {
    const client = (await hear[name]?.()) as Client;
    client.socket.write(watch('h2c'));
    await expect.poll(client.received).toMatch(/^HTTP\/1.1 200 OK.*false/s);
    client.socket.write('GET / HTTP/1.1\r\nHost: t\r\n\r\n');
    await expect.poll(client.received).toMatch(/false.*HTTP\/1.1 200 OK/s);
  });
});

describe('a request without TLS on a TLS port', () => {
  let pem = {cert: '', key: ''};
  beforeAll(async () => {
    pem = await makeCertificate('127.0.0.1');
  });

  test.each(['GET /version', 'HEAD /', 'POST /api', 'PUT /api', 'OPTIONS /'])('%s is told so', async request => {
    listener = await listenTls({host: '127.0.0.1', port: 0}, 'https', pem, (_request, response) => response.end());
    const [silent, client] = [await open(), await open()];
    client.socket.write(`${request} HTTP/1.1\r\nHost: t\r\n\r\n`);
    await client.closed;
    expect(client.received()).toBe('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
    expect(silent.received()).toBe('');
  });

  test('what is no request is not answered', async () => {
    listener = await listenTls({host: '127.0.0.1', port: 0}, 'https', pem, (_request, response) => response.end());
    const client = await open();
    client.socket.write('hello world');
    await client.closed;
    expect(client.received()).toBe('');
  });
});

describe('bounds', () => {
  test.each([
    ['nothing', ''],
    ['a first byte', 'P'],
    ['half a head', 'GET / HTTP/1.1\r\nHost:'],
    ['half a head after a request', 'GET / HTTP/1.1\r\nHost: t\r\n\r\nGET / HT'],
    ['half a body', 'POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nhalf'],
  ])('a connection that sends %s is closed', async (_what, text) => {
    await listen({headersMs: 60, requestMs: 60, checkMs: 20});
    const client = await open();
    client.socket.write(text);
    await client.closed;
  });

  test('a connection that is kept alive without another request is closed', async () => {
    await listen({keepAliveMs: 20});
    const client = await open();
    client.socket.write('GET / HTTP/1.1\r\nHost: t\r\n\r\n');
    expect(await answerOf(client)).toBe('HTTP/1.1 200 OK');
    await client.closed;
  });

  test('the same bounds hold for HTTP/1.1 over TLS', async () => {
    const pem = await makeCertificate('127.0.0.1');
    const limits = {headersMs: 60, requestMs: 60, checkMs: 20, keepAliveMs: 20};
    listener = await listenTls({host: '127.0.0.1', port: 0}, 'https', pem, (_request, response) => response.end(), {
      limits,
    });
    const served = 'GET / HTTP/1.1\r\nHost: t\r\n\r\n';
    for (const text of ['GET / HTTP/1.1\r\nHost:', served]) {
      const socket = connectTls({port: port(), rejectUnauthorized: false, ALPNProtocols: ['http/1.1']});
      sockets.push(socket.resume());
      socket.write(text);
      await new Promise(resolve => socket.once('close', resolve));
    }
  }, 20_000); // Node's own: a look every 30 s

  test('one connection more than connectionsMax is closed, logged once, and the others go on', async () => {
    await listen({connectionsMax: 2});
    const [first, second] = [await open(), await open()];
    for (let i = 0; i < 3; i++) await (await open()).closed;
    expect(said).toEqual(['connection limit reached, new connections refused']);
    first.socket.write('GET / HTTP/1.1\r\nHost: t\r\n\r\n');
    expect(await answerOf(first)).toBe('HTTP/1.1 200 OK');
    second.socket.destroy();
    await expect
      .poll(async () => {
        const next = await open();
        next.socket.write('GET / HTTP/1.1\r\nHost: t\r\n\r\n');
        await Promise.race([next.closed, expect.poll(next.received).toContain('200 OK')]);
        return next.received();
      })
      .toContain('200 OK');
  });

  test('failed accepts are told once until one succeeds, and the port goes on', async () => {
    await listen();
    let server: Server | undefined;
    const note = (message: unknown): void => {
      server = (message as {socket: {_server: Server}}).socket._server;
    };
    subscribe('net.server.socket', note);
    const client = await open();
    await expect.poll(() => server).toBeDefined();
    unsubscribe('net.server.socket', note);
    const fail = (): boolean | undefined =>
      server?.emit('error', Object.assign(new Error('accept EMFILE'), {code: 'EMFILE'}));
    for (let i = 0; i < 3; i++) fail();
    expect(said).toEqual(['connection accept failed']);
    const next = await open();
    next.socket.write('GET / HTTP/1.1\r\nHost: t\r\n\r\n');
    expect(await answerOf(next)).toBe('HTTP/1.1 200 OK');
    fail();
    expect(said).toHaveLength(2);
    client.socket.write('GET / HTTP/1.1\r\nHost: t\r\n\r\n');
    expect(await answerOf(client)).toBe('HTTP/1.1 200 OK');
  });
});
