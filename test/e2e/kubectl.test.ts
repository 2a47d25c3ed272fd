// SPDX-License-Identifier: Apache-2.0
/**
 * The stock kubectl over HTTPS with a token, in each version found. Skipped where it is absent. What old clients do otherwise by
 * themselves: explain shows enums since 1.30; 1.27 prints `annotate` for `annotated` and asks
 * `auth whoami` of a beta version that a 1.36 server no longer has.
 */
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest';
import {scratch} from '../support/palisade.ts';
import {KUBECTLS, Kubectl} from './support/kubectl.ts';
import {type SecuredServer, startSecured} from './support/secured-server.ts';
import {skipped} from './support/toolchain.ts';

/** Bound on what a watch still has to print. */
const SOON = {timeout: 30_000, interval: 50};

const manifest = (name: string, ip: string, more = ''): string => `apiVersion: v1
kind: Endpoints
metadata:
  name: ${name}
  labels: {app: web}
${more}subsets:
- addresses:
  - ip: ${ip}
    hostname: a
  notReadyAddresses:
  - ip: 10.0.0.99
  ports:
  - name: http
    port: 80
    protocol: TCP
`;

for (const client of KUBECTLS) if (client.path === undefined) skipped(client.name, client.why);

describe.each(KUBECTLS)('$name', ({name: version, path}) => {
  const folder = scratch();
  let server: SecuredServer;
  let kubectl: Kubectl;
  let minor = 0;

  beforeAll(async () => {
    if (path === undefined) return;
    server = await startSecured(folder.dir, ['--apis', 'kubernetes']);
    kubectl = new Kubectl(path, join(folder.dir, version), server);
    minor = await kubectl.minor();
  });
  afterAll(async () => {
    if (path !== undefined) await server.stop();
    folder[Symbol.dispose]();
  });

  describe.skipIf(path === undefined)('against a running server', () => {
    test('E-002 E-270 E-272 create -f, get by name, as table, wide, YAML, JSON path', async () => {
      const file = kubectl.file('web.yaml', manifest('web', '10.0.0.1'));
      expect(await kubectl.ok(`create -f ${file}`)).toBe('endpoints/web created\n');
      const again = await kubectl.run(`create -f ${file}`);
      expect(again.code).toBe(1);
      expect(again.stderr).toContain('(AlreadyExists)');
      const [head, row] = (await kubectl.ok('get endpoints web')).split('\n');
      expect(head?.split(/\s+/)).toEqual(['NAME', 'ENDPOINTS', 'AGE']);
      expect(row).toMatch(/^web +10\.0\.0\.1:80 +\d+s$/);
      expect(await kubectl.ok('get ep -A -o name')).toBe('endpoints/web\n');
      const yaml = await kubectl.ok('get ep web -o yaml');
      expect(yaml).toContain('  notReadyAddresses:\n  - ip: 10.0.0.99\n');
      expect(yaml).not.toContain('managedFields');
      expect(await kubectl.ok('get ep web -o jsonpath={.subsets[0].ports[0].protocol}')).toBe('TCP');
      expect(await kubectl.ok('get ep -l app=web --show-labels')).toContain('app=web');
      expect((await kubectl.run('get ep none')).stderr).toContain('endpoints "none" not found');
    });

    test('E-270 describe', async () => {
      const text = await kubectl.ok('describe endpoints web');
      expect(text).toMatch(/^Name: +web\nNamespace: +default\nLabels: +app=web\n/);
      expect(text).toMatch(/Addresses: +10\.0\.0\.1\n +NotReadyAddresses: +10\.0\.0\.99\n/);
      expect(text).toMatch(/http +80 +TCP\n/);
    });

    test('E-270 explain --recursive shows every field with its type', async () => {
      const text = await kubectl.ok('explain endpoints --recursive');
      expect(text).toMatch(/^KIND: +Endpoints\nVERSION: +v1\n/);
      for (const field of [
        'subsets\t<[]EndpointSubset>',
        'notReadyAddresses\t<[]EndpointAddress>',
        'targetRef\t<ObjectReference>',
        'appProtocol\t<string>',
        'blockOwnerDeletion\t<boolean>',
        'fieldsV1\t<FieldsV1>',
        'port\t<integer> -required-',
      ])
        expect(text).toContain(field);
      if (minor >= 30) expect(text).toContain('enum: SCTP, TCP, UDP');
      expect(await kubectl.ok('explain ep.subsets.ports.protocol')).toMatch(/FIELD: protocol <string>/);
    });

    test('E-270 E-271 api-resources, api-versions, version', async () => {
      const text = await kubectl.ok('api-resources -o wide --no-headers');
      const endpoints = text.split('\n').find(line => line.startsWith('endpoints '));
      expect(endpoints).toMatch(
        /^endpoints +ep +v1 +true +Endpoints +create,delete,deletecollection,get,list,patch,update,watch/,
      );
      expect((await kubectl.ok('api-versions')).split('\n')).toContain('rbac.authorization.k8s.io/v1');
      expect(JSON.parse(await kubectl.ok('version -o json')).serverVersion.gitVersion).toMatch(/^v1\.36\./);
      expect(await kubectl.ok('get --raw /readyz')).toBe('ok');
    });

    test.each([
      ['svc.spec.ports', '[]ServicePort'],
      ['services.spec.clusterIP', 'string'],
      ['endpointslices.endpoints.conditions', 'EndpointConditions'],
      ['leases.spec.leaseDurationSeconds', 'integer'],
      ['cm.data', 'map[string]string'],
      ['secrets.stringData', 'map[string]string'],
      ['sa.automountServiceAccountToken', 'boolean'],
      ['no.spec.taints', '[]Taint'],
      ['ev.involvedObject --api-version v1', 'ObjectReference'],
      ['ev.regarding --api-version events.k8s.io/v1', 'ObjectReference'],
    ])('45-1 E-270 explain %s', async (words, type) => {
      const field = words.split(' ')[0]?.split('.').at(-1);
      expect(await kubectl.ok(`explain ${words}`)).toContain(`FIELD: ${field} <${type}>`);
    });

    test('45-1 E-270 api-resources lists the kinds that consumers read', async () => {
      const lines = (await kubectl.ok('api-resources --no-headers'))
        .split('\n')
        .map(line => line.split(/ +/).join(' '));
      expect(lines).toEqual(
        expect.arrayContaining([
          'configmaps cm v1 true ConfigMap',
          'endpointslices discovery.k8s.io/v1 true EndpointSlice',
          'events ev v1 true Event',
          'events ev events.k8s.io/v1 true Event',
          'leases coordination.k8s.io/v1 true Lease',
          'nodes no v1 false Node',
          'secrets v1 true Secret',
          'serviceaccounts sa v1 true ServiceAccount',
          'services svc v1 true Service',
        ]),
      );
    });

    test('E-270 a kind that is only listed is refused by the server, not as unknown fields by kubectl', async () => {
      const head = 'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n';
      const file = kubectl.file('pod.yaml', `${head}spec: {containers: [{name: web, image: web}]}\n`);
      for (const words of ['apply', 'create', 'apply --server-side']) {
        const refused = await kubectl.run(`${words} -f ${file}`);
        expect(refused.code).toBe(1);
        expect(refused.stderr).toMatch(/this server does not store [a-z]+: the list is always empty/);
      }
    });

    test('E-048 E-270 apply on the client side: created, unchanged, configured; diff before', async () => {
      const file = kubectl.file('applied.yaml', manifest('applied', '10.0.0.1'));
      expect(await kubectl.ok(`apply -f ${file}`)).toBe('endpoints/applied created\n');
      expect(await kubectl.ok(`apply -f ${file}`)).toBe('endpoints/applied unchanged\n');
      expect(await kubectl.run(`diff -f ${file}`)).toMatchObject({code: 0, stdout: ''});
      // Without what the server filled in, kubectl sends the list again: that writes nothing.
      const version = () => kubectl.ok('get ep applied -o jsonpath={.metadata.resourceVersion}');
      kubectl.file('applied.yaml', manifest('applied', '10.0.0.1').replace('    protocol: TCP\n', ''));
      await kubectl.ok(`apply -f ${file}`);
      const settled = await version();
      await kubectl.ok(`apply -f ${file}`);
      expect(await version()).toBe(settled);
      kubectl.file('applied.yaml', manifest('applied', '10.0.0.2'));
      const diff = await kubectl.run(`diff -f ${file}`);
      expect(diff.code).toBe(1);
      expect(diff.stdout).toMatch(/^-\s+- hostname: a\n|-\s+ip: 10\.0\.0\.1\n/m);
      expect(diff.stdout).toContain('ip: 10.0.0.2');
      expect(await kubectl.ok('get ep applied -o jsonpath={.subsets[*].addresses[*].ip}')).toBe('10.0.0.1');
      expect(await kubectl.ok(`apply -f ${file}`)).toBe('endpoints/applied configured\n');
      expect(await kubectl.ok('get ep applied -o jsonpath={.subsets[*].addresses[*].ip}')).toBe('10.0.0.2');
    });

    test('E-140 E-214 E-218 apply --server-side: conflict names the manager, --force-conflicts takes over, managedFields on demand', async () => {
      const file = kubectl.file('ssa.yaml', manifest('ssa', '10.0.0.1'));
      expect(await kubectl.ok(`apply --server-side --field-manager=one -f ${file}`)).toBe(
        'endpoints/ssa serverside-applied\n',
      );
      kubectl.file('ssa.yaml', manifest('ssa', '10.0.0.2'));
      const refused = await kubectl.run(`apply --server-side --field-manager=two -f ${file}`);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('Apply failed with 1 conflict: conflict with "one": .subsets');
      await kubectl.ok(`apply --server-side --field-manager=two --force-conflicts -f ${file}`);
      const managed = JSON.parse(await kubectl.ok('get ep ssa -o json --show-managed-fields')).metadata.managedFields;
      expect(
        managed.map((entry: Record<string, unknown>) => [entry['manager'], entry['operation'], entry['fieldsType']]),
      ).toEqual([
        ['one', 'Apply', 'FieldsV1'],
        ['two', 'Apply', 'FieldsV1'],
      ]);
      expect(managed[1].fieldsV1).toMatchObject({'f:metadata': {'f:labels': {'f:app': {}}}, 'f:subsets': {}});
      expect(managed[0].fieldsV1).not.toHaveProperty('f:subsets');
    });

    test('E-137 E-270 E-271 label, annotate, patch in three kinds, replace', async () => {
      expect(await kubectl.ok('label ep web tier=front')).toBe('endpoints/web labeled\n');
      const kept = await kubectl.run('label ep web tier=back');
      expect(kept.stderr).toContain("'tier' already has a value (front)");
      expect(await kubectl.ok('label ep web tier-')).toBe('endpoints/web unlabeled\n');
      expect(await kubectl.ok('annotate ep web', 'note=two words')).toMatch(/^endpoints\/web annotated?\n$/);
      expect(await kubectl.ok('patch ep web -p', '{"metadata":{"labels":{"s":"1"}}}')).toBe('endpoints/web patched\n');
      expect(await kubectl.ok('patch ep web --type=merge -p', '{"metadata":{"labels":{"s":"1"}}}')).toBe(
        'endpoints/web patched (no change)\n',
      );
      await kubectl.ok('patch ep web --type=json -p', '[{"op":"replace","path":"/subsets/0/ports/0/port","value":81}]');
      expect(
        await kubectl.ok(
          'get ep web -o jsonpath={.metadata.annotations.note}/{.metadata.labels.s}/{.subsets[0].ports[0].port}',
        ),
      ).toBe('two words/1/81');
      const file = kubectl.file('replaced.yaml', manifest('web', '10.0.0.3'));
      expect(await kubectl.ok(`replace -f ${file}`)).toBe('endpoints/web replaced\n');
      expect(await kubectl.ok('get ep web')).toMatch(/web +10\.0\.0\.3:80/);
    });

    test('E-271 E-275 get -w shows what happens from then on', async () => {
      const watch = kubectl.start('get ep -w --output-watch-events --no-headers');
      try {
        await vi.waitFor(() => expect(watch.lines.join('\n')).toMatch(/ADDED +web /), SOON);
        await kubectl.ok(
          'patch ep web --type=json -p',
          '[{"op":"replace","path":"/subsets/0/addresses/0/ip","value":"10.0.0.4"}]',
        );
        const file = kubectl.file('short.yaml', manifest('short', '10.0.0.5'));
        await kubectl.ok(`create -f ${file}`);
        await kubectl.ok(`delete -f ${file}`);
        await vi.waitFor(() => expect(watch.lines.at(-1)).toMatch(/^DELETED +short /), SOON);
        expect(watch.lines.slice(-3).map(line => line.split(/\s+/).slice(0, 3).join(' '))).toEqual([
          'MODIFIED web 10.0.0.4:80',
          'ADDED short 10.0.0.5:80',
          'DELETED short 10.0.0.5:80',
        ]);
      } finally {
        await watch.close();
      }
    });

    test('get -w prints why it ended when the right is taken away', async () => {
      await kubectl.ok('create rolebinding watching --clusterrole view --group readers');
      const watch = kubectl.start('--context reader get ep -w');
      try {
        await vi.waitFor(() => expect(watch.lines.join('\n')).toMatch(/^web /m), SOON);
        await kubectl.ok('delete rolebinding watching');
        await vi.waitFor(
          () => expect(watch.lines.join('\n')).toContain('User "reader" cannot watch resource "endpoints"'),
          SOON,
        );
      } finally {
        await watch.close();
      }
    });

    test('E-276 auth can-i, whoami; a role bound by kubectl create lets in', async () => {
      expect(await kubectl.ok('auth can-i delete endpoints')).toBe('yes\n');
      expect(await kubectl.run('auth can-i get endpoints --context=reader')).toMatchObject({code: 1, stdout: 'no\n'});
      expect((await kubectl.run('get ep --context=reader')).stderr).toContain(
        'User "reader" cannot list resource "endpoints"',
      );
      await kubectl.ok('create role reader --verb=get,list --resource=endpoints');
      await kubectl.ok('create rolebinding reader --role=reader --user=reader');
      expect(await kubectl.ok('auth can-i get endpoints --context=reader')).toBe('yes\n');
      expect(await kubectl.ok('auth can-i --list --no-headers --context=reader')).toMatch(
        /^endpoints +\[\] +\[\] +\[get list\]$/m,
      );
      expect(await kubectl.ok('get ep web --context=reader -o name')).toBe('endpoints/web\n');
      await kubectl.ok('create clusterrolebinding watchers --clusterrole=ids-viewer --user=reader');
      for (const [verb, answer] of [
        ['list', 'yes\n'],
        ['create', 'no\n'],
      ] as const) {
        const {stdout} = await kubectl.run(`auth can-i ${verb} endpoints.ids.googleapis.com --context=reader`);
        expect(stdout).toBe(answer);
      }
      if (minor >= 28) expect(await kubectl.ok('auth whoami -o jsonpath={.status.userInfo.username}')).toBe('admin');
      expect((await kubectl.run('get ep --token=nobody --context=reader --user=')).code).toBe(1);
    });

    test('E-151 E-230 E-233 delete by name, by label, with a finalizer; a namespace goes with what is in it', async () => {
      expect(await kubectl.ok('delete ep applied ssa')).toBe('endpoints "applied" deleted\nendpoints "ssa" deleted\n');
      const held = kubectl.file('held.yaml', manifest('held', '10.0.0.1', '  finalizers: [example.com/guard]\n'));
      await kubectl.ok(`create -f ${held}`);
      await kubectl.ok('delete ep held --wait=false');
      expect(await kubectl.ok('get ep held -o jsonpath={.metadata.deletionTimestamp}')).toMatch(/Z$/);
      await kubectl.ok('patch ep held --type=merge -p', '{"metadata":{"finalizers":null}}');
      await kubectl.ok('wait --for=delete ep/held --timeout=30s');
      expect(await kubectl.ok('delete ep -l app=web')).toBe('endpoints "web" deleted\n');
      await kubectl.ok('create namespace brief');
      await kubectl.ok(`create -n brief -f ${kubectl.file('in.yaml', manifest('in', '10.0.0.1'))}`);
      await kubectl.ok('delete namespace brief');
      expect((await kubectl.run('get ns brief')).stderr).toContain('namespaces "brief" not found');
      expect(await kubectl.ok('get ep -A -o name')).toBe('');
    });

    test('the server wrote no error', () => expect(server.errors()).toEqual([]));
  });
});
