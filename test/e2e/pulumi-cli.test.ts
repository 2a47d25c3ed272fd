// SPDX-License-Identifier: Apache-2.0
/**
 * A stack goes from the real Pulumi CLI, through our plugins, to the embedded engine and back: neither sees a change that it did not
 * make. Skipped where the CLI, the SDKs or Suricata are absent. Ref: requirements E-029.
 */
import {existsSync, mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type Finished, PALISADE, quiet, type RunningServer, run, scratch, serve} from '../support/palisade.ts';
import {whyNoSuricata} from './support/ids-server.ts';
import {skipped, which} from './support/toolchain.ts';

const SDK = resolve('build/sdk/node_modules');
const pulumi = which('pulumi');
const absent = skipped(
  'pulumi',
  pulumi === undefined
    ? 'pulumi is not on PATH'
    : existsSync(join(SDK, '@palisade/platform'))
      ? whyNoSuricata()
      : 'no build/sdk; make sdk makes it',
);
/** About fifteen commands, each of which starts a program, plugins or both: half a minute on an idle machine. */
const TIMEOUT_MS = 300_000;

const PROGRAM = `
import * as pulumi from '@pulumi/pulumi';
import * as platform from '@palisade/platform';
import * as cloudnative from '@palisade/cloudnative';

const config = new pulumi.Config();

class Service extends pulumi.ComponentResource {
  readonly endpoints: platform.core.v1.Endpoints;
  constructor(name: string, provider: platform.Provider) {
    super('shop:index:Service', name, {}, {providers: [provider]});
    const metadata = {labels: {tier: config.require('tier')}, annotations: {token: config.requireSecret('token')}};
    const subsets = [{addresses: [{ip: '10.20.0.10'}], ports: [{name: 'http', port: 80}]}];
    this.endpoints = new platform.core.v1.Endpoints(name, {metadata, subsets}, {parent: this, customTimeouts: {create: '2m'}});
    this.registerOutputs({id: this.endpoints.id});
  }
}
const service = new Service('web', new platform.Provider('given', {server: process.env.PALISADE_SERVER}));
const guard = new cloudnative.intrusion.v1.Endpoint('guard', {
  endpointId: 'guard', project: 'p', location: 'us-central1-a', network: 'projects/p/global/networks/n', severity: 'MEDIUM',
  description: pulumi.secret('whispered'),
}, {dependsOn: service, additionalSecretOutputs: ['endpointIp']});
if (config.get('extra') !== undefined) new platform.core.v1.Endpoints('extra', {metadata: {labels: {guard: guard.endpointId}}});
export const name = service.endpoints.metadata.apply(metadata => metadata?.name);
export const token = config.requireSecret('token');
export const endpointIp = guard.endpointIp;
`;

describe.skipIf(absent !== undefined)('a stack of the real Pulumi CLI', () => {
  const folder = scratch();
  const program = join(folder.dir, 'program');
  let server: RunningServer;
  let env: Record<string, string>;

  beforeAll(async () => {
    server = await serve([...quiet(folder.dir), '--driver', 'relay', '--endpoint-pool', '127.93.0.0/16']);
    for (const name of ['program', 'state', 'home']) mkdirSync(join(folder.dir, name));
    writeFileSync(join(program, 'Pulumi.yaml'), 'name: shop\nruntime: nodejs\nmain: index.ts\n');
    writeFileSync(join(program, 'index.ts'), PROGRAM);
    symlinkSync(SDK, join(program, 'node_modules'));
    env = {
      PATH: `${dirname(PALISADE)}:${process.env['PATH'] ?? ''}`,
      PALISADE_SERVER: server.ready.http,
      PULUMI_BACKEND_URL: `file://${join(folder.dir, 'state')}`,
      PULUMI_HOME: join(folder.dir, 'home'),
      PULUMI_CONFIG_PASSPHRASE: 'open sesame',
      PULUMI_SKIP_UPDATE_CHECK: 'true',
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
      NO_COLOR: '1',
    };
  });
  afterAll(async () => {
    await server.stop();
    folder[Symbol.dispose]();
  });

  const call = async (command: string, words: string): Promise<Finished> => {
    const done = await run([...words.split(' '), '--non-interactive'], {command, env, cwd: program});
    if (done.code !== 0) throw new Error(`${command} ${words} ended with ${done.code}: ${done.stdout}${done.stderr}`);
    return done;
  };
  const theirs = (words: string): Promise<Finished> => call(pulumi ?? '', words);
  const ours = (words: string): Promise<Finished> => call(PALISADE, words);
  const noChanges = '--yes --skip-preview --expect-no-changes';
  const outputs = async (done: Promise<Finished>): Promise<unknown> => JSON.parse((await done).stdout);
  const left = async (path: string): Promise<unknown> => (await fetch(`${server.ready.http}${path}`)).json();

  test(
    'E-029 E-274 is taken over without changes, changed, and given back without changes',
    async () => {
      await theirs('stack init dev');
      await theirs('config set tier one');
      await theirs('config set --secret token hunter2');
      await theirs('up --yes --skip-preview');
      const before = await outputs(theirs('stack output --json --show-secrets'));
      expect(before).toMatchObject({token: 'hunter2', endpointIp: expect.stringMatching(/^127\.93\./)});

      await ours(`up ${noChanges}`);
      await ours(`refresh ${noChanges}`);
      expect(await outputs(ours('stack output --json --show-secrets'))).toEqual(before);

      await ours('config set tier two');
      await ours('config set extra yes');
      await ours('config set --secret token hunter3');
      const {changeSummary} = JSON.parse((await ours('up --yes --skip-preview --json')).stdout) as {
        changeSummary: Record<string, number>;
      };
      expect(changeSummary).toMatchObject({create: 1, update: 1});

      await theirs(`up ${noChanges}`);
      await theirs(`refresh ${noChanges}`);
      const after = await outputs(theirs('stack output --json --show-secrets'));
      expect(after).toEqual({...(before as object), token: 'hunter3'});
      const masked = await outputs(theirs('stack output --json'));
      expect(masked).toMatchObject({token: '[secret]', endpointIp: '[secret]'});
      expect(await outputs(ours('stack output --json'))).toEqual(masked);
      await theirs('destroy --yes --skip-preview');
      await ours('stack rm dev --yes');
      expect(await left('/api/v1/namespaces/default/endpoints')).toMatchObject({items: []});
      expect(await left('/v1/projects/p/locations/-/endpoints')).not.toHaveProperty('endpoints');
    },
    TIMEOUT_MS,
  );

  test(
    'edits of the state and imports leave what the CLI leaves of the same state, with the same code',
    async () => {
      await theirs('stack init edits');
      await theirs('config set tier one');
      await theirs('config set --secret token hunter2');
      await theirs('up --yes --skip-preview');
      await theirs('stack export --file ../base.json');
      const object = {
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: {name: 'found', labels: {'a.b/c': 'd'}, annotations: {note: 'one\ntwo "three"'}},
        subsets: [{addresses: [{ip: '10.20.0.20', nodeName: 'n'}], ports: [{port: 53, protocol: 'UDP'}]}],
      };
      const headers = {'content-type': 'application/json'};
      const path = `${server.ready.http}/api/v1/namespaces/default/endpoints`;
      expect((await fetch(path, {method: 'POST', headers, body: JSON.stringify(object)})).status).toBe(201);

      const start = 'urn:pulumi:edits::shop::';
      const service = `${start}shop:index:Service::web`;
      const [web, guard] = [
        `${start}shop:index:Service$platform:core/v1:Endpoints::web`,
        'cloudnative:intrusion/v1:Endpoint',
      ];
      const given = `${start}pulumi:providers:platform::given`;
      for (const words of [
        `state protect ${web} --yes`,
        'state unprotect --all --yes',
        `state delete ${start}${guard}::guard --yes`,
        `state delete ${given} --target-dependents --yes`,
        'state delete --all --yes',
        `state rename ${web} site --yes`,
        `state rename ${given} taken --yes`,
        'import platform:core/v1:Endpoints found default/found --yes',
        `import platform:core/v1:Endpoints found default/found --skip-preview --protect=false --parent=svc=${service} --provider=given=${given}`,
        `import ${guard} second projects/p/locations/us-central1-a/endpoints/guard --skip-preview`,
      ]) {
        const done: unknown[] = [];
        for (const by of [theirs, ours]) {
          await theirs('stack import --file ../base.json');
          const {stdout} = await by(words);
          const {deployment} = JSON.parse((await theirs('stack export')).stdout) as {deployment: object};
          done.push({state: comparable(deployment), code: /^import \* as .*/ms.exec(stdout)?.[0]});
        }
        expect(done[1], words).toEqual(done[0]);
        expect(done[0]).toHaveProperty(
          'code',
          words.startsWith('import') ? expect.stringContaining('new ') : undefined,
        );
      }
      await theirs('stack import --file ../base.json');
      await ours('destroy --yes --skip-preview');
      await ours('stack rm edits --yes');
    },
    TIMEOUT_MS,
  );
});

/** A state without what differs from run to run. */
const comparable = (deployment: object): unknown =>
  JSON.parse(JSON.stringify(deployment), (key, value: unknown) => {
    if (['manifest', 'ciphertext', 'created', 'modified'].includes(key)) return undefined;
    const made = typeof value === 'string' && /^([0-9a-f-]{36}|urn:.*:pulumi:providers:.*::[0-9a-f-]{36})$/.test(value);
    return made ? value.replace(/[0-9a-f-]{36}$/, 'ID') : value;
  });
