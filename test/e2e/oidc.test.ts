// SPDX-License-Identifier: Apache-2.0
/** kubectl and the REST of both APIs with ID tokens of a real issuer (oidc-provider over TLS), whose keys and moods change. */
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type OidcIssuer, startIssuer} from '../support/oidc-issuer.ts';
import {run, type Scratch, scratch, serve} from '../support/palisade.ts';
import {KUBECTLS, Kubectl} from './support/kubectl.ts';
import {ADMIN_TOKEN, type SecuredServer, startSecured} from './support/secured-server.ts';

const IDS_PATH = '/v1/projects/p/locations/local/endpoints';
const RIGHTS = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ids-reader}
rules:
- {apiGroups: [ids.googleapis.com], resources: [endpoints], verbs: [list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: ids-readers}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ids-reader}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: "oidc:jane-team"}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: jane, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: "oidc:jane-team"}]
`;
const KUBE_PATH = '/api/v1/namespaces/default/endpoints';

let folder: Scratch;
let issuer: OidcIssuer;
let server: SecuredServer;

const flagsOf = ({url, caFile}: OidcIssuer): string[] => [
  ...['--oidc-issuer-url', url, '--oidc-client-id', 'palisade', '--oidc-ca-file', caFile],
  ...['--oidc-groups-claim', 'groups', '--oidc-groups-prefix', 'oidc:'],
];
const get = async (path: string, token: string, of: Pick<SecuredServer, 'http'> = server) => {
  const response = await fetch(`${of.http()}${path}`, {headers: {authorization: `Bearer ${token}`}});
  return {status: response.status, text: await response.text()};
};
const codes = async (token: string): Promise<readonly number[]> => [
  (await get(KUBE_PATH, token)).status,
  (await get(IDS_PATH, token)).status,
];

beforeAll(async () => {
  folder = scratch();
  issuer = await startIssuer(join(folder.dir, 'issuer'));
  server = await startSecured(join(folder.dir, 'server'), flagsOf(issuer));
});
afterAll(async () => {
  await server?.stop();
  await issuer?.close();
  folder?.[Symbol.dispose]();
});

describe('flags and files', () => {
  const NEEDED = ['--oidc-issuer-url', 'https://127.0.0.1:1', '--oidc-client-id', 'palisade'];

  test('47-2 every fault at once, before anything is opened', async () => {
    const flags = ['--oidc-issuer-url', 'http://127.0.0.1:1', '--oidc-signing-algs', 'HS256', '--auth', 'none'];
    const {code, stderr} = await run(['serve', '--data', join(folder.dir, 'never'), ...flags]);
    expect(code).toBe(2);
    for (const part of [
      '--oidc-issuer-url http://127.0.0.1:1: must be an https URL',
      '--oidc-issuer-url needs --oidc-client-id',
      '--oidc-signing-algs HS256: must be one of',
      '--auth none and --oidc-issuer-url cannot be used together',
    ])
      expect(stderr).toContain(part);
  });

  test('47-2 a CA file that cannot be used ends the start, with the other files that cannot', async () => {
    const file = join(folder.dir, 'no-ca.crt');
    writeFileSync(file, 'nothing');
    const files = ['--oidc-ca-file', file, '--token-auth-file', join(folder.dir, 'absent.csv')];
    const listen = ['--data', join(folder.dir, 'never'), '--https', '127.0.0.1:0'];
    const {code, stderr} = await run(['serve', ...listen, ...NEEDED, ...files]);
    expect(code).toBe(1);
    expect(stderr).toContain(`--oidc-ca-file ${file}: contains no certificate in PEM form`);
    expect(stderr).toContain('absent.csv: cannot be read');
  });

  test('47-2 SIGHUP applies a changed issuer of the configuration file, without a token file as well', async () => {
    const file = join(folder.dir, 'palisade.yaml');
    const write = (clientId: string): void =>
      writeFileSync(
        file,
        JSON.stringify({
          ...{data: join(folder.dir, 'reload'), http: '127.0.0.1:0', logLevel: 'info'},
          ...{oidcIssuerUrl: issuer.url, oidcClientId: clientId, oidcCaFile: issuer.caFile},
        }),
      );
    const tokens = await Promise.all([issuer.idToken('jane'), issuer.idToken('jane', 'other')]);
    write('palisade');
    await using reloaded = await serve(['--config', file]);
    const of = {http: () => reloaded.ready.http};
    const answers = () => Promise.all(tokens.map(async token => (await get(KUBE_PATH, token, of)).status));
    await expect.poll(answers).toEqual([403, 401]);
    write('other');
    reloaded.child.kill('SIGHUP');
    await expect.poll(reloaded.stderr).toContain('"msg":"configuration reloaded"');
    expect(reloaded.stderr()).toContain('"applied":["oidcClientId"]');
    expect(await answers()).toEqual([401, 403]);
  });
});

const [client] = KUBECTLS;

describe.skipIf(client?.path === undefined)(client?.path === undefined ? `skipped: ${client?.why}` : 'kubectl', () => {
  let kubectl: Kubectl;
  beforeAll(() => {
    kubectl = new Kubectl(client?.path ?? '', join(folder.dir, 'kubectl'), server);
  });

  test('47-2 E-276 I-114 kubectl --token ID_TOKEN is the user that the claims say, in the groups that they say', async () => {
    const [jane, bob] = [await issuer.idToken('jane'), await issuer.idToken('bob')];
    const before = await kubectl.run('get endpoints', `--token=${jane}`);
    expect(before.stderr).toContain(
      `User "${issuer.url}#jane" cannot list resource "endpoints" in API group "" in the namespace "default"`,
    );
    expect((await get(IDS_PATH, jane)).status).toBe(403);
    await kubectl.ok('apply -f', kubectl.file('rights.yaml', RIGHTS));
    expect(await kubectl.ok('auth can-i list endpoints', `--token=${jane}`)).toBe('yes\n');
    expect((await kubectl.run('get endpoints', `--token=${jane}`)).code).toBe(0);
    const other = await kubectl.run('get endpoints', `--token=${bob}`);
    expect(other.stderr).toContain(`User "${issuer.url}#bob" cannot list resource "endpoints"`);
    expect([await codes(jane), await codes(bob)]).toEqual([
      [200, 200],
      [403, 403],
    ]);
  });

  test('47-2 kubectl keeps an ID token in its kubeconfig', async () => {
    const options = {
      'idp-issuer-url': issuer.url,
      'client-id': 'palisade',
      'idp-certificate-authority': issuer.caFile,
      'id-token': await issuer.idToken('jane'),
    };
    const args = Object.entries(options).map(([name, value]) => `--auth-provider-arg=${name}=${value}`);
    await kubectl.ok('config set-credentials jane --auth-provider=oidc', ...args);
    expect((await kubectl.run('get endpoints -n kube-system --user jane')).stderr).toContain(
      `User "${issuer.url}#jane" cannot list`,
    );
  });

  test('47-2 kubectl with a token for another audience is not logged in', async () => {
    const done = await kubectl.run('get endpoints', `--token=${await issuer.idToken('jane', 'other')}`);
    expect([done.code, done.stderr]).toEqual([1, expect.stringMatching(/Unauthorized|must be logged in/)]);
  });
});

describe('tokens that are refused', () => {
  test('47-2 for another audience, damaged, signed by another issuer: 401 on both sides', async () => {
    const token = await issuer.idToken('jane');
    const [header, payload = '', signature] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const forged = Buffer.from(JSON.stringify({...claims, sub: 'admin'})).toString('base64url');
    const other = await startIssuer(join(folder.dir, 'other-issuer'));
    try {
      const refused = {
        audience: await issuer.idToken('jane', 'other'),
        forged: `${header}.${forged}.${signature}`,
        unsigned: `${header}.${payload}.`,
        issuer: await other.idToken('jane'),
      };
      for (const [why, bad] of Object.entries(refused)) expect([why, await codes(bad)]).toEqual([why, [401, 401]]);
    } finally {
      await other.close();
    }
    expect(await codes(token)).not.toContain(401);
  });
});

describe('an issuer that changes', () => {
  test('47-2 a new key is fetched with its first token; the old key is not accepted any more', async () => {
    const old = await issuer.idToken('jane');
    const accepted = await codes(old);
    expect(accepted).toEqual([200, 200]);
    issuer.rotate();
    const fetches = issuer.keyFetches();
    const token = await issuer.idToken('jane');
    // At once, unless another bad token caused a fetch within the last ten seconds.
    // Not asked so often that the address has too many failed logins (429).
    await expect.poll(() => codes(token), {interval: 1_000, timeout: 15_000}).toEqual(accepted);
    expect(issuer.keyFetches()).toBe(fetches + 1);
    expect(await codes(old)).toEqual([401, 401]);
    expect(issuer.keyFetches()).toBe(fetches + 1); // not for each token without a key
  });

  test('47-2 a server starts without its issuer, refuses its tokens with a logged reason, and accepts them later', async () => {
    const token = await issuer.idToken('jane');
    issuer.down();
    const late = await startSecured(join(folder.dir, 'late'), flagsOf(issuer));
    try {
      expect((await get(KUBE_PATH, token, late)).status).toBe(401);
      expect((await get(IDS_PATH, token, late)).status).toBe(401);
      expect((await get('/metrics', ADMIN_TOKEN, late)).text).toMatch(/^palisade_oidc_keys 0$/m);
      expect(late.warnings('OIDC key fetch failed, retrying; its tokens are refused')).toHaveLength(1);
      expect(late.warnings('OIDC token refused')[0]).toContain('authenticator not initialized');
      issuer.up();
      await expect.poll(async () => (await get(KUBE_PATH, token, late)).status).toBe(403);
      const {text} = await get('/metrics', ADMIN_TOKEN, late);
      expect(text).toMatch(/^palisade_oidc_keys 1$/m);
      expect(text).toMatch(/^palisade_oidc_key_fetches_total\{result="failed"\} [1-9]/m);
    } finally {
      issuer.up();
      await late.stop();
    }
  });

  test('47-2 a token is refused from its expiry on', async () => {
    const brief = await startSecured(join(folder.dir, 'brief'), [
      ...['--oidc-issuer-url', issuer.url, '--oidc-client-id', 'brief', '--oidc-ca-file', issuer.caFile],
    ]);
    try {
      // The keys are fetched in the background.
      await expect
        .poll(async () => (await get('/metrics', ADMIN_TOKEN, brief)).text)
        .toMatch(/^palisade_oidc_keys 1$/m);
      const token = await issuer.idToken('jane', 'brief');
      const [, payload = ''] = token.split('.');
      const {exp} = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {exp: number};
      const before = await get(KUBE_PATH, token, brief);
      if (Date.now() < exp * 1000) expect(before.status).toBe(403);
      await expect.poll(async () => (await get(KUBE_PATH, token, brief)).status).toBe(401);
      expect(Date.now()).toBeGreaterThan(exp * 1000);
      expect((await get(IDS_PATH, token, brief)).status).toBe(401);
      expect(brief.warnings('OIDC token refused')[0]).toContain('token is expired');
    } finally {
      await brief.stop();
    }
  });
});
