// SPDX-License-Identifier: Apache-2.0
/** How commands reach a server: KUBECONFIG and the flags that go before it, authorities, mix-ups of http and https, a stale address file. */

import {once} from 'node:events';
import {copyFileSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {type AddressInfo, createServer} from 'node:net';
import {join} from 'node:path';
import {takeLock} from '@palisade/store/sqlite';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type RunningServer, run, scratch, serve} from '../support/palisade.ts';

const folder = scratch();
const at = (...path: string[]): string => join(folder.dir, ...path);
let server: RunningServer;
beforeAll(async () => {
  writeFileSync(at('tokens.csv'), 'secret-1,alice,alice-uid,"system:masters"\n', {mode: 0o600});
  const places = ['--data', at('data'), '--http', '127.0.0.1:0', '--https', '127.0.0.1:0'];
  server = await serve([...places, '--token-auth-file', at('tokens.csv'), '--log-level', 'warn']);
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

/** `describe namespaces/default` with nothing from the environment but `env`. */
const ask = (words: readonly string[], env: Record<string, string> = {}) =>
  run(['describe', 'ns/default', ...words], {
    env: {PALISADE_SERVER: '', PALISADE_TOKEN: '', KUBECONFIG: '', XDG_STATE_HOME: at('state'), ...env},
  });
const https = (): string => server.ready.https ?? '';
const ca = (): string => at('data', 'pki', 'ca.crt');

/** The kubeconfig of the server with another user than the one that has the certificate of the administrator. */
const withUser = (user: string): string => {
  const text = readFileSync(server.ready.kubeconfig, 'utf8');
  const other = text.replace(
    / {2}user:\n {4}client-certificate-data: .*\n {4}client-key-data: .*\n/,
    `  user: ${user}\n`,
  );
  expect(other).toContain(`user: ${user}\n`);
  writeFileSync(at('other-user'), other);
  return at('other-user');
};

describe('KUBECONFIG', () => {
  test('47-2 the administrator certificate in it signs in to both APIs; it goes before a local server', async () => {
    const env = {KUBECONFIG: server.ready.kubeconfig};
    expect(await ask([], env)).toMatchObject({code: 0, stderr: ''});
    const more = {PALISADE_SERVER: '', PALISADE_TOKEN: '', XDG_STATE_HOME: at('state')};
    expect(await run(['threats', '--json'], {env: {...env, ...more}})).toMatchObject({code: 0, stdout: ''});
    const wrong = await run(['threats', '--token', 'x'], {env: {...env, ...more}});
    expect(wrong.stderr).toContain('the token of --token was not accepted');
  });

  test('I-114 --token goes before its credentials; PALISADE_TOKEN does not, and the refusal says so', async () => {
    const env = {KUBECONFIG: withUser('{}'), PALISADE_TOKEN: 'secret-1'};
    const refused = await ask([], env);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('PALISADE_TOKEN is used only without KUBECONFIG');
    expect(await ask(['--token', 'secret-1'], env)).toMatchObject({code: 0, stderr: ''});
  });

  test('the namespace of its context counts, and --namespace goes before it, as with kubectl', async () => {
    const kubeconfig = at('of-team');
    const text = readFileSync(server.ready.kubeconfig, 'utf8');
    writeFileSync(kubeconfig, text.replace('namespace: default', 'namespace: team'), {mode: 0o600});
    const env = {PALISADE_SERVER: '', KUBECONFIG: kubeconfig};
    for (const [words, where] of [
      [[], 'team'],
      [['-n', 'other'], 'other'],
    ] as const)
      for (const command of [
        ['expand', 'web'],
        ['pack', 'web'],
        ['describe', 'ep/web'],
        ['why-not-deleted', 'ep/web'],
      ])
        expect(await run([...command, ...words, '--token', 'secret-1'], {env})).toMatchObject({
          code: 1,
          stderr: `palisade: endpoints "web" not found in the namespace ${where}\n`,
        });
  });

  test('of another cluster it counts for the Kubernetes side only, which commands of the IDS side say', async () => {
    writeFileSync(at('foreign'), readFileSync(server.ready.kubeconfig, 'utf8').replaceAll(/: palisade\b/g, ': prod'));
    const env = {PALISADE_SERVER: '', XDG_STATE_HOME: at('state'), KUBECONFIG: at('foreign')};
    for (const words of [['threats'], ['describe'], ['describe', 'web']]) {
      const {code, stderr} = await run(words, {env});
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^palisade: no server configured; give --server URL, .*\npalisade: KUBECONFIG is used for Kubernetes objects only/,
      );
      expect(stderr.includes('; for an Endpoints object write endpoints/')).toBe(words[0] === 'describe');
      if (words[1] === 'web') expect(stderr).toContain('write endpoints/web');
    }
  });

  test('files of the list that are not there are left out, as kubectl does; none at all is an error', async () => {
    const list = [at('absent'), server.ready.kubeconfig].join(':');
    expect(await ask(['--token', 'secret-1'], {KUBECONFIG: list})).toMatchObject({code: 0});
    const none = await ask([], {KUBECONFIG: `${at('absent')}:${at('absent-too')}`});
    expect(none).toMatchObject({code: 1, stderr: expect.stringContaining('no kubeconfig found')});
  });

  test('whom its user acts as stays with --token, as with kubectl, groups too', async () => {
    const acting = (actsAs: string) => ask(['--token', 'secret-1'], {KUBECONFIG: withUser(`{${actsAs}}`)});
    expect(await acting('as: bob')).toMatchObject({code: 1, stderr: expect.stringContaining('User "bob" cannot get')});
    expect(await acting('as: bob, as-groups: [shop, "system:masters"]')).toMatchObject({code: 0, stderr: ''});
  });

  test('--ca and --insecure go before its authority', async () => {
    copyFileSync(server.ready.kubeconfig, at('config'));
    const env = {KUBECONFIG: at('config')};
    const other = at('other.crt');
    writeFileSync(other, '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n');
    expect((await ask(['--token', 'secret-1', '--ca', other], env)).code).toBe(1);
    expect(await ask(['--token', 'secret-1', '--ca', ca()], env)).toMatchObject({code: 0});
    expect(await ask(['--token', 'secret-1', '--insecure'], env)).toMatchObject({code: 0});
  });
});

describe('a credential that does not sign in', () => {
  const USER = 'the user "palisade" of KUBECONFIG';
  const kubeconfig = (): string => server.ready.kubeconfig;
  const named = (): string[] => ['--server', server.ready.http];

  test.each<[string, () => string[], () => Record<string, string>, string]>([
    [
      '--token alone',
      () => [...named(), '--token', 'x'],
      () => ({}),
      'token of --token was not accepted; it is wrong, revoked or expired: give another one, or',
    ],
    [
      '--token before PALISADE_TOKEN',
      () => [...named(), '--token', 'x'],
      () => ({PALISADE_TOKEN: 'secret-1'}),
      'token of --token was not accepted; it is wrong, revoked or expired: give another one, or leave --token out to use PALISADE_TOKEN',
    ],
    [
      '--token before KUBECONFIG',
      () => ['--token', 'x'],
      () => ({KUBECONFIG: kubeconfig()}),
      'token of --token was not accepted; it is wrong, revoked or expired: give another one, or leave --token out to use the user "palisade" of KUBECONFIG, if it',
    ],
    [
      'PALISADE_TOKEN',
      named,
      () => ({PALISADE_TOKEN: 'x'}),
      'of PALISADE_TOKEN was not accepted; give another one with',
    ],
    [
      'a kubeconfig',
      () => [],
      () => ({KUBECONFIG: withUser('{token: x}')}),
      `credential of ${USER} was not accepted; give another one with --token`,
    ],
    ['an empty user', () => [], () => ({KUBECONFIG: withUser('{}')}), `no credential was sent: ${USER} has none; give`],
    ['none', named, () => ({}), 'no credential was sent; give --token TOKEN or set PALISADE_TOKEN'],
  ])('I-114 is named with another way: %s', async (_, words, env, said) => {
    const {code, stderr} = await ask(words(), env());
    expect(code).toBe(1);
    expect(stderr).toContain(said);
    expect(stderr.trim().split('\n')).toHaveLength(2); // the refusal and the way out
    expect(stderr).not.toContain('system:discovery');
  });

  test('I-114 of the IDS side too; who did not sign in is not told of unknown kinds', async () => {
    const env = {PALISADE_SERVER: server.ready.http, PALISADE_TOKEN: '', KUBECONFIG: ''};
    const refused = await run(['threats', '--token', 'x'], {env});
    expect(refused.stderr).toContain('the token of --token was not accepted');
    const {stderr} = await run(['describe', 'pods/x'], {env});
    expect(stderr).toContain('no credential was sent');
    expect(stderr).not.toContain('unknown resource');
  });
});

test('a host that does not exist is told with who named it and the way out', async () => {
  const said = /: cannot reach http:\/\/nohost\.invalid:1: (no host has this|its) name.*: check its spelling.*\n$/;
  const address = 'http://nohost.invalid:1';
  const [byFlag, byEnv] = await Promise.all([ask(['--server', address]), ask([], {PALISADE_SERVER: address})]);
  expect(byFlag.stderr).toMatch(new RegExp(`^palisade: --server${said.source}`));
  expect(byEnv.stderr).toMatch(new RegExp(`^palisade: PALISADE_SERVER${said.source}`));
});

describe('TLS', () => {
  test('a certificate of an unknown authority: --ca is named, and works', async () => {
    const refused = await ask(['--server', https(), '--token', 'secret-1']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('authority that is not trusted here');
    expect(refused.stderr).toMatch(/--ca FILE .*pki\/ca\.crt.*--insecure/);
    expect(await ask(['--server', https(), '--ca', ca()], {PALISADE_TOKEN: 'secret-1'})).toMatchObject({code: 0});
  });

  test.each([
    ['http:// to the HTTPS port', () => https().replace('https:', 'http:'), 'write https:// instead of http://'],
    ['https:// to the HTTP port', () => server.ready.http.replace('http:', 'https:'), 'write http:// instead of https'],
  ])('%s is told with the way out', async (_, address, wayOut) => {
    expect(await ask(['--server', address()])).toMatchObject({code: 1, stderr: expect.stringContaining(wayOut)});
  });

  test.each<[string, () => string[], number, string]>([
    ['with --insecure', () => ['--ca', ca(), '--insecure'], 2, 'exclude each other'],
    ['that is not there', () => ['--ca', at('absent')], 1, 'cannot be read'],
    ['that holds no certificate', () => ['--ca', at('tokens.csv')], 1, 'contains no PEM certificate'],
  ])('--ca %s is refused', async (_, words, code, why) => {
    const answer = await ask(['--server', https(), ...words()]);
    expect(answer).toMatchObject({code, stderr: expect.stringContaining(why)});
  });

  test('a token that no header can carry is refused before anything is sent', async () => {
    const answer = await ask(['--server', https(), '--ca', ca(), '--token', 'a\nb']);
    expect(answer).toMatchObject({code: 1, stderr: expect.stringContaining('--token: not a valid token')});
  });
});

describe('an address file whose process is not there', () => {
  const writeAddress = async (http: string): Promise<number> => {
    const pid = Number((await run(['-p', 'process.pid'], {command: process.execPath})).stdout);
    mkdirSync(at('state', 'palisade'), {recursive: true});
    writeFileSync(at('state', 'palisade', 'server.json'), `${JSON.stringify({http, pid})}\n`);
    return pid;
  };

  test('is used when a server answers there and the store is in use: it runs in another PID namespace', async () => {
    const pid = await writeAddress(server.ready.http);
    expect((await ask(['--token', 'secret-1'])).stderr).toContain(`process ${pid} is gone`);
    const lock = takeLock(at('state', 'palisade', 'store.sqlite'));
    try {
      expect(await ask(['--token', 'secret-1'])).toMatchObject({code: 0, stderr: ''});
    } finally {
      lock.release();
    }
  });

  test('is told with the way out when nothing answers there, or nobody in time', async () => {
    await using silent = createServer(socket => socket.resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const silentPort = (silent.address() as AddressInfo).port;
    for (const http of ['http://127.0.0.1:1', `http://127.0.0.1:${silentPort}`]) {
      const pid = await writeAddress(http);
      const {code, stderr} = await ask([]);
      expect(code).toBe(1);
      expect(stderr).toContain(`names ${http}, but process ${pid} is gone and no server answers there`);
      expect(stderr).toContain('start it again with palisade serve, or');
    }
  });
});
