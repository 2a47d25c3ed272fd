// SPDX-License-Identifier: Apache-2.0
/** Bearer tokens at run time, with the commands and the server as processes. Ref: issue 47, point 2. */
import {spawn} from 'node:child_process';
import {readdirSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {PALISADE, quiet, type RunningServer, run, scratch, serve} from '../support/palisade.ts';

const ADMIN = 'admin-token-of-more-than-32-characters';
const LINES = `${ADMIN},boss,u1,"system:masters"\nplain-token,plain,u2,"nobodies"\nseldom,seldom,u3\n`;
const folder = scratch();
const tokenFile = join(folder.dir, 'tokens.csv');
let server: RunningServer;
let stderr = '';

const start = async (): Promise<void> => {
  const flags = quiet(folder.dir).filter(word => !['--auth', 'none', '--log-level', 'warn'].includes(word));
  server = await serve([...flags, '--log-level', 'debug', '--driver', 'relay', '--token-auth-file', tokenFile]);
};
const stop = async (): Promise<void> => {
  await server.stop();
  stderr += server.stderr();
};
const post = (path: string, body: object): Promise<Response> =>
  fetch(`${server.ready.http}${path}`, {
    method: 'POST',
    headers: {authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json'},
    body: JSON.stringify(body),
  });
beforeAll(async () => {
  writeFileSync(tokenFile, LINES);
  await start();
  for (const role of ['view', 'ids-viewer', 'system:monitoring']) {
    const answer = await post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: {name: `watchers-${role.replace(':', '-')}`},
      roleRef: {kind: 'ClusterRole', name: role},
      subjects: [{kind: 'Group', name: 'watchers'}],
    });
    expect(answer.status, await answer.text()).toBe(201);
  }
});
afterAll(async () => {
  await stop();
  folder[Symbol.dispose]();
});

const KUBE = '/api/v1/namespaces/default/configmaps';
const IDS = '/v1/projects/p/locations/local/endpoints';
const ask = (token: string, path: string): Promise<Response> =>
  fetch(`${server.ready.http}${path}`, {headers: {authorization: `Bearer ${token}`}});
/** What both APIs answer to the holder of a token. */
const statuses = (token: string): Promise<number[]> =>
  Promise.all([KUBE, IDS].map(async path => (await ask(token, path)).status));

const command = (words: readonly string[], token = ADMIN) =>
  run(['token', ...words], {env: {PALISADE_SERVER: server.ready.http, PALISADE_TOKEN: token, KUBECONFIG: ''}});
const created = async (...words: string[]): Promise<string> => {
  const {code, stdout, stderr: said} = await command(['create', ...words]);
  expect(code, said).toBe(0);
  return stdout.trim();
};
/** With a text on stdin. */
const piped = (words: readonly string[], input: string): Promise<{code: number | null; stdout: string; said: string}> =>
  new Promise(done => {
    const env = {...process.env, PALISADE_SERVER: server.ready.http, PALISADE_TOKEN: ADMIN, KUBECONFIG: ''};
    const child = spawn(PALISADE, ['token', ...words], {env, stdio: 'pipe'});
    let [stdout, said] = ['', ''];
    child.stdout.on('data', chunk => (stdout += String(chunk)));
    child.stderr.on('data', chunk => (said += String(chunk)));
    child.on('close', code => done({code, stdout, said}));
    child.stdin.end(input);
  });

const issued: string[] = [];

describe('E-276 I-114 a token', () => {
  test('is printed alone, works on both APIs, and is refused by both as soon as it is revoked', async () => {
    const {
      code,
      stdout,
      stderr: said,
    } = await command(['create', '--for', 'anna', '--group', 'watchers', '--name', 'anna-1']);
    expect(code, said).toBe(0);
    expect(stdout).toMatch(/^plst_[\w-]{43}\n$/);
    expect(said).toMatch(
      /^palisade: accesstokens\/anna-1 of user anna expires at \S+Z; the token is shown only once\n$/,
    );
    const token = stdout.trim();
    issued.push(token);
    expect(await statuses(token)).toEqual([200, 200]);
    const review = await fetch(`${server.ready.http}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
      method: 'POST',
      headers: {authorization: `Bearer ${token}`, 'content-type': 'application/json'},
      body: '{}',
    });
    expect(((await review.json()) as {status: object}).status).toEqual({
      userInfo: {
        username: 'anna',
        groups: ['watchers', 'system:authenticated'],
        extra: {'authentication.kubernetes.io/credential-id': ['AccessToken=anna-1']},
      },
    });
    const revoked = await command(['revoke', 'anna-1']);
    expect(revoked).toMatchObject({code: 0, stdout: 'accesstokens/anna-1 of user anna revoked\n'});
    expect(await statuses(token)).toEqual([401, 401]);
  });

  test('that is revoked ends its watch and its record stream within 5 s, each with the reason', async () => {
    const token = await created('--for', 'eve', '--group', 'watchers', '--name', 'eve-1');
    issued.push(token);
    const streams = [
      await ask(token, `${KUBE}?watch=1`),
      await ask(token, '/v1/projects/p/locations/local/endpoints/-/threats?follow=1'),
    ];
    expect(streams.map(({status}) => status)).toEqual([200, 200]);
    const ends = streams.map(async stream => ({text: await stream.text(), atMs: performance.now()}));
    expect((await command(['revoke', 'eve-1'])).code).toBe(0);
    const revokedMs = performance.now();
    for (const {text, atMs} of await Promise.all(ends)) {
      expect(text).toMatch(/"code": ?401/);
      expect(atMs - revokedMs).toBeLessThan(5_000);
    }
  });

  test('remains valid, or revoked, after a restart', async () => {
    const [kept, gone] = [
      await created('--for', 'kept', '--group', 'watchers'),
      await created('--for', 'gone', '--group', 'watchers'),
    ];
    issued.push(kept, gone);
    expect((await command(['revoke', '--user', 'gone'])).code).toBe(0);
    await stop();
    await start();
    expect(await statuses(kept)).toEqual([200, 200]);
    expect(await statuses(gone)).toEqual([401, 401]);
  });

  test('can be revoked with nothing but the token, on stdin', async () => {
    const token = await created('--for', 'leaked', '--group', 'watchers', '--name', 'leaked-1');
    issued.push(token);
    expect(await piped(['revoke', '-', '--json'], `${token}\n`)).toMatchObject({
      code: 0,
      stdout: '{"name":"leaked-1","user":"leaked","revoked":true}\n',
    });
    expect(await statuses(token)).toEqual([401, 401]);
    expect(await piped(['revoke', '-'], `${token}\n`)).toMatchObject({
      code: 1,
      said: 'palisade: stdin: no such access token\n',
    });
    expect(await piped(['revoke', '-'], 'admin-token\n')).toMatchObject({
      code: 1,
      said: 'palisade: stdin: not an access token; it must be one line that starts with plst_\n',
    });
  });

  test('is listed with user, groups, end and creator, without token and digest', async () => {
    const token = await created(
      '--for',
      'carol',
      '--group',
      'a',
      'b',
      '--ttl',
      'never',
      '--description',
      'laptop',
      '--name',
      'carol-1',
    );
    issued.push(token);
    const json = await command(['list', '--user', 'carol', '--json']);
    expect(JSON.parse(json.stdout)).toEqual({
      ...{name: 'carol-1', user: 'carol', groups: ['a', 'b'], createdBy: 'boss', expires: null, description: 'laptop'},
      created: expect.stringMatching(/Z$/),
    });
    const {stdout} = await command(['list', '--user', 'carol']);
    expect(stdout).toMatch(
      /^NAME +USER +GROUPS +EXPIRES +CREATED +CREATED BY +DESCRIPTION\ncarol-1 +carol +a,b +never +\S+ +boss +laptop\n$/,
    );
    const all = await command(['list', '--json']);
    for (const text of [json.stdout, stdout, all.stdout]) expect(text).not.toContain(token);
    expect(all.stdout).not.toContain('digest');
  });

  test('more tokens than a page has are all listed, and all revoked', async () => {
    const bodies = Array.from({length: 501}, (_, n) => ({metadata: {name: `many-${n}`}, spec: {user: 'many'}}));
    const answers = await Promise.all(bodies.map(body => post('/apis/platform.io/v1alpha1/accesstokens', body)));
    expect(new Set(answers.map(({status}) => status))).toEqual(new Set([201]));
    expect((await command(['list', '--user', 'many', '--json'])).stdout.trim().split('\n')).toHaveLength(501);
    expect((await command(['revoke', '--user', 'many', '--json'])).stdout.trim().split('\n')).toHaveLength(501);
    expect(await command(['list', '--user', 'many'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'palisade: no access tokens\n',
    });
  });

  test('faults of the words are reported at once, with exit code 2', async () => {
    const bad = await command(['create', '--ttl', 'soon', '--name', 'A']);
    expect(bad.code).toBe(2);
    expect(bad.stderr).toContain('--for USER is required: name the user of the token');
    expect(bad.stderr).toContain('--ttl soon: must be a duration such as 30s, 30m, 8h or 90d, from 1s to 3650d');
    expect(bad.stderr).toContain('--name A: ');
    const leak = await command(['revoke', 'plst_abc']);
    expect(leak.code).toBe(2);
    expect(leak.stderr).toContain('pass it on stdin');
    expect((await command(['revoke'])).code).toBe(2);
    expect(await command(['revoke', 'none'])).toMatchObject({code: 1});
  });

  test('a user without the right to impersonate creates none, and reads why', async () => {
    const answer = await command(['create', '--for', 'boss', '--group', 'system:masters'], 'plain-token');
    expect(answer).toMatchObject({code: 1, stdout: ''});
    expect(answer.stderr).toContain('User "plain" cannot create resource "accesstokens"');
  });
});

describe('E-276 I-114 the token file', () => {
  const replace = (text: string): void => {
    writeFileSync(`${tokenFile}.new`, text);
    renameSync(`${tokenFile}.new`, tokenFile);
  };

  test('is read again when it changes; a file with faults changes nothing', async () => {
    replace(`${LINES}late-token-of-more-than-32-characters,late,u4,watchers\n`);
    await expect.poll(() => statuses('late-token-of-more-than-32-characters'), {timeout: 5_000}).toEqual([200, 200]);
    replace(`${LINES}late-token-of-more-than-32-characters\n`);
    await expect.poll(() => server.stderr()).toContain('token file reload failed, the previous tokens stay valid');
    expect(await statuses('late-token-of-more-than-32-characters')).toEqual([200, 200]);
    replace(LINES);
    await expect.poll(() => statuses('late-token-of-more-than-32-characters'), {timeout: 5_000}).toEqual([401, 401]);
  });
});

describe('E-276 I-114 failed logins', () => {
  test('beyond the limit are 429 on both APIs; users with a credential are let in', async () => {
    const token = await created('--for', 'dora', '--group', 'watchers');
    issued.push(token);
    expect(await statuses('plain-token')).toEqual([403, 403]);
    const found: number[] = [];
    for (let n = 0; n < 60; n++) found.push((await ask(`guess-${n}`, n % 2 === 0 ? KUBE : IDS)).status);
    expect(found[0]).toBe(401);
    expect(found.slice(-4)).toEqual([429, 429, 429, 429]);
    const kube = await ask('guess', KUBE);
    expect(kube.headers.get('retry-after')).toBe('1');
    expect(await kube.json()).toMatchObject({kind: 'Status', reason: 'TooManyRequests', code: 429});
    expect(await (await ask('guess', IDS)).json()).toMatchObject({error: {status: 'RESOURCE_EXHAUSTED'}});
    expect(await statuses('seldom')).toEqual([429, 429]); // a correct guess is not looked up
    expect(await statuses(token)).toEqual([200, 200]);
    expect(await statuses(ADMIN)).toEqual([200, 200]);
    expect(await statuses('plain-token')).toEqual([403, 403]); // it was right lately
    const metrics = await (await ask(token, '/metrics')).text();
    expect(Number(/failed_logins_total\{reason="refused"\} (\d+)/.exec(metrics)?.[1])).toBeGreaterThanOrEqual(50);
    expect(Number(/failed_logins_total\{reason="limited"\} (\d+)/.exec(metrics)?.[1])).toBeGreaterThanOrEqual(6);
    const lines = server
      .stderr()
      .split('\n')
      .filter(line => line.includes('too many failed logins'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({level: 40, address: '127.0.0.1'});
  });
});

test('E-276 I-114 no token is in the data folder or in the log', async () => {
  await stop();
  const files = readdirSync(join(folder.dir, 'data'), {recursive: true, withFileTypes: true}).filter(each =>
    each.isFile(),
  );
  const store = files.find(({name}) => name === 'store.sqlite');
  expect(store).toBeDefined();
  const texts = files.map(({parentPath, name}) => readFileSync(join(parentPath, name), 'latin1'));
  expect(texts.some(text => text.includes('carol-1'))).toBe(true);
  expect(stderr).toContain('"level":20'); // requests are in it
  expect(issued.length).toBeGreaterThan(4);
  for (const token of issued) {
    expect(stderr.includes(token)).toBe(false);
    expect(texts.some(text => text.includes(token))).toBe(false);
  }
  await start();
});
