// SPDX-License-Identifier: Apache-2.0
/** The TypeScript SDKs as a user has them: compiled, packed and installed by tools/build-sdk.ts, then type-checked and run. */
import {execFile} from 'node:child_process';
import {mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';

const root = join(import.meta.dirname, '../../../..');
const folder = mkdtempSync(join(tmpdir(), 'palisade-sdk-'));
const run = promisify(execFile);

beforeAll(async () => {
  await run(process.execPath, ['tools/build-sdk.ts'], {cwd: root});
  symlinkSync(join(root, 'build/sdk/node_modules'), join(folder, 'node_modules'));
  writeFileSync(
    join(folder, 'tsconfig.json'),
    '{"compilerOptions":{"target":"es2022","module":"nodenext","strict":true,"skipLibCheck":true,"noEmit":true,"types":["node"]},"files":["program.ts"]}',
  );
}, 60_000);
afterAll(() => rmSync(folder, {recursive: true}));

const HEAD = `import * as pulumi from "@pulumi/pulumi";
import * as platform from "@palisade/platform";
import * as cloudnative from "@palisade/cloudnative";
const {Endpoints} = platform.core.v1;
const {Endpoint, EndpointSeverity} = cloudnative.intrusion.v1;
`;

/** The faults that TypeScript 5.9 finds in a program; empty when there are none. */
async function typeFaults(program: string): Promise<string> {
  writeFileSync(join(folder, 'program.ts'), HEAD + program);
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  return run(process.execPath, [tsc, '-p', folder], {cwd: folder}).then(
    () => '',
    (error: {stdout: string}) => error.stdout,
  );
}

/** A compiler or a program is started each time, on a machine that may be busy. */
const SLOW = {timeout: 60_000};

describe('types', SLOW, () => {
  test('E-007 E-020 E-021 E-024 E-025 E-026 E-011 every form of the constructor and every supporting type', async () => {
    const program = `
const a = new Endpoints("a");
new Endpoints("b", {});
new Endpoints("c", {metadata: {name: "c"}, subsets: []}, {dependsOn: [a], protect: true, ignoreChanges: ["metadata.labels"]});
const port: platform.types.input.core.v1.EndpointPortArgs = {port: 80, protocol: platform.core.v1.Protocol.TCP, appProtocol: "http"};
const ref: platform.types.input.core.v1.ObjectReferenceArgs = {kind: "Pod", name: "p", fieldPath: "spec.containers[0]"};
const address: platform.types.input.core.v1.EndpointAddressArgs = {ip: a.metadata.apply(m => m!.name!), targetRef: ref, nodeName: "n"};
const subset: platform.types.input.core.v1.EndpointSubsetArgs = {addresses: [address], notReadyAddresses: [], ports: [port]};
const owner: platform.types.input.meta.v1.OwnerReferenceArgs = {apiVersion: "v1", kind: "A", name: "a", uid: "u", controller: true};
const managed: platform.types.input.meta.v1.ManagedFieldsEntryArgs = {manager: "m", operation: "Apply", fieldsV1: {any: 1}};
const meta: platform.types.input.meta.v1.ObjectMetaArgs = {ownerReferences: [owner], managedFields: [managed]};
const args: platform.core.v1.EndpointsArgs = {metadata: meta, subsets: pulumi.output([subset])};
const made: platform.core.v1.Endpoints = new Endpoints("d", args);
const out: pulumi.Output<platform.types.output.core.v1.EndpointSubset[] | undefined> = made.subsets;
const ip: pulumi.Output<string | undefined> = made.subsets.apply(s => s?.[0]?.addresses?.[0]?.ip);
`;
    expect(await typeFaults(program)).toBe('');
  });

  test('E-022 E-030 id is an output, never an input; get and isInstance exist', async () => {
    const program = `
// @ts-expect-error: id is no argument
new Endpoints("a", {id: "x"});
// @ts-expect-error: a name is required
new Endpoints();
const id: pulumi.Output<string> = Endpoints.get("a", "default/a").id;
const looked: Promise<platform.core.v1.GetEndpointsResult> = platform.core.v1.getEndpoints({name: "a"});
const uid: pulumi.Output<string | undefined> = platform.core.v1.getEndpointsOutput({name: id, namespace: "b"}).apply(e => e.metadata.uid);
// @ts-expect-error: a name is required
platform.core.v1.getEndpoints({namespace: "b"});
const seen: unknown = {};
if (Endpoints.isInstance(seen)) seen.metadata;
`;
    expect(await typeFaults(program)).toBe('');
  });

  test('46-5 a group takes metadata and spec; its status is an output', async () => {
    const program = `
const {EndpointGroup} = platform.discovery.v1alpha1;
const check: platform.types.input.discovery.v1alpha1.EndpointCheckArgs = {httpGet: {path: "/healthz", expectedStatuses: ["200-299"]}, tlsConfig: {serverName: "s"}, periodSeconds: 5};
const port: platform.types.input.discovery.v1alpha1.CheckedPortArgs = {name: "http", port: 80, appProtocol: "platform.io/h2c", check};
const group: platform.discovery.v1alpha1.EndpointGroup = new EndpointGroup("web", {
  metadata: {namespace: "shop"},
  spec: {members: [{ip: "10.0.0.1", targetRef: {kind: "Pod"}}], selector: {matchLabels: {app: "web"}}, ports: [port, {name: "plain", port: 81, check: {tcpSocket: {}}}], panicThresholdPercent: 50},
}, {customTimeouts: {create: "20s"}});
new EndpointGroup("bare");
const ready: pulumi.Output<number | undefined> = group.status.apply(status => status.ready);
const states: pulumi.Output<(string | undefined)[] | undefined> = group.status.apply(({members}) => members?.flatMap(member => member.ports?.map(at => at.state) ?? []));
const reason: pulumi.Output<string | undefined> = group.status.apply(({conditions}) => conditions?.find(({type}) => type === "Composed")?.reason);
// @ts-expect-error: the status is no argument
new EndpointGroup("a", {status: {ready: 1}});
// @ts-expect-error: no such method
new EndpointGroup("a", {spec: {ports: [{port: 80, check: {httpget: {}}}]}});
const id: pulumi.Output<string> = EndpointGroup.get("a", "default/a").id;
const looked: Promise<platform.discovery.v1alpha1.GetEndpointGroupResult> = platform.discovery.v1alpha1.getEndpointGroup({name: "a"});
const total: pulumi.Output<number | undefined> = platform.discovery.v1alpha1.getEndpointGroupOutput({name: id}).apply(found => found.status.total);
`;
    expect(await typeFaults(program)).toBe('');
  });

  test('I-009 I-013 I-011 arguments are mandatory; severities are an enumeration and plain strings', async () => {
    const program = `
// @ts-expect-error: the arguments are mandatory
new Endpoint("a");
// @ts-expect-error: so is endpointId
new Endpoint("a", {network: "n"});
// @ts-expect-error: no such severity
new Endpoint("a", {endpointId: "a", severity: "SEVERE"});
new Endpoint("a", {endpointId: "a", severity: "LOW"});
const made = new Endpoint("a", {endpointId: "a", severity: EndpointSeverity.Critical, threatExceptions: ["1:1"], trafficLogs: true});
const texts: pulumi.Output<string>[] = [made.createTime, made.endpointForwardingRule, made.endpointIp, made.name, made.state, made.updateTime, made.endpointId];
const optional: pulumi.Output<string | undefined>[] = [made.network, made.description, made.location, made.project, made.requestId];
const severity: pulumi.Output<cloudnative.intrusion.v1.EndpointSeverity | undefined> = made.severity;
new cloudnative.Provider("p", {endpoint: "http://h", token: pulumi.secret("t"), severity: "LOW"});
new platform.Provider("p", {kubeconfig: "x", context: "c"});
`;
    expect(await typeFaults(program)).toBe('');
  });
});

/** Runs JavaScript against the SDKs with Pulumi's mocks; prints what it returns. */
async function runProgram(body: string): Promise<unknown> {
  const script = `const pulumi = require("@pulumi/pulumi");
const registered = [];
pulumi.runtime.setMocks({
  newResource: args => { registered.push({type: args.type, name: args.name, inputs: args.inputs}); return {id: args.id || args.name + "-id", state: {...args.inputs, state: "READY"}}; },
  call: args => ({id: args.token, ...args.inputs}),
}, "shop", "dev", false);
const platform = require("@palisade/platform");
const cloudnative = require("@palisade/cloudnative");
const value = output => new Promise(resolve => output.apply(resolve));
(async () => { ${body} })().then(result => console.log(JSON.stringify(result)), error => { console.error(error); process.exit(1); });
`;
  writeFileSync(join(folder, 'program.cjs'), script);
  const {stdout} = await run(process.execPath, [join(folder, 'program.cjs')], {cwd: folder});
  return JSON.parse(stdout);
}

describe('at run time', SLOW, () => {
  test('registers token and inputs', async () => {
    const result = await runProgram(`
      const web = new platform.core.v1.Endpoints("web", {metadata: {name: "w"}});
      const id = await value(web.id), urn = await value(web.urn), metadata = await value(web.metadata);
      return {id, urn, metadata, registered, is: [platform.core.v1.Endpoints.isInstance(web), platform.core.v1.Endpoints.isInstance({})]};
    `);
    expect(result).toEqual({
      id: 'web-id',
      urn: 'urn:pulumi:dev::shop::platform:core/v1:Endpoints::web',
      metadata: {name: 'w'},
      registered: [{type: 'platform:core/v1:Endpoints', name: 'web', inputs: {metadata: {name: 'w'}}}],
      is: [true, false],
    });
  });

  test('I-009 without arguments or id the constructor names endpointId', async () => {
    const result = await runProgram(`
      const said = [];
      for (const args of [undefined, {description: "x"}]) {
        try { new cloudnative.intrusion.v1.Endpoint("a", args); } catch (error) { said.push(error.message); }
      }
      return said;
    `);
    expect(result).toEqual(["Missing required property 'endpointId'", "Missing required property 'endpointId'"]);
  });

  test('E-030 get reads by id', async () => {
    const result = await runProgram(`
      const found = cloudnative.intrusion.v1.Endpoint.get("g", "projects/p/locations/l/endpoints/e");
      return {id: await value(found.id), state: await value(found.state)};
    `);
    expect(result).toEqual({id: 'projects/p/locations/l/endpoints/e', state: 'READY'});
  });

  test('E-030 getEndpoints and getEndpoint call their functions', async () => {
    const result = await runProgram(`
      const a = await platform.core.v1.getEndpoints({name: "web", namespace: "b"});
      const b = await value(cloudnative.intrusion.v1.getEndpointOutput({endpointId: pulumi.output("e")}));
      const c = await platform.discovery.v1alpha1.getEndpointGroup({name: "web"});
      return [a, b, c];
    `);
    expect(result).toEqual([
      {id: 'platform:core/v1:getEndpoints', name: 'web', namespace: 'b'},
      {id: 'cloudnative:intrusion/v1:getEndpoint', endpointId: 'e'},
      {id: 'platform:discovery/v1alpha1:getEndpointGroup', name: 'web'},
    ]);
  });

  test('secrets of a provider are secret; enumerations have their values', async () => {
    const result = await runProgram(`
      const p = new platform.Provider("p", {kubeconfig: "k", context: "c"});
      await value(p.urn);
      return {secret: await pulumi.isSecret(pulumi.output(p.kubeconfig ?? pulumi.secret(1))), inputs: registered[0].inputs,
        severity: cloudnative.intrusion.v1.EndpointSeverity, enums: Object.keys(platform.types.enums)};
    `);
    expect(result).toMatchObject({
      inputs: {
        kubeconfig: {'4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270', value: 'k'},
        context: 'c',
      },
      severity: {SeverityUnspecified: 'SEVERITY_UNSPECIFIED', Medium: 'MEDIUM'},
      enums: ['core', 'meta'],
    });
  });
});
