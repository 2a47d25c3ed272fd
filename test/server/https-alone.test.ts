// SPDX-License-Identifier: Apache-2.0
/** A server with tokens that serves HTTPS alone: no plain port opens, and commands, the engine and other clients find it. */
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type RunningServer, run, scratch, serve} from '../support/palisade.ts';

const folder = scratch();
const at = (...path: string[]): string => join(folder.dir, ...path);
/** The default data folder of the environment below. */
const data = at('state', 'palisade');
let server: RunningServer;
beforeAll(async () => {
  writeFileSync(at('tokens.csv'), 'secret-1,alice,alice-uid,"system:masters"\n', {mode: 0o600});
  const access = ['--token-auth-file', at('tokens.csv'), '--https', '127.0.0.1:0'];
  server = await serve(['--data', data, ...access, '--apis', 'kubernetes', '--log-level', 'warn']);
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const env = {PALISADE_SERVER: '', PALISADE_TOKEN: 'secret-1', KUBECONFIG: '', XDG_STATE_HOME: at('state')};

describe('F-25 HTTPS alone', () => {
  test('the ready line, the address file and the kubeconfig name no plain port', () => {
    const {http, https} = server.ready as {http?: string; https?: string};
    expect([http, https]).toEqual([undefined, expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/)]);
    const file = JSON.parse(readFileSync(join(data, 'server.json'), 'utf8'));
    expect(Object.keys(file)).not.toContain('http');
    expect(file).toMatchObject({https, ca: join(data, 'pki', 'ca.crt'), pid: server.ready.pid});
    expect(readFileSync(server.ready.kubeconfig, 'utf8')).toContain(`server: ${https}\n`);
  });

  test('commands that name no server find it, and trust its authority', async () => {
    expect(await run(['describe', 'ns/default'], {env})).toMatchObject({code: 0, stderr: ''});
    expect(await run(['describe', 'ns/default', '--insecure'], {env})).toMatchObject({code: 0, stderr: ''});
    const other = await run(['describe', 'ns/default', '--ca', at('other.crt')], {env});
    expect(other).toMatchObject({code: 1, stderr: expect.stringContaining('--ca')});
    const {kubeconfig} = server.ready;
    expect(
      await run(['describe', 'ns/default', '--token', 'secret-1'], {env: {...env, KUBECONFIG: kubeconfig}}),
    ).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  /** The embedded engine, in a new stack. */
  const importWeb = async (name: string) => {
    for (const made of ['program', 'backend']) mkdirSync(at(name, made), {recursive: true});
    const cwd = at(name, 'program');
    const backend = {
      PULUMI_BACKEND_URL: `file://${at(name, 'backend')}`,
      PULUMI_HOME: at(name, 'home'),
      PULUMI_CONFIG_PASSPHRASE: 'x',
    };
    writeFileSync(join(cwd, 'Pulumi.yaml'), 'name: p\nruntime: nodejs\n');
    const palisade = (...words: string[]) => run(words, {env: {...env, ...backend}, cwd});
    expect((await palisade('stack', 'init', 'dev')).code).toBe(0);
    const object = ['platform:core/v1:Endpoints', 'web', 'default/kubernetes'];
    return palisade('import', ...object, '--yes', '--generate-code=false');
  };

  test('the embedded engine uses it where no server is named', async () => {
    const imported = await importWeb('good');
    expect(imported.stderr).toContain(`using the local server at ${server.ready.https}\n`);
    expect(imported.stderr + imported.stdout).not.toMatch(/certificate|UNABLE_TO/);
    expect(imported.stderr + imported.stdout).toContain("resource 'default/kubernetes' does not exist");
  });

  test.each([
    ['no PEM', 'junk\n'],
    ['a damaged certificate', '-----BEGIN CERTIFICATE-----\njunk\n-----END CERTIFICATE-----\n'],
  ])('an authority file with %s is named with the way out, and does not count beside --ca', async (name, content) => {
    const file = join(data, 'pki', 'ca.crt');
    const authority = readFileSync(file);
    writeFileSync(at('copy.crt'), authority);
    writeFileSync(file, content);
    try {
      const lines = [
        `${file}: contains no PEM certificate (-----BEGIN CERTIFICATE-----)`,
        'restart the local server to create its certificates again',
      ];
      expect(await run(['describe', 'ns/default'], {env})).toMatchObject({
        code: 1,
        stderr: lines.map(line => `palisade: ${line}\n`).join(''),
      });
      const imported = await importWeb(name);
      expect(imported.code).toBe(1);
      expect(imported.stderr).toContain(`palisade: ${lines[0]}\npalisade: ${lines[1]}\n`);
      expect(imported.stderr).not.toContain('    at ');
      expect(await run(['describe', 'ns/default', '--ca', at('copy.crt')], {env})).toMatchObject({code: 0, stderr: ''});
    } finally {
      writeFileSync(file, authority);
    }
  });
});

test('F-25 --http off leaves a server without credentials with HTTPS alone', async () => {
  const flags = ['--auth', 'none', '--http', 'off', '--https', '127.0.0.1:0', '--grpc', '127.0.0.1:0'];
  await using own = await serve(['--data', at('own'), ...flags, '--apis', 'kubernetes', '--log-level', 'warn']);
  expect(Object.keys(own.ready)).toEqual(['ready', 'pid', 'https', 'grpc', 'console', 'kubeconfig']);
});

test('F-25 another program on 127.0.0.1:8080 is no matter', async () => {
  const taken = createServer();
  // Where it is taken already it is as good.
  await new Promise<unknown>(done => taken.once('listening', done).once('error', done).listen(8080, '127.0.0.1'));
  const access = ['--token-auth-file', at('tokens.csv'), '--https', '127.0.0.1:0'];
  await using own = await serve(['--data', at('taken'), ...access, '--apis', 'kubernetes', '--log-level', 'warn']);
  expect(own.ready.https).toMatch(/^https:/);
  taken.close();
});
