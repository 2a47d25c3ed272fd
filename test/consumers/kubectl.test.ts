// SPDX-License-Identifier: Apache-2.0
/** kubectl 1.37, built from its module, over the kinds that consumers read. */
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest';
import {kubernetesVersion, linkedVersion} from '../../bench/peer-builds.ts';
import {peerOrWhyNot} from '../../bench/peers.ts';
import {Kubectl} from '../e2e/support/kubectl.ts';
import {type SecuredServer, startSecured} from '../e2e/support/secured-server.ts';
import {scratch} from '../support/palisade.ts';

const {path, whyNot} = peerOrWhyNot('kubectl');
const skipped = whyNot === '' ? '' : ` (skipped: ${whyNot})`;
/** Bound on what a controller or a watch still has to do. */
const SOON = {timeout: 30_000, interval: 50};

/** The cells of a table, by rows. */
const cells = (text: string): readonly (readonly string[])[] =>
  text
    .trimEnd()
    .split('\n')
    .map(line => line.split(/ {2,}/).map(cell => cell.trim()));
const headsOf = (text: string): readonly string[] => cells(text)[0] ?? [];

const SERVICE = `apiVersion: v1
kind: Service
metadata: {name: web, labels: {app: web}}
spec:
  selector: {app: web}
  ports: [{name: http, port: 80, targetPort: 8080}]
`;
const LEASE = `apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: leader}
spec: {holderIdentity: one, leaseDurationSeconds: 15, leaseTransitions: 2}
`;
const SLICE = `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
ports: [{name: http, port: 8080}]
endpoints:
- addresses: [10.4.0.1]
  conditions: {ready: true}
- addresses: [10.4.0.2]
  conditions: {ready: false}
`;
const NODE = `apiVersion: v1
kind: Node
metadata: {name: machine-1, labels: {kubernetes.io/hostname: machine-1}}
spec: {podCIDR: 10.200.0.0/24}
`;
const EVENT = `apiVersion: v1
kind: Event
metadata: {name: web.1, namespace: default}
involvedObject: {apiVersion: v1, kind: ConfigMap, namespace: default, name: settings, uid: UID}
reason: Changed
message: the color changed
type: Warning
count: 3
firstTimestamp: "2026-11-01T10:00:00Z"
lastTimestamp: "2026-11-01T11:00:00Z"
source: {component: test}
`;

describe.skipIf(path === '').each(['spec', 'kubernetes'])(`kubectl 1.37, with --compat %s${skipped}`, compat => {
  const folder = scratch();
  let server: SecuredServer;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await startSecured(folder.dir, ['--apis', 'kubernetes', '--compat', compat]);
    kubectl = new Kubectl(path, join(folder.dir, 'kubectl'), server);
  });
  afterAll(async () => {
    await server?.stop();
    folder[Symbol.dispose]();
  });

  test('45-3 version: client 1.37, server 1.36, no warning about their distance', async () => {
    const module = linkedVersion(path, 'k8s.io/kubectl') ?? '';
    expect(module).toMatch(/^v0\.37\.\d+$/);
    expect(await kubectl.minor()).toBe(37);
    const done = await kubectl.run('version');
    expect(done.stdout.split('\n')).toContain(`Client Version: ${kubernetesVersion(module)}`);
    expect(done.stdout.split('\n')).toContain('Server Version: v1.36.3');
    expect(done.stderr).toBe('');
  });

  test('45-3 cluster-info, and get all shows the Service of the server', async () => {
    expect(await kubectl.ok('cluster-info')).toContain(`is running at`);
    const all = await kubectl.ok('get all');
    expect(cells(all)).toContainEqual(
      expect.arrayContaining(['service/kubernetes', 'ClusterIP', '10.96.0.1', '<none>', '443/TCP']),
    );
  });

  test('45-3 services: apply, get, describe, expose, create of each type, patch, delete', async () => {
    const file = kubectl.file('service.yaml', SERVICE);
    expect(await kubectl.ok(`apply -f ${file}`)).toBe('service/web created\n');
    expect(await kubectl.ok(`apply -f ${file}`)).toBe('service/web unchanged\n');
    const wide = await kubectl.ok('get service web -o wide');
    expect(headsOf(wide)).toEqual(['NAME', 'TYPE', 'CLUSTER-IP', 'EXTERNAL-IP', 'PORT(S)', 'AGE', 'SELECTOR']);
    expect(cells(wide)[1]).toEqual([
      'web',
      'ClusterIP',
      expect.stringMatching(/^10\.96\./),
      '<none>',
      '80/TCP',
      expect.any(String),
      'app=web',
    ]);
    const text = await kubectl.ok('describe service web');
    for (const line of [
      /^Selector: +app=web$/m,
      /^Type: +ClusterIP$/m,
      /^Port: +http +80\/TCP$/m,
      /^TargetPort: +8080\/TCP$/m,
      /^IP Families: +IPv4$/m,
    ])
      expect(text).toMatch(line);
    expect(await kubectl.ok('expose service web --name=web2 --port=81 --type=NodePort')).toBe('service/web2 exposed\n');
    expect(await kubectl.ok('get svc web2 -o jsonpath={.spec.ports[0].nodePort}')).toMatch(/^3[0-2]\d{3}$/);
    for (const words of [
      'clusterip a --tcp=80:8080',
      'nodeport b --tcp=80',
      'loadbalancer c --tcp=80',
      'externalname d --external-name=example.com',
      'clusterip e --clusterip=None',
    ])
      expect(await kubectl.ok(`create service ${words}`)).toMatch(/^service\/[a-e] created\n$/);
    expect(cells(await kubectl.ok('get svc c d e --no-headers')).map(row => row.slice(0, 4))).toEqual([
      ['c', 'LoadBalancer', expect.stringMatching(/^10\.96\./), '<pending>'],
      ['d', 'ExternalName', '<none>', 'example.com'],
      ['e', 'ClusterIP', 'None', '<none>'],
    ]);
    const refused = await kubectl.run('patch service web --type=merge', '-p', '{"spec":{"ports":[{"port":70000}]}}');
    expect(refused.stderr).toContain(
      'spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive',
    );
    expect(await kubectl.ok('delete service a b c d e web2')).toContain('service "a" deleted');
  });

  test('45-3 endpointslices: apply, server-side apply, get, describe', async () => {
    const file = kubectl.file('slice.yaml', SLICE);
    expect(await kubectl.ok(`apply -f ${file}`)).toBe('endpointslice.discovery.k8s.io/web-1 created\n');
    expect(await kubectl.ok(`apply --server-side --force-conflicts -f ${file}`)).toContain('serverside-applied');
    const table = await kubectl.ok('get endpointslices web-1');
    expect(headsOf(table)).toEqual(['NAME', 'ADDRESSTYPE', 'PORTS', 'ENDPOINTS', 'AGE']);
    expect(cells(table)[1]?.slice(0, 4)).toEqual(['web-1', 'IPv4', '8080', '10.4.0.1,10.4.0.2']);
    const text = await kubectl.ok('describe endpointslice web-1');
    expect(text).toMatch(/AddressType: +IPv4/);
    expect(text).toMatch(/Addresses: +10\.4\.0\.2\n +Conditions:\n +Ready: +false/);
    expect(await kubectl.ok('describe service web')).toMatch(/^Endpoints: +10\.4\.0\.1:8080$/m);
  });

  test('45-3 Endpoints of a Service without a selector are mirrored', async () => {
    const service = SERVICE.replace(/ {2}selector.*\n/, '').replace('name: web,', 'name: plain,');
    const set =
      'apiVersion: v1\nkind: Endpoints\nmetadata: {name: plain}\nsubsets: [{addresses: [{ip: 10.4.1.1}], ports: [{name: http, port: 8080}]}]\n';
    await kubectl.ok(`apply -f ${kubectl.file('plain.yaml', `${service}---\n${set}`)}`);
    const mirrored = (): Promise<string> =>
      kubectl.ok(
        'get endpointslices -l kubernetes.io/service-name=plain -o jsonpath={.items[*].endpoints[*].addresses[*]}',
      );
    await vi.waitFor(async () => expect(await mirrored()).toBe('10.4.1.1'), SOON);
    await kubectl.ok('delete service,endpoints plain --ignore-not-found');
    await vi.waitFor(async () => expect(await mirrored()).toBe(''), SOON);
  });

  test('45-3 configmaps: create from values and files, apply, diff, describe, replace, immutable', async () => {
    const file = kubectl.file('color.txt', 'blue\n');
    expect(await kubectl.ok(`create configmap settings --from-literal=size=4 --from-file=${file}`)).toBe(
      'configmap/settings created\n',
    );
    const table = await kubectl.ok('get cm settings');
    expect(headsOf(table)).toEqual(['NAME', 'DATA', 'AGE']);
    expect(cells(table)[1]?.slice(0, 2)).toEqual(['settings', '2']);
    expect(await kubectl.ok('describe configmap settings')).toMatch(/color\.txt:\n----\nblue\n/);
    expect(await kubectl.ok('patch cm settings --type=merge', '-p', '{"data":{"size":"5"},"immutable":true}')).toBe(
      'configmap/settings patched\n',
    );
    const refused = await kubectl.run('patch cm settings --type=merge', '-p', '{"data":{"size":"6"}}');
    expect(refused.stderr).toContain('field is immutable when `immutable` is set');
    const applied = kubectl.file(
      'applied.yaml',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\ndata: {a: "1", b: "2"}\n',
    );
    await kubectl.ok(`apply -f ${applied}`);
    const changed = kubectl.file(
      'changed.yaml',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\ndata: {a: "3"}\n',
    );
    const diff = await kubectl.run(`diff -f ${changed}`);
    expect([diff.code, diff.stdout]).toEqual([1, expect.stringMatching(/^- {2}b: "2"$/m)]);
    expect(await kubectl.ok(`apply -f ${changed}`)).toBe('configmap/applied configured\n');
    expect(await kubectl.ok('get cm applied -o jsonpath={.data}')).toBe('{"a":"3"}');
    expect(await kubectl.ok(`replace -f ${applied}`)).toBe('configmap/applied replaced\n');
    expect(
      (
        await kubectl.run(
          `create -f ${kubectl.file('bad.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad}\ndatas: {}\n')}`,
        )
      ).stderr,
    ).toContain('unknown field "datas"');
  });

  test('45-3 secrets: each create, describe without values', async () => {
    expect(await kubectl.ok('create secret generic login --from-literal=password=geheim')).toBe(
      'secret/login created\n',
    );
    expect(await kubectl.ok('create secret docker-registry pull --docker-username=u --docker-password=p')).toBe(
      'secret/pull created\n',
    );
    const table = await kubectl.ok('get secrets login pull --no-headers');
    expect(cells(table).map(row => row.slice(0, 3))).toEqual([
      ['login', 'Opaque', '1'],
      ['pull', 'kubernetes.io/dockerconfigjson', '1'],
    ]);
    const text = await kubectl.ok('describe secret login');
    expect(text).toMatch(/password: +6 bytes/);
    expect(text).not.toContain('geheim');
    expect(await kubectl.ok('get secret login -o jsonpath={.data.password}')).toBe('Z2VoZWlt');
    const wrong = await kubectl.run(
      `create -f ${kubectl.file('tls.yaml', 'apiVersion: v1\nkind: Secret\nmetadata: {name: tls}\ntype: kubernetes.io/tls\n')}`,
    );
    expect(wrong.stderr).toContain('data[tls.crt]: Required value');
  });

  test('45-3 leases and service accounts', async () => {
    expect(await kubectl.ok(`apply -f ${kubectl.file('lease.yaml', LEASE)}`)).toBe(
      'lease.coordination.k8s.io/leader created\n',
    );
    const table = await kubectl.ok('get leases leader');
    expect(headsOf(table)).toEqual(['NAME', 'HOLDER', 'AGE']);
    expect(cells(table)[1]?.slice(0, 2)).toEqual(['leader', 'one']);
    expect(await kubectl.ok('describe lease leader')).toMatch(/Holder Identity: +one/);
    await vi.waitFor(async () => expect(await kubectl.ok('get sa -o name')).toBe('serviceaccount/default\n'), SOON);
    expect(await kubectl.ok('create serviceaccount worker')).toBe('serviceaccount/worker created\n');
    expect(await kubectl.ok('describe sa worker')).toMatch(/^Name: +worker$/m);
    expect(await kubectl.ok('delete sa default')).toContain('deleted');
    await vi.waitFor(
      async () => expect(await kubectl.ok('get sa default -o name')).toBe('serviceaccount/default\n'),
      SOON,
    );
  });

  test('45-3 nodes: apply, get, cordon, taint, label, describe', async () => {
    expect(await kubectl.ok(`apply -f ${kubectl.file('node.yaml', NODE)}`)).toBe('node/machine-1 created\n');
    const table = await kubectl.ok('get nodes');
    expect(headsOf(table)).toEqual(['NAME', 'STATUS', 'ROLES', 'AGE', 'VERSION']);
    expect(cells(table)[1]?.slice(0, 3)).toEqual(['machine-1', 'Unknown', '<none>']);
    expect(await kubectl.ok('cordon machine-1')).toBe('node/machine-1 cordoned\n');
    expect(await kubectl.ok('taint nodes machine-1 for=tests:NoSchedule')).toBe('node/machine-1 tainted\n');
    expect(await kubectl.ok('label node machine-1 node-role.kubernetes.io/edge=')).toBe('node/machine-1 labeled\n');
    expect(cells(await kubectl.ok('get node machine-1'))[1]?.slice(1, 3)).toEqual([
      'Unknown,SchedulingDisabled',
      'edge',
    ]);
    const text = await kubectl.ok('describe node machine-1');
    expect(text).toMatch(/^Taints: +(for=tests:NoSchedule|node\.kubernetes\.io\/unschedulable:NoSchedule)/m);
    expect(text).toMatch(/^Unschedulable: +true$/m);
  });

  test('45-3 events: get, kubectl events of an object, describe of it, both groups', async () => {
    const uid = await kubectl.ok('get cm settings -o jsonpath={.metadata.uid}');
    const file = kubectl.file('event.yaml', EVENT.replace('UID', uid));
    expect(await kubectl.ok(`create -f ${file}`)).toBe('event/web.1 created\n');
    const table = await kubectl.ok('get events');
    expect(headsOf(table)).toEqual(['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE']);
    expect(cells(table)[1]?.slice(1)).toEqual(['Warning', 'Changed', 'configmap/settings', 'the color changed']);
    expect(await kubectl.ok('events --for=configmap/settings')).toMatch(
      /\(x3 over \d+d\) +Warning +Changed +ConfigMap\/settings +the color changed/,
    );
    expect(await kubectl.ok('events --for=configmap/applied --types=Warning')).not.toContain('Changed');
    expect(await kubectl.ok('get events.events.k8s.io web.1 -o jsonpath={.note}')).toBe('the color changed');
    expect(await kubectl.ok('describe cm settings')).toMatch(
      /Warning +Changed +\d+d \(x3 over \d+d\) +test +the color changed/,
    );
  });

  test('45-3 api-resources and explain know every kind', async () => {
    const names = (await kubectl.ok('api-resources --verbs=create -o name')).split('\n');
    expect(names).toEqual(
      expect.arrayContaining([
        ...['services', 'endpoints', 'configmaps', 'secrets', 'events', 'serviceaccounts', 'nodes'],
        ...['endpointslices.discovery.k8s.io', 'leases.coordination.k8s.io', 'events.events.k8s.io'],
      ]),
    );
    for (const [field, type] of [
      ['service.spec.ports.targetPort', 'IntOrString'],
      ['endpointslice.endpoints.conditions.ready', 'boolean'],
      ['lease.spec.renewTime', 'string'],
      ['configmap.binaryData', 'map[string]string'],
      ['secret.stringData', 'map[string]string'],
      ['serviceaccount.automountServiceAccountToken', 'boolean'],
      ['node.status.capacity', 'map[string]Quantity'],
      ['event.series.count', 'integer'],
    ] as const)
      expect(await kubectl.ok(`explain ${field}`)).toContain(`FIELD: ${field.split('.').at(-1)} <${type}>`);
    const text = await kubectl.ok('explain service --recursive');
    expect(text).toContain('enum: ClusterIP, ExternalName, LoadBalancer, NodePort');
  });

  test('45-3 rights: a reader of services alone', async () => {
    await kubectl.ok('create role service-reader --verb=get,list --resource=services');
    await kubectl.ok('create rolebinding service-reader --role=service-reader --user=reader');
    expect(await kubectl.ok('get svc web -o name --context=reader')).toBe('service/web\n');
    expect((await kubectl.run('get secrets --context=reader')).stderr).toContain(
      'secrets is forbidden: User "reader" cannot list resource "secrets"',
    );
    expect((await kubectl.run('auth can-i create configmaps --context=reader')).stdout).toBe('no\n');
  });

  test('45-3 get --watch shows a change; the server wrote no error', async () => {
    const watch = kubectl.start('get configmap applied --watch -o jsonpath={.data.b}{"\\n"}');
    try {
      await vi.waitFor(() => expect(watch.lines).toEqual(['2']), SOON);
      await kubectl.ok('patch cm applied --type=merge', '-p', '{"data":{"b":"7"}}');
      await vi.waitFor(() => expect(watch.lines).toEqual(['2', '7']), SOON);
    } finally {
      await watch.close();
    }
    expect(server.errors()).toEqual([]);
  });
});
