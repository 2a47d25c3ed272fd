// SPDX-License-Identifier: Apache-2.0
/**
 * Writes the fixture of this version: `sudo unshare -n sh -c 'ip link set lo up && node test/server/formats/write-fixture.ts'` (Suricata needed).
 * Run once for each change of a format, before its release; a fixture of a released version is never written again.
 */
import {execFileSync} from 'node:child_process';
import {copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createClient} from '@connectrpc/connect';
import {createGrpcTransport} from '@connectrpc/connect-node';
import {Operations} from '@palisade/ids-wire/gen/google/longrunning/operations_pb.ts';
import {PROGRAM_VERSION} from '@palisade/store';
import {flow, threat} from '../../../packages/ids/src/testing/record-store-contract.ts';
import {EngineBench} from '../../engine/support/engine-bench.ts';
import {type Ready, run, serve} from '../../support/palisade.ts';
import {formatNumbers} from './format-numbers.ts';
import {AGES, ENDPOINT, FIXTURES, observe, openFixtureRecords, PASSPHRASE, READER, unpack} from './observe.ts';

const folder = mkdtempSync(join(tmpdir(), 'palisade-fixture-'));
const data = join(folder, 'data');
const flags = [
  '--data',
  data,
  '--http',
  '127.0.0.1:0',
  '--grpc',
  '127.0.0.1:0',
  '--auth',
  'none',
  '--driver',
  'relay',
  ...AGES,
];

const send = async (method: string, url: string, body?: object): Promise<{name: string} & object> => {
  const response = await fetch(url, {
    method,
    headers: {'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'},
    ...(body && {body: JSON.stringify(body)}),
  });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as {name: string};
};

const address = (n: number) => ({ip: `10.0.0.${n}`, nodeName: `node-${n}`});
const ENDPOINTS = '/api/v1/namespaces/fixture/endpoints';

/** Several kinds, and history: updates, patches by two managers, deletes. */
const writeObjects = async (http: string): Promise<void> => {
  await send('POST', `${http}/api/v1/namespaces`, {metadata: {name: 'fixture', labels: {of: 'fixture'}}});
  for (let n = 1; n <= 5; n++)
    await send('POST', `${http}${ENDPOINTS}`, {
      metadata: {
        name: `web-${n}`,
        labels: {app: 'web'},
        annotations: {text: 'Grüße 🙂'},
        finalizers: ['example.com/kept'],
      },
      subsets: [{addresses: [address(n)], notReadyAddresses: [address(n + 10)], ports: [{name: 'http', port: 8080}]}],
    });
  for (let n = 1; n <= 8; n++)
    await send('PATCH', `${http}${ENDPOINTS}/web-1?fieldManager=second`, {metadata: {labels: {round: String(n)}}});
  await send('DELETE', `${http}${ENDPOINTS}/web-2`); // it keeps its finalizer
  await send('PATCH', `${http}${ENDPOINTS}/web-3`, {metadata: {finalizers: null}});
  await send('DELETE', `${http}${ENDPOINTS}/web-3`);
  await send('POST', `${http}/api/v1/namespaces/fixture/services`, {
    metadata: {name: 'web-1'},
    spec: {clusterIP: 'None', ports: [{name: 'http', port: 80, targetPort: 8080}]},
  });
  await send('POST', `${http}/api/v1/namespaces/fixture/serviceaccounts`, {metadata: {name: 'robot'}});
  await send('POST', `${http}/apis/platform.io/v1alpha1/namespaces/fixture/endpointgroups`, {
    metadata: {name: 'group'},
    spec: {ports: [{name: 'http', port: 8080}], members: [{ip: '10.1.0.1'}, {ip: '10.1.0.2'}]},
  });
  await send('POST', `${http}/apis/rbac.authorization.k8s.io/v1/clusterroles`, {
    metadata: {name: 'fixture-reader'},
    rules: [{apiGroups: [''], resources: ['endpoints'], verbs: ['get', 'list', 'watch']}],
  });
  await send('POST', `${http}/apis/coordination.k8s.io/v1/namespaces/fixture/leases`, {
    metadata: {name: 'lease'},
    spec: {holderIdentity: 'somebody', leaseDurationSeconds: 15, renewTime: '2026-11-28T12:00:00.000000Z'},
  });
};

/** WaitOperation answers when the operation is done, or after the longest wait that the server allows. */
const done = async ({grpc = ''}: Ready, name: string): Promise<void> => {
  const operations = createClient(Operations, createGrpcTransport({baseUrl: `http://${grpc}`}));
  for (;;) {
    const {done: isDone, result} = await operations.waitOperation({name});
    if (result.case === 'error') throw new Error(`${name}: ${result.value.message}`);
    if (isDone) return;
  }
};

const writeIdsEndpoint = async (ready: Ready): Promise<void> => {
  const url = `${ready.http}/v1/projects/fixture/locations/local/endpoints?endpointId=guard&requestId=4b1c4f3a-8a2e-4b39-9a53-0b6ec2c7d1f1`;
  const body = {
    network: 'projects/fixture/global/networks/net',
    severity: 'LOW',
    description: 'of a fixture',
    labels: {of: 'fixture'},
  };
  await done(ready, (await send('POST', url, body)).name);
};

const writeRecords = async (): Promise<void> => {
  const records = openFixtureRecords(join(data, 'records'));
  const severities = ['INFORMATIONAL', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
  await records.commit({
    endpoint: ENDPOINT,
    checkpoint: {device: '1', inode: '2', offset: 300},
    counters: {seen: 12, stored: 8, filtered: 2, excepted: 1, lost: 1},
    engine: {counted: 12, discarded: 0, suppressed: 0},
    flows: {sampledOut: 4},
    threats: severities.map((alert_severity, i) =>
      threat(
        i,
        {alert_severity, endpoint: ENDPOINT},
        JSON.stringify({event_type: 'alert', payload: `cGF5bG9hZCA=${i}`}),
      ),
    ),
    traffic: [1, 2, 3].map(i => flow(i, {endpoint: ENDPOINT})),
  });
  const again = threat(3, {alert_severity: 'HIGH', endpoint: ENDPOINT, repeat_count: '7'});
  await records.commit({
    endpoint: ENDPOINT,
    checkpoint: {device: '1', inode: '2', offset: 400},
    counters: {seen: 18, stored: 9, filtered: 2, excepted: 1, lost: 1},
    threats: [again],
    traffic: [],
  });
  await records.saveReader(READER, {history: 'fixture', kinds: {threats: {sequence: 1, timeMs: 1_767_268_800_000}}});
  await records.close();
};

const decide = async (http: string): Promise<void> => {
  const {threats} = (await (await fetch(`${http}/v1/${ENDPOINT}/threats`)).json()) as {threats: {id: string}[]};
  const [first, second] = threats;
  await send('POST', `${http}/v1/${ENDPOINT}/threats/${first?.id}:acknowledge`, {comment: 'seen'});
  await send('POST', `${http}/v1/${ENDPOINT}/threats/${second?.id}:escalate`, {comment: 'ticket 4711'});
};

const writeStack = async (): Promise<void> => {
  const bench = new EngineBench({passphrase: PASSPHRASE});
  try {
    await bench.init();
    await bench.run('config', 'set', 'plain', 'seen');
    await bench.run('config', 'set', '--secret', 'token', 'a secret of the configuration');
    bench.program(`
      const group = new Group('group');
      const one = new Thing('one', {value: pulumi.secret('a secret'), key: 'open'}, {parent: group, protect: true});
      new Thing('two', {value: one.computed, name: 'after'}, {dependsOn: [one], customTimeouts: {create: '5m'}});
      exports.secret = one.value; exports.list = [1, {deep: 'x'}]; exports.token = cfg.getSecret('token');`);
    await bench.up();
    await bench.up();
    for (const name of ['prog', 'state'])
      cpSync(join(bench.root, name), join(folder, 'stack', name), {
        recursive: true,
        filter: path => !path.includes('node_modules'),
      });
  } finally {
    bench.remove();
  }
};

const writeFolders = async (): Promise<void> => {
  await using first = await serve([...flags, '--https', '127.0.0.1:0']); // makes pki too
  await writeObjects(first.ready.http);
  await writeIdsEndpoint(first.ready);
  await first.stop();
  mkdirSync(join(folder, 'ids'));
  copyFileSync(join(data, 'store.sqlite'), join(folder, 'ids/store.sqlite'));
  await using second = await serve(flags);
  await done(second.ready, (await send('DELETE', `${second.ready.http}/v1/${ENDPOINT}`)).name);
  await second.stop();
  await writeRecords();
  await using third = await serve(flags);
  await decide(third.ready.http);
  await third.stop();
  const issued = await run([
    'certs',
    'issue',
    '--for',
    'jane',
    '--group',
    'soc',
    '--data',
    data,
    '--out',
    join(folder, 'jane'),
  ]);
  if (issued.code !== 0) throw new Error(issued.stderr);
  for (const name of ['sensors', 'kubeconfig', 'store.sqlite-lock'])
    rmSync(join(data, name), {recursive: true, force: true});
  await writeStack();
};

await writeFolders();
const target = join(FIXTURES, PROGRAM_VERSION);
rmSync(target, {recursive: true, force: true});
mkdirSync(target, {recursive: true});
execFileSync('tar', [
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  '-czf',
  join(target, 'folders.tar.gz'),
  '-C',
  folder,
  'data',
  'ids',
  'stack',
]);
writeFileSync(join(target, 'formats.json'), `${JSON.stringify(formatNumbers(), undefined, 2)}\n`);
rmSync(folder, {recursive: true});
unpack(PROGRAM_VERSION, folder);
const backup = await run(['backup', join(target, 'backup.tar.zst'), '--records', '--data', data]);
if (backup.code !== 0) throw new Error(backup.stderr);
writeFileSync(join(target, 'expected.txt'), await observe(folder));
rmSync(folder, {recursive: true});
