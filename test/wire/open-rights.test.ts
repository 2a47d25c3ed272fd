// SPDX-License-Identifier: Apache-2.0
/** Watches end when the right that they depend on is gone, with the reason, over HTTP/1.1, HTTP/2 and WebSocket. */
import {once} from 'node:events';
import {connect, createSecureServer, type IncomingHttpHeaders} from 'node:http2';
import type {AddressInfo} from 'node:net';
import {text} from 'node:stream/consumers';
import {
  everyoneIsMaster,
  type Log,
  MASTERS_GROUP,
  parseTokenFile,
  RIGHTS,
  silentLog,
  type TokenSource,
  tokenAuthenticator,
  tokenTableSource,
} from '@palisade/apiserver';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {makeCertificates} from '../ids/export/test-certificates.ts';
import {type AuthWire, RBAC, startAuthWire} from './authz-support.ts';
import {ManualTime} from './manual-time.ts';
import {type Body, ENDPOINTS, endpoints, freshName, WireClient, type WireWatch} from './support.ts';

const USERS = ['admin,admin,u0,system:masters', 'alice,alice,u1', 'bob,bob,u2', 'proxy,proxy,u3'];
const READ = [{verbs: ['list', 'watch'], apiGroups: [''], resources: ['endpoints']}];
const NO_LONGER_VALID = 'the watch was ended because its credential is no longer valid';
const cannotWatch = (user: string) =>
  `endpoints is forbidden: User "${user}" cannot watch resource "endpoints" in API group "" in the namespace "one"`;

let time: ManualTime;
let wire: AuthWire;
/** The first is the file of tokens. */
let sources: TokenSource[];
/** What a failing authenticator fails with. */
let broken: Error | undefined;
let logged: Record<string, unknown>[];

const useTokens = (users: readonly string[]): void => {
  sources[0] = tokenTableSource(parseTokenFile(users.map(line => line.replace(',', '-token,')).join('\n')));
};

beforeEach(async () => {
  time = new ManualTime();
  sources = [];
  broken = undefined;
  logged = [];
  useTokens(USERS);
  const tokens = tokenAuthenticator(sources);
  const log: Log = {...silentLog, info: fields => void logged.push(fields as Record<string, unknown>)};
  wire = await startAuthWire({
    ...{clock: time, timers: time, log},
    authenticator: {
      authenticate: credentials => {
        if (broken !== undefined) throw broken;
        return tokens.authenticate(credentials);
      },
    },
  });
  for (const user of ['alice', 'bob']) await wire.grant(user, 'one', user, READ);
});
afterEach(() => wire[Symbol.asyncDispose]());

const bearer = (user: string): Record<string, string> => ({authorization: `Bearer ${user}-token`});
const watchAs = (user: string, query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  new WireClient(wire.url).watch(ENDPOINTS, query, {...(user === '' ? {} : bearer(user)), ...headers});
const ungrant = (name: string) => wire.as('admin', 'DELETE', `${RBAC}/namespaces/one/rolebindings/${name}`);
const write = async (): Promise<string> => {
  const body = endpoints(freshName());
  await wire.as('admin', 'POST', ENDPOINTS, {body});
  return `ADDED ${body.metadata.name}`;
};
const {watchers, rights} = {watchers: () => wire.api.services.watchers, rights: () => wire.api.services.rights};

/** One round; what it ends takes turns of the event loop. */
const round = async (): Promise<void> => {
  time.advance(RIGHTS.roundMs);
  for (let turns = 0; turns < 10; turns++) await new Promise(resolve => setImmediate(resolve));
};

/** The last event of a watch that has ended: the Status and nothing after it. */
const endOf = async (watch: WireWatch): Promise<Body> => {
  const event = await watch.next();
  expect([event?.type, event?.object.kind, await watch.next()]).toEqual(['ERROR', 'Status', undefined]);
  return event.object;
};

test('47-3 a watch ends after its RoleBinding is deleted; that of another user stays', async () => {
  const [alice, bob] = [await watchAs('alice'), await watchAs('bob')];
  await ungrant('alice');
  await round();
  expect(await endOf(alice)).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: cannotWatch('alice'),
    reason: 'Forbidden',
    details: {kind: 'endpoints'},
    code: 403,
  });
  const added = await write();
  expect([await bob.take(1), watchers().count, watchers().ended.revoked]).toEqual([[added], 1, 1]);
  expect(logged).toContainEqual({user: 'alice', path: ENDPOINTS, reason: 'forbidden'});
  expect((await wire.as('alice', 'GET', ENDPOINTS, {query: {watch: '1'}})).status).toBe(403);
  bob.close();
});

test('47-3 a watch whose right is taken and given again before the round stays', async () => {
  const watch = await watchAs('alice');
  await ungrant('alice');
  await wire.grant('alice', 'one', 'again', READ);
  await round();
  const added = await write();
  expect(await watch.take(1)).toEqual([added]);
  watch.close();
});

test('47-3 a watch ends when its token is gone, or stands for another user', async () => {
  const [alice, bob] = [await watchAs('alice'), await watchAs('bob')];
  useTokens([...USERS.filter(line => !/^(alice|bob)/.test(line)), 'bob,alice,u1']);
  await round();
  for (const watch of [alice, bob])
    expect(await endOf(watch)).toMatchObject({code: 401, reason: 'Unauthorized', message: NO_LONGER_VALID});
  expect(rights().ended).toEqual({unauthenticated: 2, forbidden: 0, unverified: 0});
});

test('47-3 a watch of an impersonated user ends when the impersonator, or the user, loses the right', async () => {
  const act = (user: string) => watchAs('proxy', {}, {'impersonate-user': user});
  const users = [{verbs: ['impersonate'], apiGroups: [''], resources: ['users']}];
  await wire.grant('proxy', '', 'act', users);
  const [asAlice, asBob] = [await act('alice'), await act('bob')];
  await ungrant('alice');
  await round();
  expect(await endOf(asAlice)).toMatchObject({code: 403, message: cannotWatch('alice')});
  await wire.as('admin', 'DELETE', `${RBAC}/clusterrolebindings/act`);
  await round();
  expect(await endOf(asBob)).toMatchObject({code: 403, message: expect.stringContaining('"proxy" cannot impersonate')});
  expect(logged.at(-1)).toEqual({user: 'bob', requestor: 'proxy', path: ENDPOINTS, reason: 'forbidden'});
});

test('47-3 a watch without any credential ends when nobody may watch any longer', async () => {
  await wire.grant('system:anonymous', 'one', 'open', READ);
  const watch = await watchAs('');
  await ungrant('open');
  await round();
  expect(await endOf(watch)).toMatchObject({code: 403, message: cannotWatch('system:anonymous')});
});

test('47-3 a watch that has not begun to send ends too', async () => {
  const {resourceVersion} = (await wire.as('admin', 'GET', ENDPOINTS)).body.metadata;
  const watch = await watchAs('alice', {resourceVersion: String(Number(resourceVersion) + 1_000)});
  await ungrant('alice');
  await round();
  expect(await endOf(watch)).toMatchObject({code: 403});
  expect(watchers().count).toBe(0);
});

test('47-3 a watch whose right cannot be checked stays for some rounds, and then ends', async () => {
  const watch = await watchAs('alice');
  broken = new Error('the directory does not answer');
  for (let rounds = 1; rounds < RIGHTS.failedRoundsMax; rounds++) await round();
  expect([watchers().count, rights().ended.unverified]).toEqual([1, 0]);
  await round();
  expect(await endOf(watch)).toMatchObject({code: 503, reason: 'ServiceUnavailable'});
});

test('47-3 informers and tables: the reason has the form that the watch was asked in', async () => {
  const table = await watchAs('alice', {}, {accept: 'application/json;as=Table;v=v1;g=meta.k8s.io'});
  const protobuf = await watchAs('alice', {}, {accept: 'application/vnd.kubernetes.protobuf;stream=watch'});
  const bytes: Promise<Buffer> = (async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of protobuf.response) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  })();
  await ungrant('alice');
  await round();
  expect(await endOf(table)).toMatchObject({code: 403});
  const frame = await bytes;
  expect([frame.includes('ERROR'), frame.includes(cannotWatch('alice'))]).toEqual([true, true]);
});

describe('47-3 other connections', () => {
  test('over HTTP/2 the stream ends with the reason, and the connection stays', async () => {
    const session = connect(wire.url);
    const stream = session.request({':path': `${ENDPOINTS}?watch=1`, ...bearer('alice')});
    const other = session.request({':path': `${ENDPOINTS}?watch=1`, ...bearer('bob')});
    await Promise.all([once(stream, 'response'), once(other, 'response')]);
    const all = text(stream);
    await ungrant('alice');
    await round();
    expect([JSON.parse(await all), stream.rstCode]).toEqual([
      {type: 'ERROR', object: expect.objectContaining({code: 403})},
      0,
    ]);
    const again = session.request({':path': `${ENDPOINTS}?watch=1`, ...bearer('alice')});
    const [headers] = (await once(again, 'response')) as [IncomingHttpHeaders & {':status': number}];
    expect([headers[':status'], watchers().count]).toEqual([403, 1]);
    session.destroy();
  });

  test('over WebSocket the reason is a message, and then the server closes', async () => {
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from('alice-token').toString('base64url')}`;
    const socket = new WebSocket(`${wire.url.replace('http', 'ws')}${ENDPOINTS}?watch=1`, {
      protocols: [token, 'x'],
      headers: {origin: wire.url},
    } as never);
    const messages: Body[] = [];
    socket.addEventListener('message', ({data}) => messages.push(JSON.parse(data)));
    await once(socket, 'open');
    const closed = once(socket, 'close');
    useTokens(USERS.filter(line => !line.startsWith('alice')));
    await round();
    const [{code}] = await closed;
    expect([messages, code]).toEqual([[{type: 'ERROR', object: expect.objectContaining({code: 401})}], 1000]);
  });
});

describe('47-3 a client certificate', () => {
  test.each(['refused', 'anonymous'] as const)('that is revoked ends its watch (%s)', async outcome => {
    const {ca, server, client} = await makeCertificates('localhost');
    let isRevoked = false;
    const seen: (string | undefined)[] = [];
    await using open = await startAuthWire({
      ...{clock: time, timers: time},
      authenticator: {
        authenticate: credentials => {
          const {clientCertificate, remoteAddress, headers} = credentials;
          if (headers['authorization'] !== undefined)
            return {outcome: 'user', user: {name: 'admin', groups: [MASTERS_GROUP]}};
          seen.push(remoteAddress);
          if (clientCertificate === undefined || isRevoked) return {outcome};
          return {outcome: 'user', user: {name: 'alice', groups: []}, byCredential: true};
        },
      },
    });
    for (const user of ['alice', 'system:anonymous']) await open.grant(user, 'one', user.replace(':', '-'), READ);
    const tls = createSecureServer(
      {...server, ca, requestCert: true},
      (request, response) => void open.api.handle(request, response),
    );
    await once(tls.listen(0, '127.0.0.1'), 'listening');
    const session = connect(`https://127.0.0.1:${(tls.address() as AddressInfo).port}`, {
      ...client,
      ca,
      servername: 'localhost',
    });
    const stream = session.request({':path': `${ENDPOINTS}?watch=1`});
    const [headers] = (await once(stream, 'response')) as [{':status': number}];
    const all = text(stream);
    await round();
    expect([headers[':status'], open.api.services.rights.streams]).toEqual([200, 1]);
    isRevoked = true;
    await round();
    expect(JSON.parse(await all)).toMatchObject({type: 'ERROR', object: {code: 401, message: NO_LONGER_VALID}});
    expect(seen).toEqual(['127.0.0.1', undefined, undefined]); // no check counts as a login of the address
    session.destroy();
    await new Promise(done => tls.close(done));
  });
});

describe('47-3 what is kept', () => {
  test('one right for all watches of a client, and nothing when they are closed', async () => {
    const watches = await Promise.all(Array.from({length: 5}, () => watchAs('alice', {labelSelector: freshName()})));
    const other = await watchAs('bob');
    expect([rights().count, rights().streams]).toEqual([2, 6]);
    for (const watch of [...watches, other]) watch.close();
    await expect.poll(() => [rights().count, rights().streams]).toEqual([0, 0]);
  });

  test('nothing where everybody is let in, unless a user is impersonated', async () => {
    await using open = await startAuthWire({authenticator: everyoneIsMaster});
    await open.grant('alice', 'one', 'alice', READ);
    const client = new WireClient(open.url);
    const plain = await client.watch(ENDPOINTS);
    expect(open.api.services.rights.streams).toBe(0);
    const acting = await client.watch(ENDPOINTS, {}, {'impersonate-user': 'alice'});
    expect(open.api.services.rights.streams).toBe(1);
    for (const watch of [plain, acting]) watch.close();
  });
});
