// SPDX-License-Identifier: Apache-2.0
/** `palisade serve` without flags about access: HTTPS with its own CA, an administrator kubeconfig, and client certificates. */
import {spawnSync} from 'node:child_process';
import {X509Certificate} from 'node:crypto';
import {mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {request} from 'node:https';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {createClient} from '@connectrpc/connect';
import {createGrpcTransport} from '@connectrpc/connect-node';
import {IDS} from '@palisade/ids-wire/gen/google/cloud/ids/v1/ids_pb.ts';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type RunningServer, run, scratch, serve} from '../support/palisade.ts';

const folder = scratch();
const at = (...path: string[]): string => join(folder.dir, ...path);
/** The default data folder of the environment below. */
const data = at('state', 'palisade');
const env = {PALISADE_SERVER: '', PALISADE_TOKEN: '', KUBECONFIG: '', XDG_STATE_HOME: at('state')};
let server: RunningServer;
beforeAll(async () => {
  server = await serve(['--https', '127.0.0.1:0', '--log-level', 'info'], {env});
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const pki = (name: string): string => readFileSync(join(data, 'pki', name), 'utf8');
type Pair = {readonly cert: string; readonly key: string};
const admin = (): Pair => ({cert: pki('admin.crt'), key: pki('admin.key')});
const issued = async (...words: string[]): Promise<Pair & {readonly serial: string}> => {
  const {stdout, stderr} = await run(['certs', 'issue', '--out', '-', '--json', ...words], {env});
  expect(stderr).toBe('');
  return JSON.parse(stdout);
};

/** The status of an answer over a new connection. */
const statusOf = (path: string, pair?: Pair): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(`${server.ready.https}${path}`, {ca: pki('ca.crt'), agent: false, ...pair}, response => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.once('error', reject);
    sent.end();
  });
const KUBE = '/api/v1/namespaces/default/endpoints';
const IDS_PATH = '/v1/projects/p/locations/local/endpoints';
const both = async (pair?: Pair): Promise<(number | undefined)[]> => [
  await statusOf(KUBE, pair),
  await statusOf(IDS_PATH, pair),
];

describe('47-1 a start without flags', () => {
  test('opens HTTPS alone, and names the kubeconfig, which only its owner reads', () => {
    expect(Object.keys(server.ready)).toEqual(['ready', 'pid', 'https', 'console', 'kubeconfig']);
    const secret = [server.ready.kubeconfig, join(data, 'pki', 'admin.key'), join(data, 'pki', 'ca.key')];
    expect(secret.map(file => statSync(file).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
  });

  test('kubectl signs in with it', context => {
    const found = spawnSync('kubectl', ['get', 'ep', 'kubernetes', '--ignore-not-found'], {
      env: {...process.env, KUBECONFIG: server.ready.kubeconfig},
      encoding: 'utf8',
    });
    if (found.error !== undefined) return context.skip('kubectl is not installed');
    expect([found.status, found.stderr]).toEqual([0, '']);
    return undefined;
  });

  test('commands of both APIs find the server and sign in', async () => {
    expect(await run(['describe', 'ns/default'], {env})).toMatchObject({code: 0, stderr: ''});
    expect(await run(['threats'], {env})).toMatchObject({code: 0, stderr: 'palisade: no threat logs\n'});
  });

  test('the embedded engine signs in to both APIs of the local server', async () => {
    for (const made of ['program', 'backend']) mkdirSync(at(made));
    writeFileSync(at('program', 'Pulumi.yaml'), 'name: p\nruntime: nodejs\n');
    const backend = {
      PULUMI_BACKEND_URL: `file://${at('backend')}`,
      PULUMI_HOME: at('home'),
      PULUMI_CONFIG_PASSPHRASE: 'x',
    };
    const palisade = (...words: string[]) => run(words, {env: {...env, ...backend}, cwd: at('program')});
    expect((await palisade('stack', 'init', 'dev')).code).toBe(0);
    for (const [type, id] of [
      ['platform:core/v1:Endpoints', 'default/absent'],
      ['cloudnative:intrusion/v1:Endpoint', 'projects/p/locations/local/endpoints/absent'],
    ] as const) {
      const {stdout, stderr} = await palisade('import', type, 'web', id, '--yes', '--generate-code=false');
      expect(stdout + stderr).toContain(`resource '${id}' does not exist`); // else: a refusal
    }
  });

  test('a port that is in use is named with the way out', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise(resolve => taken.once('listening', resolve));
    const {port} = taken.address() as {port: number};
    const refused = await run([
      'serve',
      '--data',
      at('taken'),
      '--https',
      `127.0.0.1:${port}`,
      '--log-level',
      'silent',
    ]);
    taken.close();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`--https 127.0.0.1:${port}: the port is in use;`);
    expect(refused.stderr).toContain('such as --https 127.0.0.1:0 (0 takes a free one)');
  });
});

describe('47-2 client certificates', () => {
  test('the administrator may do all, on both APIs; without one nobody may', async () => {
    expect(await both(admin())).toEqual([200, 200]);
    expect(await both()).toEqual([403, 401]);
  });

  test('gRPC with one, on the same port', async () => {
    const client = (pair?: Pair) =>
      createClient(
        IDS,
        createGrpcTransport({baseUrl: server.ready.https ?? '', nodeOptions: {ca: pki('ca.crt'), ...pair}}),
      );
    const parent = 'projects/p/locations/local';
    expect((await client(admin()).listEndpoints({parent})).endpoints).toEqual([]);
    await expect(client().listEndpoints({parent})).rejects.toThrow(/unauthenticated/);
    const late = await issued('--for', 'late', '--group', 'system:masters');
    expect((await client(late).listEndpoints({parent})).endpoints).toEqual([]);
  });

  test('a user has the rights of its name and groups, and no others', async () => {
    const jane = await issued('--for', 'jane', '--group', 'soc', '--ttl', '8h');
    expect(await both(jane)).toEqual([403, 403]);
    expect(await both(await issued('--for', 'ops', '--group', 'system:masters'))).toEqual([200, 200]);
  });

  test('one of another CA, or for servers, is refused', async () => {
    const flags = ['--data', at('other'), '--https', '127.0.0.1:0', '--log-level', 'warn', '--apis', 'kubernetes'];
    await using other = await serve(flags);
    expect(other.ready.https).toBeDefined();
    const foreign = (name: string): string => readFileSync(at('other', 'pki', name), 'utf8');
    expect(await both({cert: foreign('admin.crt'), key: foreign('admin.key')})).toEqual([401, 401]);
    expect(await both({cert: pki('server.crt'), key: pki('server.key')})).toEqual([401, 401]);
  });

  test('47-1 --tls-names has the CA of an existing data folder issue a certificate with these names', async () => {
    const flags = ['--data', at('named'), '--https', '127.0.0.1:0', '--log-level', 'info', '--apis', 'kubernetes'];
    const read = (name: string): string => readFileSync(at('named', 'pki', name), 'utf8');
    const first = await serve(flags);
    await first.stop();
    const ca = read('ca.crt');
    expect(new X509Certificate(read('server.crt')).checkHost('palisade.example')).toBeUndefined();
    await using named = await serve([...flags, '--tls-names', 'palisade.example,10.98.0.1']);
    expect(named.stderr()).toContain('server certificate issued');
    const certificate = new X509Certificate(read('server.crt'));
    expect(certificate.checkHost('palisade.example')).toBe('palisade.example');
    expect(certificate.checkIP('10.98.0.1')).toBe('10.98.0.1');
    expect(certificate.verify(new X509Certificate(ca).publicKey)).toBe(true);
  });

  test('a revoked one is refused at the next request, with the server running', async () => {
    const ops = await issued('--for', 'ops', '--group', 'system:masters');
    expect(await both(ops)).toEqual([200, 200]);
    expect(await run(['certs', 'revoke', ops.serial], {env})).toMatchObject({
      code: 0,
      stdout: `revoked ${ops.serial}\n`,
    });
    await expect.poll(server.stderr, {timeout: 30_000}).toContain('revocation list read');
    expect(await both(ops)).toEqual([401, 401]);
    expect(await both(admin())).toEqual([200, 200]);
  });

  test('47-2 a certificate is found and revoked by the kubeconfig, by the user, or by its serial number', async () => {
    const [first, second] = [at('kim.kubeconfig'), at('kim-2.kubeconfig')];
    for (const out of [first, second]) await run(['kubeconfig', '--for', 'kim', '--group', 'soc', '--out', out], {env});
    const shown = await run(['certs', 'show', '--json'], {env});
    const lines = shown.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as {user?: string; serial: string});
    const serials = lines.filter(({user}) => user === 'kim').map(({serial}) => serial);
    expect(serials).toHaveLength(2);
    expect(statSync(join(data, 'pki', 'issued.jsonl')).mode & 0o777).toBe(0o600);
    expect(await run(['certs', 'revoke', first], {env})).toMatchObject({code: 0, stdout: `revoked ${serials[0]}\n`});
    expect(await run(['certs', 'revoke', '--user', 'kim'], {env})).toMatchObject({
      code: 0,
      stdout: `already revoked ${serials[0]}\nrevoked ${serials[1]}\n`,
    });
    expect((await run(['certs', 'show'], {env})).stdout).not.toContain(' kim ');
    await expect.poll(server.stderr, {timeout: 30_000}).toContain(`"added":["${serials[1]}"]`);
    expect((await run(['certs', 'revoke', '--user', 'nobody'], {env})).stderr).toContain(
      '--user nobody: no valid cert',
    );
    expect((await run(['certs', 'revoke', 'ABCDEF'], {env})).stdout).toContain('ABCDEF (not known to be issued here)');
  });

  test('47-2 certs issue overwrites no file, and leaves none where it fails', async () => {
    const words = ['certs', 'issue', '--for', 'lee', '--out', at('lee')];
    expect(await run(words, {env})).toMatchObject({code: 0, stderr: ''});
    const before = readFileSync(at('lee', 'lee.crt'), 'utf8');
    expect((await run(words, {env})).stderr).toContain('lee.key: the file exists; remove it or choose another name');
    rmSync(at('lee', 'lee.key'));
    expect((await run(words, {env})).stderr).toContain('lee.crt: the file exists');
    expect(readdirSync(at('lee'))).toEqual(['lee.crt']);
    expect(readFileSync(at('lee', 'lee.crt'), 'utf8')).toBe(before);
  });

  test('47-1 a kubeconfig for a name that the server certificate lacks comes with a warning', async () => {
    const words = ['kubeconfig', '--for', 'max', '--server', 'https://palisade.example:6443'];
    expect((await run(words, {env})).stderr).toContain(
      'the server certificate is not valid for palisade.example: restart the server with --tls-names palisade.example',
    );
    const own = await run(['kubeconfig', '--for', 'max', '--server', 'https://localhost:6443'], {env});
    expect(own.stderr).not.toContain('not valid for');
  });

  test('palisade kubeconfig writes one for its owner only, that leads to both APIs', async () => {
    const out = at('ops.kubeconfig');
    const words = ['kubeconfig', '--for', 'ops', '--group', 'system:masters', '--ttl', '8h', '--out', out];
    expect(await run(words, {env})).toMatchObject({
      code: 0,
      stdout: `${out}\n`,
      stderr: expect.stringMatching(
        /^palisade: certificate [0-9A-F]+ is valid until .*; revoke it with palisade certs/,
      ),
    });
    expect(await run(words, {env})).toMatchObject({
      code: 1,
      stderr: `palisade: --out ${out}: the file exists; remove it or choose another name\n`,
    });
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const elsewhere = {...env, XDG_STATE_HOME: at('none'), KUBECONFIG: out};
    expect(await run(['describe', 'ns/default'], {env: elsewhere})).toMatchObject({code: 0, stderr: ''});
    expect(await run(['threats'], {env: elsewhere})).toMatchObject({code: 0});
  });

  test('47-2 palisade kubeconfig --token writes the token of a file, without a certificate, for both APIs', async () => {
    const inFolder = {...env, KUBECONFIG: server.ready.kubeconfig};
    const {stdout: token} = await run(['token', 'create', '--for', 'anna', '--group', 'system:masters'], {
      env: inFolder,
    });
    writeFileSync(at('anna.token'), token);
    const out = at('anna.kubeconfig');
    const words = ['kubeconfig', '--for', 'anna', '--token', at('anna.token')];
    expect(await run([...words, '--out', out], {env})).toMatchObject({code: 0, stdout: `${out}\n`, stderr: ''});
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const text = readFileSync(out, 'utf8');
    expect(text).toContain(token.trim());
    expect(text).not.toContain('client-');
    const elsewhere = {...env, XDG_STATE_HOME: at('none'), KUBECONFIG: out};
    expect(await run(['describe', 'ns/default'], {env: elsewhere})).toMatchObject({code: 0, stderr: ''});
    expect(await run(['threats'], {env: elsewhere})).toMatchObject({code: 0});
    expect(await run(['token', 'revoke', '--user', 'anna'], {env: inFolder})).toMatchObject({code: 0});
    expect(await run(['describe', 'ns/default'], {env: elsewhere})).toMatchObject({code: 1});
    const {stdout} = await run([...words, '--json'], {env});
    expect(JSON.parse(stdout)).toEqual({server: server.ready.https, user: 'anna', kubeconfig: text});
    expect(await run([...words, '--ttl', '8h'], {env})).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--group and --ttl are for certificates: leave them out with --token'),
    });
  });

  test('a rotated CA is taken without a restart: both old and new certificates and CAs work', async () => {
    const [old, ca] = [admin(), pki('ca.crt')];
    expect(await run(['certs', 'rotate', '--ca', '--overlap', '1d'], {env})).toMatchObject({code: 0});
    await expect.poll(server.stderr, {timeout: 30_000}).toContain('certificate replaced');
    expect(pki('ca.crt')).not.toBe(ca);
    expect([await both(old), await both(admin())]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    writeFileSync(at('old-ca.crt'), ca);
    const words = ['describe', 'ns/default', '--ca', at('old-ca.crt')];
    expect(await run(words, {env})).toMatchObject({code: 0, stderr: ''});
    const {stdout} = await run(['certs', 'show', '--json'], {env});
    const names = stdout
      .trim()
      .split('\n')
      .map(line => (JSON.parse(line) as {name: string}).name);
    expect(names).toEqual(expect.arrayContaining(['ca', 'previous-ca', 'server', 'admin', 'issued', 'revoked']));
    expect((await run(['certs', 'show'], {env})).stdout).toMatch(/Previous CA\n(?: {2}.*\n)*? {2}Accepted until: 20/);
    await expect.poll(server.stderr, {timeout: 30_000}).toMatch(/"previousUntil":"20.*CA replaced, the previous one/);
  });
});

test('47-1 what certs and kubeconfig cannot do is said with the way out', async () => {
  expect(await run(['certs', 'show', '--data', at('empty')])).toMatchObject({
    code: 1,
    stderr: `palisade: no certificates in ${at('empty')}; start the server with HTTPS once, or check --data\n`,
  });
  const wrong = await run(['certs', 'issue', '--ttl', 'soon'], {env});
  expect(wrong).toMatchObject({code: 2});
  expect(wrong.stderr).toContain('--for USER is missing');
  expect(wrong.stderr).toContain('--ttl soon: must be a duration such as 30m, 8h or 90d, from 1m to 3650d');
  expect((await run(['certs', 'issue', '--for', 'x', '--ttl', '9999d'], {env})).stderr).toContain('from 1m to 3650d');
  expect((await run(['kubeconfig', '--for', 'x', '--data', at('empty')])).stderr).toContain(
    `no server has run on ${at('empty')}: give the data folder with --data, such as --data ./data`,
  );
  expect((await run(['certs', 'rotate', '--overlap', '1d'], {env})).code).toBe(2);
  expect((await run(['kubeconfig', '--for', 'x', '--token', at('none')], {env})).stderr).toContain('cannot be read');
});
