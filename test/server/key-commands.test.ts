// SPDX-License-Identifier: Apache-2.0
/** `palisade key` against a running server. Ref: requirements I-114. */
import {readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {quiet, type RunningServer, run, scratch, serve} from '../support/palisade.ts';

const folder = scratch();
const at = (name: string): string => join(folder.dir, name);
let server: RunningServer;
beforeAll(async () => {
  server = await serve([...quiet(at('data')), '--apis', 'kubernetes']);
});
afterAll(async () => {
  await server?.stop();
  folder[Symbol.dispose]();
});

const key = (...words: string[]) =>
  run(['key', ...words], {
    cwd: folder.dir,
    env: {PALISADE_SERVER: server.ready.http, PALISADE_TOKEN: '', KUBECONFIG: ''},
  });

test('I-114 create prints the key file or writes it, list names the key, revoke deletes it', async () => {
  const printed = await key('create', 'default/default');
  expect(JSON.parse(printed.stdout)).toMatchObject({type: 'service_account', token_uri: `${server.ready.http}/token`});
  expect(printed.stderr).toMatch(/^palisade: key default\/default-\w+ created; its file is not stored/);

  const made = await key(
    'create',
    '--service-account',
    'default/default',
    '--ttl',
    '90d',
    '--out',
    'key.json',
    '--json',
  );
  const {name, ...rest} = JSON.parse(made.stdout);
  expect(rest).toEqual({
    namespace: 'default',
    serviceAccount: 'default',
    clientEmail: 'default@default.iam.gserviceaccount.com',
    expires: expect.stringMatching(/^\d{4}-.*Z$/),
    keyFile: 'key.json',
  });
  expect(statSync(at('key.json')).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(at('key.json'), 'utf8'))).toMatchObject({private_key_id: name});

  const list = async (): Promise<string[]> =>
    (await key('list', '--json')).stdout.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line).name]));
  expect(await list()).toContain(name);
  expect((await key('revoke', `default/${name}`)).stdout).toBe(`key default/${name} revoked\n`);
  expect(await list()).not.toContain(name);
  expect(await key('revoke', `default/${name}`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not found in the namespace default'),
  });
});

test('an existing file and an unknown account create no key and leave no file', async () => {
  writeFileSync(at('mine.json'), 'mine');
  const {stdout: before} = await key('list', '--json');
  expect(await key('create', 'default/default', '--out', 'mine.json')).toMatchObject({
    code: 1,
    stderr: 'palisade: --out mine.json: the file exists; remove it or choose another name\n',
  });
  expect(readFileSync(at('mine.json'), 'utf8')).toBe('mine');
  const absent = await key('create', 'default/absent', '--out', 'other.json');
  expect([absent.code, absent.stderr]).toEqual([1, expect.stringContaining('Not found: "absent"')]);
  expect(() => statSync(at('other.json'))).toThrow('ENOENT');
  expect((await key('list', '--json')).stdout).toBe(before);
});

test('faults of the words are said at once, with exit code 2', async () => {
  const bad = await key('create', 'deployer', '--ttl', 'soon');
  expect(bad.code).toBe(2);
  expect(bad.stderr).toContain('--ttl soon: must be a duration');
  expect(bad.stderr).toContain('"deployer": give the service account as NAMESPACE/NAME');
  expect((await key('create', 'a/b', '--service-account', 'a/b')).code).toBe(2);
  expect((await key('revoke', 'x')).code).toBe(2);
});
