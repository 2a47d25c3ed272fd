// SPDX-License-Identifier: Apache-2.0
/** What a Secret holds is answered to those who may read it, and shows nowhere else: in no log, figure, command or file that others can read. */
import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {quiet, type RunningServer, run, scratch, serve} from '../support/palisade.ts';

const VALUE = 'hunter2-of-the-vault';
const BASE64 = Buffer.from(VALUE).toString('base64');
/** Where one of them shows up, the value does. */
const FORMS = [VALUE, BASE64, BASE64.replace(/=+$/, ''), Buffer.from(VALUE).toString('hex')];
const shownIn = (text: string): string[] => FORMS.filter(form => text.includes(form));

const folder = scratch();
let server: RunningServer;
beforeAll(async () => {
  const flags = quiet(folder.dir).map(word => (word === 'warn' ? 'debug' : word));
  server = await serve([...flags, '--apis', 'kubernetes']);
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const PATH = '/api/v1/namespaces/default/secrets';
const JSON_TYPE = 'application/json';
const PATCHES = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

const send = async (
  method: string,
  path: string,
  body?: unknown,
  type: string = JSON_TYPE,
): Promise<[number, string]> => {
  const answer = await fetch(`${server.ready.http}${path}`, {
    method,
    headers: {'content-type': type},
    ...(body !== undefined && {body: typeof body === 'string' ? body : JSON.stringify(body)}),
  });
  return [answer.status, await answer.text()];
};

const secret = (name: string, more: object): object => ({apiVersion: 'v1', kind: 'Secret', metadata: {name}, ...more});
/** kubectl's copy of the manifest. */
const COPY = 'kubectl.kubernetes.io/last-applied-configuration';
const annotated = {
  metadata: {name: 'vault', annotations: {[COPY]: JSON.stringify(secret('vault', {stringData: {password: VALUE}}))}},
  data: {password: BASE64},
};

/** Requests that are refused, most of them with a text that quotes what was sent. */
const REFUSED: readonly (readonly [method: string, path: string, body: unknown, type?: string])[] = [
  ['POST', PATH, secret('a', {data: {password: VALUE}})],
  ['POST', PATH, secret('a', {data: {'bad key': BASE64}})],
  ['POST', PATH, secret('a', {data: BASE64})],
  ['POST', PATH, `{"kind":"Secret","data":{"password":"${BASE64}"`],
  ['POST', PATH, `data: {password: ${VALUE}: [`, 'application/yaml'],
  ['POST', PATH, secret('a', {type: 'kubernetes.io/dockercfg', data: {'.dockercfg': BASE64}})],
  ['POST', `${PATH}?fieldValidation=Strict`, secret('a', {[VALUE]: BASE64})],
  ['POST', PATH, secret('vault', {stringData: {password: VALUE}})],
  ['PUT', `${PATH}/vault`, secret('vault', {type: 'b', stringData: {password: VALUE}})],
  ['PUT', `${PATH}/absent`, secret('absent', {stringData: {password: VALUE}})],
  ['PATCH', `${PATH}/vault`, {data: {password: VALUE}}, PATCHES.merge],
  ['PATCH', `${PATH}/vault`, {stringData: [VALUE]}, PATCHES.merge],
  ['PATCH', `${PATH}/vault`, {data: {password: VALUE}}, PATCHES.strategic],
  ['PATCH', `${PATH}/vault`, {data: {$patch: VALUE}}, PATCHES.strategic],
  ['PATCH', `${PATH}/vault`, [{op: 'add', path: '/data/password', value: VALUE}], PATCHES.json],
  ['PATCH', `${PATH}/vault`, [{op: 'test', path: '/data/password', value: BASE64.slice(1)}], PATCHES.json],
  ['PATCH', `${PATH}/vault`, [{op: VALUE, path: '/data'}], PATCHES.json],
  ['PATCH', `${PATH}/vault?fieldManager=m`, secret('vault', {data: {password: [BASE64]}}), PATCHES.apply],
  ['PATCH', `${PATH}/vault?fieldManager=m`, secret('vault', {data: {password: VALUE}}), PATCHES.apply],
  ['PATCH', `${PATH}/vault?fieldManager=m`, secret('vault', {[VALUE]: BASE64}), PATCHES.apply],
  ['PATCH', `${PATH}/vault?fieldManager=m`, `data: ${VALUE}: [`, PATCHES.apply],
];

describe('45-1 the value of a Secret', () => {
  beforeAll(async () => {
    expect((await send('POST', PATH, {...secret('vault', {}), ...annotated}))[0]).toBe(201);
  });

  test('is answered, and is in no line of the log at level debug, whatever was refused', async () => {
    const [status, text] = await send('GET', `${PATH}/vault`);
    expect([status, shownIn(text)]).toEqual([200, [VALUE, BASE64, BASE64.replace(/=+$/, '')]]);
    for (const [method, path, body, type] of REFUSED) {
      const [refused] = await send(method, path, body, type);
      expect([method, path, body, refused >= 400]).toEqual([method, path, body, true]);
    }
    await expect.poll(() => server.stderr().split('"msg":"request"').length).toBeGreaterThan(REFUSED.length);
    expect(shownIn(server.stderr())).toEqual([]);
  });

  test('is not in the figures', async () => {
    const [status, text] = await send('GET', '/metrics');
    expect([status, shownIn(text)]).toEqual([200, []]);
  });

  test.each(['describe', 'describe --json', 'why-not-deleted', 'why-not-deleted --json'])(
    'is not printed by palisade %s, also not from the copy of kubectl apply',
    async words => {
      const [command = '', ...flags] = words.split(' ');
      const env = {PALISADE_SERVER: server.ready.http};
      const {code, stdout, stderr} = await run([command, 'secrets/vault', ...flags], {env});
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain(command === 'describe' ? `${VALUE.length} bytes` : 'vault');
      expect(shownIn(stdout)).toEqual([]);
    },
  );

  test('is only in files that their owner alone can read', () => {
    const files = readdirSync(join(folder.dir, 'data'), {recursive: true, withFileTypes: true}).filter(each =>
      each.isFile(),
    );
    const holding = files
      .map(({parentPath, name}) => join(parentPath, name))
      .filter(path => shownIn(readFileSync(path, 'latin1')).length > 0);
    expect(holding.length).toBeGreaterThan(0);
    expect(holding.filter(path => (statSync(path).mode & 0o777) !== 0o600)).toEqual([]);
  });
});
