// SPDX-License-Identifier: Apache-2.0
/** The plugin executables as an engine starts them: one process, the provider protocol, every method. */
import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {promisify} from 'node:util';
import {credentials, type ServiceError, status} from '@grpc/grpc-js';
import {
  type FakeIdsServer,
  type FakeKubeServer,
  startFakeIdsServer,
  startFakeKubeServer,
} from '@palisade/client/testing';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {urnOf} from '../testing/test-host.ts';
import {type PropertyMap, Secret, UNKNOWN} from '../value.ts';
import {
  decodeStruct,
  Empty,
  encodeStruct,
  providerMessages as pb,
  ResourceProviderClient,
  statusMessages,
} from './protocol.ts';

const BIN = join(import.meta.dirname, '../../bin');
const PORT_LINE = /^\d+$/;

type Plugin = {readonly child: ChildProcess; readonly client: InstanceType<typeof ResourceProviderClient>};

async function startPlugin(name: string, env: Record<string, string>, cwd: string): Promise<Plugin> {
  const child = spawn(join(BIN, `pulumi-resource-${name}`), ['127.0.0.1:1'], {
    cwd,
    env: {PATH: process.env['PATH'] ?? '', ...env},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({input: child.stdout}), 'line')) as [string];
  expect(line).toMatch(PORT_LINE);
  return {child, client: new ResourceProviderClient(`127.0.0.1:${line}`, credentials.createInsecure())};
}

/** One call; the stubs' callback form as a promise. */
const call = <A>(client: Plugin['client'], method: string, request: unknown): Promise<A> =>
  promisify(
    (client as unknown as Record<string, (q: unknown, done: (e: unknown, a?: A) => void) => void>)[method]!.bind(
      client,
    ),
  )(request) as Promise<A>;

const folder = mkdtempSync(join(tmpdir(), 'palisade-plugin-'));
let kube: FakeKubeServer;
let ids: FakeIdsServer;
let platform: Plugin;
let cloudnative: Plugin;

beforeAll(async () => {
  [kube, ids] = await Promise.all([startFakeKubeServer(), startFakeIdsServer()]);
  [platform, cloudnative] = await Promise.all([
    startPlugin('platform', {PALISADE_SERVER: kube.url}, folder),
    startPlugin('cloudnative', {PALISADE_SERVER: ids.url, CLOUDSDK_CORE_PROJECT: 'p1'}, folder),
  ]);
});
afterAll(async () => {
  for (const {child, client} of [platform, cloudnative]) {
    client.close();
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  await Promise.all([kube[Symbol.asyncDispose](), ids[Symbol.asyncDispose]()]);
  rmSync(folder, {recursive: true});
});

const urn = urnOf('platform:core/v1:Endpoints', 'web');
const idsUrn = urnOf('cloudnative:intrusion/v1:Endpoint', 'guard');
const NEWS: PropertyMap = {metadata: {name: 'web', annotations: {t: new Secret('hush')}}};
const IDS_NEWS = {endpointId: 'guard', project: 'p1', location: 'l', network: 'n', severity: 'LOW'};

const checkMessage = (at: string, news: PropertyMap) =>
  new pb.CheckRequest()
    .setUrn(at)
    .setOlds(encodeStruct({}))
    .setNews(encodeStruct(news))
    .setRandomseed(Uint8Array.from([1, 2, 3, 4]));
type CheckAnswer = InstanceType<typeof pb.CheckResponse>;
type CreateAnswer = InstanceType<typeof pb.CreateResponse>;

describe('before configuration', () => {
  test('Handshake says what is taken', async () => {
    const answer = await call<InstanceType<typeof pb.ProviderHandshakeResponse>>(
      platform.client,
      'handshake',
      new pb.ProviderHandshakeRequest(),
    );
    expect(answer.toObject()).toMatchObject({
      acceptSecrets: true,
      acceptResources: true,
      supportsAutonamingConfiguration: true,
    });
  });

  test('E-001 I-001 GetPluginInfo and GetSchema', async () => {
    for (const [plugin, tokens] of [
      [platform, ['platform:core/v1:Endpoints', 'platform:discovery/v1alpha1:EndpointGroup']],
      [cloudnative, ['cloudnative:intrusion/v1:Endpoint']],
    ] as const) {
      const info = await call<{getVersion(): string}>(plugin.client, 'getPluginInfo', new Empty());
      const schema = await call<{getSchema(): string}>(plugin.client, 'getSchema', new pb.GetSchemaRequest());
      const parsed = JSON.parse(schema.getSchema()) as {version: string; resources: object};
      expect(parsed.version).toBe(info.getVersion());
      expect(Object.keys(parsed.resources)).toEqual(tokens);
    }
  });

  test('a resource call is refused', async () => {
    const refused = call(platform.client, 'check', checkMessage(urn, {}));
    await expect(refused).rejects.toMatchObject({code: status.FAILED_PRECONDITION});
  });

  test('CheckConfig tells all faults; secrets of the configuration come back secret', async () => {
    const bad = await call<CheckAnswer>(
      cloudnative.client,
      'checkConfig',
      checkMessage('u', {endpoint: 'ftp://x', severity: 'NO', projct: 'p'}),
    );
    expect(bad.getFailuresList().map(failure => failure.getProperty())).toEqual(['projct']);
    const worse = await call<CheckAnswer>(
      cloudnative.client,
      'checkConfig',
      checkMessage('u', {endpoint: 'ftp://x', severity: 'NO'}),
    );
    expect(worse.getFailuresList().map(failure => failure.getProperty())).toEqual(['endpoint', 'severity']);
    const good = await call<CheckAnswer>(
      cloudnative.client,
      'checkConfig',
      checkMessage('u', {version: '0.1.0', token: 't', project: UNKNOWN}),
    );
    expect(good.getFailuresList()).toEqual([]);
    expect(decodeStruct(good.getInputs())).toEqual({version: '0.1.0', token: new Secret('t'), project: UNKNOWN});
  });

  test('CheckConfig names a kubeconfig that cannot be read', async () => {
    const answer = await call<CheckAnswer>(platform.client, 'checkConfig', checkMessage('u', {kubeconfig: '/none/x'}));
    expect(answer.getFailuresList().map(f => `${f.getProperty()}: ${f.getReason()}`)).toEqual([
      expect.stringMatching(/^: kubeconfig: the kubeconfig \/none\/x cannot be read/),
    ]);
  });

  test('the Pulumi CLI shows the value of the property that a failure names: secret configuration is not named', async () => {
    const config = {kubeconfig: 'users: [{name: u, user: {token: hush}}]\n', server: 'ftp://x'};
    const answer = await call<CheckAnswer>(platform.client, 'checkConfig', checkMessage('u', config));
    const found = answer.getFailuresList().map(f => [f.getProperty(), f.getReason()]);
    expect(found.map(([property]) => property)).toEqual(['server', 'server', '']);
    expect(found[2]?.[1]).toBe(
      'kubeconfig: the kubeconfig has no current-context: name a context (kubectl config use-context NAME)',
    );
  });

  test('secret configuration that is refused is in no reason', async () => {
    const reasonsOf = async (client: typeof platform.client, config: PropertyMap) =>
      (await call<CheckAnswer>(client, 'checkConfig', checkMessage('u', config)))
        .getFailuresList()
        .map(f => f.getReason());
    expect(await reasonsOf(platform.client, {server: new Secret('ftp://u:hush@x')})).toEqual([
      'server: invalid value [secret]: expected http(s)://HOST:PORT',
    ]);
    expect(await reasonsOf(cloudnative.client, {endpoint: new Secret('hush'), token: 12345})).toEqual([
      'token: expected a string, got the number [secret]',
    ]);
  });

  test('DiffConfig never replaces', async () => {
    const request = new pb.DiffRequest()
      .setUrn('u')
      .setOldInputs(encodeStruct({server: 'http://a', version: '1'}))
      .setNews(encodeStruct({server: 'http://b', version: '2'}));
    const answer = await call<InstanceType<typeof pb.DiffResponse>>(platform.client, 'diffConfig', request);
    expect(answer.getDiffsList()).toEqual(['server']);
    expect(answer.getReplacesList()).toEqual([]);
  });

  test.each(['parameterize', 'call', 'construct', 'getMapping', 'getMappings'])('%s is not implemented', async name => {
    const request = {
      parameterize: new pb.ParameterizeRequest(),
      call: new pb.CallRequest(),
      construct: new pb.ConstructRequest(),
      getMapping: new pb.GetMappingRequest(),
      getMappings: new pb.GetMappingsRequest(),
    }[name];
    await expect(call(platform.client, name, request)).rejects.toMatchObject({code: status.UNIMPLEMENTED});
  });
});

describe('after configuration', () => {
  beforeAll(async () => {
    for (const {client} of [platform, cloudnative]) {
      const request = new pb.ConfigureRequest().setAcceptsecrets(true).setArgs(encodeStruct({}));
      const answer = await call<InstanceType<typeof pb.ConfigureResponse>>(client, 'configure', request);
      expect(answer.toObject()).toMatchObject({
        acceptsecrets: true,
        supportspreview: true,
        acceptresources: true,
        supportsAutonamingConfiguration: true,
      });
    }
  });

  test('E-031 Check names, keeps secrets and unknowns', async () => {
    const news = {metadata: {annotations: {t: new Secret('hush')}}, subsets: UNKNOWN};
    const answer = await call<CheckAnswer>(platform.client, 'check', checkMessage(urn, news));
    expect(decodeStruct(answer.getInputs())).toEqual({
      metadata: {name: 'web-0102030', annotations: {t: new Secret('hush')}},
      subsets: UNKNOWN,
    });
  });

  test('Check takes the naming of the project', async () => {
    const autonaming = new pb.CheckRequest.AutonamingOptions();
    autonaming.setProposedName('prod-web');
    autonaming.setMode(pb.CheckRequest.AutonamingOptions.Mode.ENFORCE);
    const answer = await call<CheckAnswer>(platform.client, 'check', checkMessage(urn, {}).setAutonaming(autonaming));
    expect(decodeStruct(answer.getInputs())).toEqual({metadata: {name: 'prod-web'}});
  });

  test('E-045 I-025 I-036 Check reports faults with their paths', async () => {
    const both = {subsets: [{addresses: [{ip: '10.0.0.1'}], notReadyAddresses: [{ip: '10.0.0.1'}]}]};
    const kubeAnswer = await call<CheckAnswer>(platform.client, 'check', checkMessage(urn, both));
    expect(kubeAnswer.getFailuresList().map(f => f.getProperty())).toEqual(['subsets[0].notReadyAddresses[0].ip']);
    const idsAnswer = await call<CheckAnswer>(
      cloudnative.client,
      'check',
      checkMessage(idsUrn, {endpointId: 'Bad_Id-'}),
    );
    const found = idsAnswer.getFailuresList().map(f => `${f.getProperty()}: ${f.getReason()}`);
    expect(found.map(text => text.split(':')[0])).toEqual(['endpointId', 'location', 'network', 'severity']);
    expect(found[0]).toMatch(/invalid value "Bad_Id-": must .*INVALID_ARGUMENT/);
    expect(decodeStruct(idsAnswer.getInputs())).toMatchObject({project: 'p1'});
  });

  test('E-045 I-025 secrets that are refused are in no failure', async () => {
    const subsets = [{addresses: [{ip: new Secret('hush')}], ports: [{port: new Secret(70000)}, {port: 0, name: 'n'}]}];
    const kubeAnswer = await call<CheckAnswer>(platform.client, 'check', checkMessage(urn, {subsets}));
    const reasons = kubeAnswer.getFailuresList().map(f => `${f.getProperty()}: ${f.getReason()}`);
    expect(reasons).toEqual([
      'subsets[0].addresses[0].ip: invalid value [secret]: must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'subsets[0].ports[0].name: required value: may be left out only when the subset has one port',
      'subsets[0].ports[0].port: invalid value [secret]: must be between 1 and 65535',
      'subsets[0].ports[1].port: invalid value 0: must be between 1 and 65535',
    ]);
    const news = {...IDS_NEWS, endpointId: new Secret('Hush_'), labels: {'': new Secret('x')}, severity: 'NO'};
    const idsAnswer = await call<CheckAnswer>(cloudnative.client, 'check', checkMessage(idsUrn, news));
    const failures = idsAnswer.getFailuresList().map(f => [f.getProperty(), f.getReason().slice(0, 40)]);
    expect(failures).toContainEqual(['', 'endpointId: invalid value [secret]: must']);
    expect(failures.map(([property]) => property)).toContain('severity');
    expect(JSON.stringify(failures)).not.toContain('Hush');
  });

  test('E-144 E-273 Diff has paths, kinds and replaces', async () => {
    const request = new pb.DiffRequest()
      .setUrn(urn)
      .setId('default/web')
      .setOlds(encodeStruct({}))
      .setOldInputs(encodeStruct({metadata: {name: 'a', labels: {x: '1', 'a/b': '1'}}}))
      .setNews(encodeStruct({metadata: {name: 'b', labels: {x: '2', c: '3'}}}));
    const answer = await call<InstanceType<typeof pb.DiffResponse>>(platform.client, 'diff', request);
    const entries = [...answer.getDetaileddiffMap().entries()] as [string, InstanceType<typeof pb.PropertyDiff>][];
    const kinds = Object.fromEntries(entries.map(([path, diff]) => [path, diff.getKind()]));
    const {Kind} = pb.PropertyDiff;
    expect(kinds).toEqual({
      'metadata.name': Kind.UPDATE_REPLACE,
      'metadata.labels.x': Kind.UPDATE,
      'metadata.labels["a/b"]': Kind.DELETE,
      'metadata.labels.c': Kind.ADD,
    });
    expect(answer.getReplacesList()).toEqual(['metadata.name']);
    expect(answer.getHasdetaileddiff()).toBe(true);
    expect(answer.getChanges()).toBe(pb.DiffResponse.DiffChanges.DIFF_SOME);
  });

  test('I-112 an equal Diff is DIFF_NONE with an empty detailed diff', async () => {
    const request = new pb.DiffRequest()
      .setUrn(idsUrn)
      .setOldInputs(encodeStruct({...IDS_NEWS, requestId: 'a'}))
      .setNews(encodeStruct({...IDS_NEWS, requestId: 'b'}));
    const answer = await call<InstanceType<typeof pb.DiffResponse>>(cloudnative.client, 'diff', request);
    expect(answer.getChanges()).toBe(pb.DiffResponse.DiffChanges.DIFF_NONE);
    expect(answer.getHasdetaileddiff()).toBe(true);
  });

  test('E-008 E-032 Create, Read, Update and Delete of Endpoints; secrets stay secret on the way', async () => {
    const created = await call<CreateAnswer>(
      platform.client,
      'create',
      new pb.CreateRequest().setUrn(urn).setProperties(encodeStruct(NEWS)),
    );
    expect(created.getId()).toBe('default/web');
    const olds = decodeStruct(created.getProperties());
    expect(olds['metadata']).toMatchObject({annotations: {t: new Secret('hush')}});
    const read = await call<InstanceType<typeof pb.ReadResponse>>(
      platform.client,
      'read',
      new pb.ReadRequest()
        .setUrn(urn)
        .setId('default/web')
        .setInputs(encodeStruct(NEWS))
        .setProperties(encodeStruct(olds)),
    );
    expect(decodeStruct(read.getInputs())).toEqual(NEWS);
    expect(decodeStruct(read.getProperties())['metadata']).toMatchObject({annotations: {t: new Secret('hush')}});
    const updated = await call<InstanceType<typeof pb.UpdateResponse>>(
      platform.client,
      'update',
      new pb.UpdateRequest()
        .setUrn(urn)
        .setId('default/web')
        .setOlds(encodeStruct(olds))
        .setOldInputs(encodeStruct(NEWS))
        .setNews(encodeStruct({metadata: {name: 'web', labels: {a: '1'}}})),
    );
    expect(decodeStruct(updated.getProperties())['metadata']).toMatchObject({labels: {a: '1'}, annotations: {}});
    const remove = new pb.DeleteRequest().setUrn(urn).setId('default/web').setProperties(encodeStruct(olds));
    await call(platform.client, 'delete', remove);
    await call(platform.client, 'delete', remove);
    expect(kube.objects.size).toBe(0);
  });

  test('F-04 the Pulumi CLI keeps the server with the outputs, and an object of another server is refused', async () => {
    const configure = () =>
      call(platform.client, 'configure', new pb.ConfigureRequest().setAcceptsecrets(true).setArgs(encodeStruct({})));
    kube.behaviour.identity = 'uid-old';
    await configure();
    const create = new pb.CreateRequest().setUrn(urn).setProperties(encodeStruct(NEWS));
    const olds = decodeStruct((await call<CreateAnswer>(platform.client, 'create', create)).getProperties());
    expect(olds['__server']).toEqual({uid: 'uid-old', address: kube.url});
    const diff = new pb.DiffRequest()
      .setUrn(urn)
      .setId('default/web')
      .setOlds(encodeStruct(olds))
      .setOldInputs(encodeStruct(NEWS))
      .setNews(encodeStruct(NEWS));
    const same = await call<InstanceType<typeof pb.DiffResponse>>(platform.client, 'diff', diff);
    expect(same.getChanges()).toBe(pb.DiffResponse.DiffChanges.DIFF_NONE);
    kube.behaviour.identity = 'uid-new';
    await configure();
    const refusal = {code: status.FAILED_PRECONDITION, details: expect.stringContaining('so nothing was changed')};
    await expect(call(platform.client, 'diff', diff)).rejects.toMatchObject(refusal);
    const remove = new pb.DeleteRequest().setUrn(urn).setId('default/web').setProperties(encodeStruct(olds));
    await expect(call(platform.client, 'delete', remove)).rejects.toMatchObject(refusal);
    kube.behaviour.identity = 'uid-old';
    await configure();
    await call(platform.client, 'delete', remove);
    expect(kube.objects.size).toBe(0);
  });

  test('E-030 Read of what is not there has no properties: import and get say so', async () => {
    const gone = {urn, id: 'default/none', client: platform.client};
    const goneIds = {urn: idsUrn, id: 'projects/p1/locations/l/endpoints/none', client: cloudnative.client};
    for (const {client, urn: at, id} of [gone, goneIds]) {
      const request = new pb.ReadRequest().setUrn(at).setId(id);
      const answer = await call<InstanceType<typeof pb.ReadResponse>>(client, 'read', request);
      expect([answer.getId(), answer.hasProperties(), answer.hasInputs()]).toEqual(['', false, false]);
    }
  });

  test('E-030 Invoke looks up; faults of arguments and a missing object are told', async () => {
    const invoke = (args: PropertyMap, token = 'platform:core/v1:getEndpoints') =>
      call<InstanceType<typeof pb.InvokeResponse>>(
        platform.client,
        'invoke',
        new pb.InvokeRequest().setTok(token).setArgs(encodeStruct(args)),
      );
    await call(platform.client, 'create', new pb.CreateRequest().setUrn(urn).setProperties(encodeStruct(NEWS)));
    const found = decodeStruct((await invoke({name: 'web'})).getReturn());
    kube.objects.clear();
    expect(found).toMatchObject({id: 'default/web', metadata: {name: 'web', uid: expect.any(String)}, subsets: []});
    const faults = (await invoke({nmae: 'web', namespace: 'A'}))
      .getFailuresList()
      .map(failure => failure.getProperty());
    expect(faults).toEqual(['nmae', 'name', 'namespace']);
    await expect(invoke({name: 'web'})).rejects.toMatchObject({
      code: status.NOT_FOUND,
      details: expect.stringContaining('Endpoints "web" in namespace "default" does not exist'),
    });
    await expect(invoke({}, 'platform:core/v1:none')).rejects.toMatchObject({code: status.NOT_FOUND});
  });

  test('a preview Create answers unknowns', async () => {
    const request = new pb.CreateRequest().setUrn(idsUrn).setProperties(encodeStruct(IDS_NEWS)).setPreview(true);
    const answer = await call<CreateAnswer>(cloudnative.client, 'create', request);
    expect(answer.getId()).toBe('');
    expect(decodeStruct(answer.getProperties())).toMatchObject({...IDS_NEWS, endpointIp: UNKNOWN});
  });

  test('an error of the server is a status with its message', async () => {
    ids.behaviour.failCreates = 'no address left';
    const request = new pb.CreateRequest().setUrn(idsUrn).setProperties(encodeStruct(IDS_NEWS));
    await expect(call(cloudnative.client, 'create', request)).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      details: expect.stringContaining('no address left'),
    });
    ids.behaviour.failCreates = undefined;
  });

  test('I-119 a creation that runs out of time is ErrorResourceInitFailed with the id', async () => {
    ids.behaviour.instant = false;
    const request = new pb.CreateRequest().setUrn(idsUrn).setProperties(encodeStruct(IDS_NEWS)).setTimeout(0.3);
    const error = await call(cloudnative.client, 'create', request).catch((thrown: ServiceError) => thrown);
    expect(error).toMatchObject({code: status.UNKNOWN});
    const [bytes] = (error as ServiceError).metadata.get('grpc-status-details-bin');
    const [any] = statusMessages.Status.deserializeBinary(bytes as Buffer).getDetailsList();
    expect(any?.getTypeUrl()).toBe('type.googleapis.com/pulumirpc.ErrorResourceInitFailed');
    const detail = pb.ErrorResourceInitFailed.deserializeBinary(any?.getValue_asU8() ?? new Uint8Array());
    expect(detail.getId()).toBe('projects/p1/locations/l/endpoints/guard');
    expect(decodeStruct(detail.getProperties())).toMatchObject({state: 'CREATING'});
    expect(decodeStruct(detail.getInputs())).toEqual(IDS_NEWS);
    expect(detail.getReasonsList()[0]).toContain('CREATING');
  });
});

describe('the end of a plugin', () => {
  test('Cancel is answered; SIGINT then ends the process with 0 at once', async () => {
    await call(platform.client, 'cancel', new Empty());
    const exited = once(platform.child, 'exit');
    platform.child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
  });

  test('SIGTERM in the middle of a call lets the call answer', async () => {
    ids.behaviour.instant = false;
    const news = {...IDS_NEWS, endpointId: 'late'};
    const running = call(
      cloudnative.client,
      'create',
      new pb.CreateRequest().setUrn(idsUrn).setProperties(encodeStruct(news)),
    ).catch((thrown: ServiceError) => thrown);
    await expect.poll(() => ids.endpoints.has('projects/p1/locations/l/endpoints/late')).toBe(true);
    const exited = once(cloudnative.child, 'exit');
    cloudnative.child.kill('SIGTERM');
    expect(await running).toMatchObject({details: expect.stringContaining('was cancelled')});
    expect(await exited).toEqual([0, null]);
  });

  test('a plugin whose parent is gone ends by itself', async () => {
    const child = spawn('sh', ['-c', `"${join(BIN, 'pulumi-resource-platform')}" & echo $!; wait`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    for await (const line of createInterface({input: child.stdout})) {
      lines.push(line);
      if (lines.length === 2) break;
    }
    const pid = Number(lines[0]);
    child.kill('SIGKILL');
    const isAlive = () => {
      try {
        process.kill(pid, 0);
        return true;
      } catch {
        return false; // No such process: it has ended.
      }
    };
    await expect.poll(isAlive, {timeout: 5_000}).toBe(false);
  });
});
