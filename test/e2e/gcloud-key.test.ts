// SPDX-License-Identifier: Apache-2.0
/**
 * gcloud signs in with a key file that the server issued, and is the service account. Over TLS, with the rights of its roles.
 * Skipped where gcloud is absent. Ref: requirements I-114.
 */
import {mkdirSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type Finished, type RunningServer, run, scratch, serve} from '../support/palisade.ts';
import {skipped, which} from './support/toolchain.ts';

const gcloud = which('gcloud');
const absent = skipped('gcloud with a key file', gcloud === undefined ? 'gcloud is not on PATH' : undefined);

/** Several calls on a busy machine. */
const TIMEOUT_MS = 180_000;
const NAMESPACE = 'shop';

describe.skipIf(absent !== undefined)('gcloud with a key file', () => {
  const folder = scratch();
  const keyFile = join(folder.dir, 'key.json');
  let server: RunningServer;
  let env: Record<string, string>;
  let commands: Record<string, string>;

  beforeAll(async () => {
    const tokens = join(folder.dir, 'tokens.csv');
    writeFileSync(tokens, 'boss,admin,1,"system:masters"\n');
    const data = join(folder.dir, 'data');
    const flags = ['--data', data, '--https', '127.0.0.1:0', '--token-auth-file', tokens, '--log-level', 'error'];
    server = await serve([...flags, '--driver', 'relay']);
    const {https = ''} = server.ready;
    const ca = join(data, 'pki', 'ca.crt');
    commands = {PALISADE_SERVER: https, PALISADE_TOKEN: 'boss', NODE_EXTRA_CA_CERTS: ca};
    const config = join(folder.dir, 'gcloud');
    mkdirSync(config);
    env = {
      CLOUDSDK_CONFIG: config,
      CLOUDSDK_API_ENDPOINT_OVERRIDES_IDS: `${https}/`,
      CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE: ca,
      REQUESTS_CA_BUNDLE: '', // goes before the setting of gcloud in calls of /token
      CURL_CA_BUNDLE: '',
      CLOUDSDK_CORE_DISABLE_USAGE_REPORTING: 'true',
      CLOUDSDK_CORE_CHECK_GCE_METADATA: 'false',
      CLOUDSDK_SURVEY_DISABLE_PROMPTS: 'true',
      CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK: 'true',
    };
  }, TIMEOUT_MS);
  afterAll(async () => {
    await server?.stop();
    folder[Symbol.dispose]();
  });

  const call = (...words: string[]): Promise<Finished> => run([...words, '--quiet'], {command: gcloud ?? '', env});
  const palisade = (...words: string[]): Promise<Finished> =>
    run([...words, '--ca', commands['NODE_EXTRA_CA_CERTS'] ?? ''], {env: commands});
  const create = async (path: string, object: object): Promise<void> => {
    const {https = ''} = server.ready;
    const headers = ['-H', 'authorization: Bearer boss', '-H', 'content-type: application/json'];
    const ca = ['--cacert', commands['NODE_EXTRA_CA_CERTS'] ?? ''];
    const words = ['-sSf', ...ca, ...headers, '-d', JSON.stringify(object), `${https}${path}`];
    const {code, stderr} = await run(words, {command: 'curl'});
    if (code !== 0) throw new Error(`${path}: ${stderr}`);
  };
  const list = (): Promise<Finished> => call('ids', 'endpoints', 'list', '--project', NAMESPACE, '--format=json');

  test(
    'I-114 activate-service-account signs in, roles decide, and a revoked key ends it',
    async () => {
      await create('/api/v1/namespaces', {metadata: {name: NAMESPACE}});
      await create(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, {metadata: {name: 'deployer'}});
      const made = await palisade('key', 'create', `${NAMESPACE}/deployer`, '--out', keyFile, '--json');
      expect([made.code, made.stderr]).toEqual([0, '']);
      expect(statSync(keyFile).mode & 0o777).toBe(0o600);
      const {name} = JSON.parse(made.stdout) as {name: string};

      const activated = await call('auth', 'activate-service-account', '--key-file', keyFile);
      expect([activated.code, activated.stderr]).toEqual([0, expect.stringContaining('Activated service account')]);
      const refused = await list();
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('PERMISSION_DENIED')]);

      await create(`/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/rolebindings`, {
        metadata: {name: 'deployer'},
        roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'ids-viewer'},
        subjects: [{kind: 'ServiceAccount', namespace: NAMESPACE, name: 'deployer'}],
      });
      const listed = await list();
      expect([listed.code, listed.stdout.trim(), listed.stderr]).toEqual([0, '[]', '']);

      const selfSigned = {...env, CLOUDSDK_AUTH_SERVICE_ACCOUNT_USE_SELF_SIGNED_JWT: 'true'};
      const token = await run(['auth', 'print-access-token'], {command: gcloud ?? '', env: selfSigned});
      const claims = JSON.parse(Buffer.from(token.stdout.split('.')[1] ?? '', 'base64url').toString());
      expect(claims).toMatchObject({iss: `deployer@${NAMESPACE}.iam.gserviceaccount.com`});
      const words = ['ids', 'endpoints', 'list', '--project', NAMESPACE, '--format=json'];
      const signedByGcloud = await run(words, {command: gcloud ?? '', env: selfSigned});
      expect([signedByGcloud.code, signedByGcloud.stdout.trim()]).toEqual([0, '[]']);

      const keys = await palisade('key', 'list', '--namespace', NAMESPACE);
      expect(keys.stdout).toMatch(new RegExp(`${NAMESPACE}/${name} +deployer +\\S+ +never`));
      const revoked = await palisade('key', 'revoke', `${NAMESPACE}/${name}`);
      expect([revoked.code, revoked.stdout]).toEqual([0, `key ${NAMESPACE}/${name} revoked\n`]);
      const ended = await list();
      expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(/UNAUTHENTICATED|invalid_grant/)]);
    },
    TIMEOUT_MS,
  );
});
