// SPDX-License-Identifier: Apache-2.0
/** What held a deleted object and was taken away by a request leaves a line in the log, whatever the client. */
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {quiet, type RunningServer, run, scratch, serve} from '../support/palisade.ts';

const folder = scratch();
let server: RunningServer;
beforeAll(async () => {
  const tokens = join(folder.dir, 'tokens.csv');
  writeFileSync(tokens, 'anna-token,anna,u1,"system:masters"\nbot-token,bot,u2,"nobodies"\n');
  const flags = quiet(folder.dir).filter(word => word !== '--auth' && word !== 'none');
  server = await serve([...flags, '--token-auth-file', tokens, '--apis', 'kubernetes']);
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

type Sent = {readonly body?: object; readonly headers?: Readonly<Record<string, string>>};
const send = async (method: string, path: string, {body, headers}: Sent = {}) => {
  const answer = await fetch(`${server.ready.http}${path}`, {
    method,
    headers: {authorization: 'Bearer anna-token', 'content-type': 'application/json', ...headers},
    ...(body === undefined ? {} : {body: JSON.stringify(body)}),
  });
  return {status: answer.status, body: (await answer.json()) as {metadata: {uid: string; deletionTimestamp: string}}};
};
const PATH = '/api/v1/namespaces/default/endpoints';
const MERGE = {'content-type': 'application/merge-patch+json'};
const GUARD = 'example.com/guard';

/** An object that was deleted and is held; its uid and its time. */
const held = async (name: string, holds: {finalizers?: readonly string[]; graceSeconds?: number}) => {
  const metadata = {name, finalizers: holds.finalizers ?? []};
  const {uid} = (await send('POST', PATH, {body: {metadata}})).body.metadata;
  const marked = await send('DELETE', `${PATH}/${name}`, {body: {gracePeriodSeconds: holds.graceSeconds ?? 0}});
  return {uid, time: marked.body.metadata.deletionTimestamp};
};

type Line = {readonly audit?: boolean; readonly name?: string; readonly [field: string]: unknown};
const linesAbout = (name: string): Line[] =>
  server
    .stderr()
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line) as Line)
    .filter(line => line.audit === true && line.name === name);
/** All lines about an object, once there are `count`. */
const auditOf = async (name: string, count: number): Promise<Line[]> => {
  await expect.poll(() => linesAbout(name).length).toBeGreaterThanOrEqual(count);
  return linesAbout(name);
};

describe('E-238 who took away what held a deleted object', () => {
  test('confirm-deletion: user, address, uid, holds and reason', async () => {
    const {uid, time} = await held('confirmed', {finalizers: [GUARD], graceSeconds: 3600});
    const words = ['confirm-deletion', 'ep/confirmed', '--uid', uid, '--reason', 'node-7 wurde verschrottet; „weg“'];
    const {code, stderr} = await run(words, {env: {PALISADE_SERVER: server.ready.http, PALISADE_TOKEN: 'anna-token'}});
    expect(code, stderr).toBe(0);
    const same = {
      user: 'anna',
      from: '127.0.0.1',
      resource: 'endpoints',
      namespace: 'default',
      uid,
      reason: 'node-7 wurde verschrottet; „weg“',
    };
    expect(await auditOf('confirmed', 2)).toMatchObject([
      {...same, verb: 'patch', holds: [`finalizer ${GUARD}`]},
      {...same, verb: 'delete', holds: [`grace period until ${time}`]},
    ]);
  });

  test('a finalizer taken off by a plain patch', async () => {
    const {uid} = await held('patched', {finalizers: [GUARD]});
    await send('PATCH', `${PATH}/patched`, {headers: MERGE, body: {metadata: {finalizers: null}}});
    const [line, ...others] = await auditOf('patched', 1);
    expect(line).toMatchObject({user: 'anna', from: '127.0.0.1', verb: 'patch', uid, holds: [`finalizer ${GUARD}`]});
    expect(line?.['reason']).toBeUndefined();
    expect(others).toEqual([]);
  });

  test('a grace period cut by a plain DELETE, with a reason sent by hand', async () => {
    const {uid, time} = await held('cut', {graceSeconds: 600});
    await send('DELETE', `${PATH}/cut`, {
      body: {gracePeriodSeconds: 0},
      headers: {'x-palisade-reason': '100% gone', 'audit-id': 'ticket 12', 'user-agent': 'a'.repeat(2_000)},
    });
    const holds = [`grace period until ${time}`];
    expect(await auditOf('cut', 1)).toMatchObject([
      {
        user: 'anna',
        verb: 'delete',
        uid,
        holds,
        reason: '100% gone',
        auditId: 'ticket 12',
        userAgent: 'a'.repeat(1_000),
      },
    ]);
  });

  test('a collection, and a put: each object has its own line', async () => {
    const labels = {group: 'many'};
    for (const name of ['many-1', 'many-2']) {
      await send('POST', PATH, {body: {metadata: {name, labels}}});
      await send('DELETE', `${PATH}/${name}`, {body: {gracePeriodSeconds: 600}});
    }
    await send('DELETE', `${PATH}?labelSelector=group%3Dmany`, {body: {gracePeriodSeconds: 0}});
    for (const name of ['many-1', 'many-2'])
      expect(await auditOf(name, 1)).toMatchObject([{user: 'anna', verb: 'deletecollection'}]);
    await held('put', {finalizers: [GUARD, 'example.com/other']});
    await send('PUT', `${PATH}/put`, {body: {metadata: {name: 'put', finalizers: ['example.com/other']}}});
    expect(await auditOf('put', 1)).toMatchObject([{verb: 'update', holds: [`finalizer ${GUARD}`]}]);
  });

  test('a namespace that is finalized while it still has content', async () => {
    await send('POST', '/api/v1/namespaces', {body: {metadata: {name: 'full'}}});
    const inside = {metadata: {name: 'inside', finalizers: [GUARD]}};
    await send('POST', '/api/v1/namespaces/full/endpoints', {body: inside});
    const {uid} = (await send('DELETE', '/api/v1/namespaces/full')).body.metadata;
    const finalize = {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'full'}, spec: {finalizers: []}};
    expect((await send('PUT', '/api/v1/namespaces/full/finalize', {body: finalize})).status).toBe(200);
    expect(await auditOf('full', 1)).toMatchObject([{user: 'anna', uid, holds: ['content of the namespace']}]);
  });

  test('somebody who acts as another one is named too', async () => {
    await held('as-bot', {finalizers: [GUARD]});
    await send('PATCH', `${PATH}/as-bot`, {
      headers: {...MERGE, 'impersonate-user': 'robin', 'impersonate-group': 'system:masters'},
      body: {metadata: {finalizers: null}},
    });
    expect(await auditOf('as-bot', 1)).toMatchObject([{user: 'robin', requestor: 'anna'}]);
  });

  test('what overrides nothing leaves no line: refused, dry run, held on, never deleted, gone by itself', async () => {
    await held('refused', {finalizers: [GUARD]});
    const noFinalizers = {headers: MERGE, body: {metadata: {finalizers: null}}};
    const asBot = {...noFinalizers, headers: {...MERGE, authorization: 'Bearer bot-token'}};
    expect((await send('PATCH', `${PATH}/refused`, asBot)).status).toBe(403);
    await send('PATCH', `${PATH}/refused?dryRun=All`, noFinalizers);
    await send('PATCH', `${PATH}/refused`, {headers: MERGE, body: {metadata: {labels: {a: 'b'}}}});
    await send('POST', PATH, {body: {metadata: {name: 'alive', finalizers: [GUARD]}}});
    await send('PATCH', `${PATH}/alive`, noFinalizers);
    await send('DELETE', `${PATH}/alive`, {body: {gracePeriodSeconds: 0}});
    await held('timed', {graceSeconds: 1});
    await expect.poll(async () => (await send('GET', `${PATH}/timed`)).status, {timeout: 20_000}).toBe(404);
    await held('last', {finalizers: [GUARD]});
    await send('PATCH', `${PATH}/last`, noFinalizers);
    await auditOf('last', 1); // lines come in order
    for (const name of ['refused', 'alive', 'timed']) expect(linesAbout(name)).toEqual([]);
  });
});
