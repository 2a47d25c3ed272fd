// SPDX-License-Identifier: Apache-2.0
/** What the providers of `palisade up` say of a certificate that nobody here vouches for, and that the way out is one. */
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {run, scratch, serve} from '../support/palisade.ts';

const PROVIDERS = {
  platform: {type: 'platform:core/v1:Endpoints', id: 'default/web', key: 'server'},
  cloudnative: {
    type: 'cloudnative:intrusion/v1:Endpoint',
    id: 'projects/p/locations/local/endpoints/e',
    key: 'endpoint',
  },
};

test.each(Object.entries(PROVIDERS))('%s: an untrusted certificate is told with its way out', async (name, of) => {
  using folder = scratch();
  const data = join(folder.dir, 'data');
  await using server = await serve([
    '--data',
    data,
    '--http',
    '127.0.0.1:0',
    '--https',
    '127.0.0.1:0',
    '--auth',
    'none',
  ]);
  for (const made of ['program', 'backend']) mkdirSync(join(folder.dir, made));
  const cwd = join(folder.dir, 'program');
  const urn = (type: string, resource: string): string => `urn:pulumi:dev::p::${type}::${resource}`;
  const provider = `pulumi:providers:${name}`;
  const inputs = {[of.key]: server.ready.https};
  const resources = [
    {urn: urn(provider, 'default'), custom: true, id: 'i', type: provider, inputs, outputs: inputs},
    {urn: urn(of.type, 'r'), custom: true, id: of.id, type: of.type, provider: `${urn(provider, 'default')}::i`},
  ];
  const manifest = {time: '2024-01-01T00:00:00Z', magic: '', version: ''};
  writeFileSync(join(cwd, 'Pulumi.yaml'), 'name: p\nruntime: nodejs\n');
  writeFileSync(join(cwd, 'state.json'), JSON.stringify({version: 3, deployment: {manifest, resources}}));
  const env = {
    PULUMI_BACKEND_URL: `file://${join(folder.dir, 'backend')}`,
    PULUMI_HOME: join(folder.dir, 'home'),
    PULUMI_CONFIG_PASSPHRASE: 'x',
    PALISADE_SERVER: '',
    KUBECONFIG: '',
  };
  expect((await run(['stack', 'init', 'dev'], {env, cwd})).code).toBe(0);
  const imported = await run(['stack', 'import', '--file', 'state.json'], {env, cwd});
  expect(imported.code, imported.stderr).toBe(0);
  const refresh = ['refresh', '--yes', '--skip-preview'];
  const refused = await run(refresh, {env, cwd});
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /authority that is not trusted here \(UNABLE_TO_\w+\); set NODE_EXTRA_CA_CERTS to .*pki\/ca\.crt/,
  );
  const trusted = await run(refresh, {env: {...env, NODE_EXTRA_CA_CERTS: join(data, 'pki/ca.crt')}, cwd});
  expect(trusted.code, trusted.stderr).toBe(0);
});
