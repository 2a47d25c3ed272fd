// SPDX-License-Identifier: Apache-2.0
/** The Python SDKs as a user has them: wheels in build/sdk/venv, run with Pulumi's mocks. */
import {execFile, execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {CLOUDNATIVE} from '../schema/cloudnative.ts';
import {PLATFORM} from '../schema/platform.ts';
import {constantCase, snakeCase} from './python-types.ts';

const root = join(import.meta.dirname, '../../../..');
const python = join(root, 'build/sdk/venv/bin/python');
const hasPython = existsSync(python);
const reason = hasPython ? '' : ' (skipped: no build/sdk/venv; make setup makes it where python3 has venv)';
const folder = mkdtempSync(join(tmpdir(), 'palisade-python-'));
afterAll(() => rmSync(folder, {recursive: true}));

const HEAD = `import json
import pulumi

registered = []


class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        registered.append([args.typ, args.name, args.inputs])
        return [args.resource_id or args.name + "-id", dict(args.inputs)]

    def call(self, args):
        return {"id": args.token, "metadata": {"name": args.args["name"], "ownerReferences": [{"apiVersion": "v1"}]}, "subsets": []}


pulumi.runtime.set_mocks(Mocks(), preview=False)
import palisade_platform as platform
import palisade_cloudnative as cloudnative

core, meta, intrusion = platform.core.v1, platform.meta.v1, cloudnative.intrusion.v1
discovery = platform.discovery.v1alpha1
result = []
`;

/** Runs statements at the top level of a program; gives what they put into \`result\`. */
async function runProgram(body: string): Promise<unknown> {
  const lines = body
    .trim()
    .split('\n')
    .map(line => `    ${line}\n`)
    .join('');
  const text = `${HEAD}\n\n@pulumi.runtime.test\ndef program():\n${lines}\n\nprogram()\nprint(json.dumps({"result": result, "registered": sorted(registered, key=lambda r: r[1])}, default=str))\n`;
  const path = join(folder, 'program.py');
  writeFileSync(path, text);
  const {stdout} = await promisify(execFile)(python, [path], {env: {PATH: '/usr/bin:/bin'}});
  return JSON.parse(stdout);
}

test('names in Python', () => {
  expect(['notReadyAddresses', 'fieldsV1', 'endpointIp', 'ip'].map(snakeCase)).toEqual([
    'not_ready_addresses',
    'fields_v1',
    'endpoint_ip',
    'ip',
  ]);
  expect(['SeverityUnspecified', 'UDP', 'FieldsV1'].map(constantCase)).toEqual([
    'SEVERITY_UNSPECIFIED',
    'UDP',
    'FIELDS_V1',
  ]);
});

describe.skipIf(!hasPython)(`the installed Python SDKs${reason}`, {timeout: 60_000}, () => {
  beforeAll(() => void execFileSync(process.execPath, ['tools/build-sdk.ts'], {cwd: root}));

  test('E-010 E-011 every field of every supporting type has its snake_case name', async () => {
    const {result} = (await runProgram(`
import inspect
for module in (core, meta, discovery):
    for name, cls in inspect.getmembers(module, inspect.isclass):
        if name.endswith("Args") and name not in ("EndpointsArgs", "EndpointGroupArgs"):
            fields = {k: v.fget._pulumi_name for k, v in vars(cls).items() if isinstance(v, property)}
            result.append([name, fields, sorted(k for k, v in vars(getattr(module.outputs, name[:-4])).items() if isinstance(v, property))])
`)) as {result: [string, Record<string, string>, string[]][]};
    const found = new Map(result.map(([name, fields, outputs]) => [name, {fields, outputs}]));
    expect(found.size).toBe(Object.keys(PLATFORM.types).length);
    for (const [token, type] of Object.entries(PLATFORM.types)) {
      const own = found.get(`${token.split(':')[1]}Args`);
      const expected = Object.fromEntries(Object.keys(type.properties).map(key => [snakeCase(key), key]));
      expect(own?.fields).toEqual(expected);
      expect(own?.outputs).toEqual(Object.keys(expected).sort());
    }
  });

  test('E-027 E-028 both forms of the constructor, classes and dictionaries', async () => {
    const answer = await runProgram(`
typed = core.Endpoints(
    resource_name="a",
    metadata=meta.ObjectMetaArgs(name="a", labels={"my_key": "x"}),
    subsets=[core.EndpointSubsetArgs(not_ready_addresses=[core.EndpointAddressArgs(ip="10.0.0.1", node_name="n")], ports=[core.EndpointPortArgs(port=80, protocol=core.Protocol.UDP)])],
)
plain = core.Endpoints("b", core.EndpointsArgs(metadata={"generate_name": "b-"}, subsets=[{"addresses": [{"ip": "10.0.0.2", "target_ref": {"api_version": "v1"}}]}]), pulumi.ResourceOptions(depends_on=[typed]))
words = core.Endpoints("c", metadata={"owner_references": [{"block_owner_deletion": True}]}, opts=pulumi.ResourceOptions(protect=True))
bare = core.Endpoints("d")
def seen(values):
    result.extend(values)
return pulumi.Output.all(
    typed.subsets.apply(lambda s: s[0].not_ready_addresses[0].node_name),
    typed.metadata.apply(lambda m: m.labels["my_key"]),
    plain.subsets.apply(lambda s: s[0].addresses[0].target_ref.api_version),
    words.metadata.apply(lambda m: m.owner_references[0].block_owner_deletion),
    bare.id,
).apply(seen)
`);
    expect(answer).toEqual({
      result: ['n', 'x', 'v1', true, 'd-id'],
      registered: [
        [
          'platform:core/v1:Endpoints',
          'a',
          {
            metadata: {name: 'a', labels: {my_key: 'x'}},
            subsets: [{notReadyAddresses: [{ip: '10.0.0.1', nodeName: 'n'}], ports: [{port: 80, protocol: 'UDP'}]}],
          },
        ],
        [
          'platform:core/v1:Endpoints',
          'b',
          {metadata: {generateName: 'b-'}, subsets: [{addresses: [{ip: '10.0.0.2', targetRef: {apiVersion: 'v1'}}]}]},
        ],
        ['platform:core/v1:Endpoints', 'c', {metadata: {ownerReferences: [{blockOwnerDeletion: true}]}}],
        ['platform:core/v1:Endpoints', 'd', {}],
      ],
    });
  });

  test('46-5 a group: classes and dictionaries, methods without settings, a look-up', async () => {
    const answer = await runProgram(`
typed = discovery.EndpointGroup(
    "a",
    metadata=meta.ObjectMetaArgs(name="a"),
    spec=discovery.EndpointGroupSpecArgs(
        members=[discovery.EndpointGroupMemberArgs(ip="10.0.0.1", node_name="n")],
        selector=meta.LabelSelectorArgs(match_labels={"my_key": "x"}),
        ports=[discovery.CheckedPortArgs(port=80, check=discovery.EndpointCheckArgs(tcp_socket=discovery.TCPSocketCheckArgs(), period_seconds=5))],
        panic_threshold_percent=50,
    ),
)
plain = discovery.EndpointGroup("b", spec={"ports": [{"port": 443, "check": {"http_get": {"expected_statuses": ["200"]}, "tls_config": {"server_name": "s"}}}]})
looked = discovery.get_endpoint_group(name="web")
result.append(looked.id)
def seen(values):
    result.extend(values)
return pulumi.Output.all(
    typed.spec.apply(lambda s: s.ports[0].check.period_seconds),
    plain.spec.apply(lambda s: s.ports[0].check.tls_config.server_name),
    plain.id,
).apply(seen)
`);
    const check = {httpGet: {expectedStatuses: ['200']}, tlsConfig: {serverName: 's'}};
    const spec = {
      members: [{ip: '10.0.0.1', nodeName: 'n'}],
      selector: {matchLabels: {my_key: 'x'}},
      ports: [{port: 80, check: {tcpSocket: {}, periodSeconds: 5}}],
      panicThresholdPercent: 50,
    };
    expect(answer).toEqual({
      result: ['platform:discovery/v1alpha1:getEndpointGroup', 5, 's', 'b-id'],
      registered: [
        ['platform:discovery/v1alpha1:EndpointGroup', 'a', {metadata: {name: 'a'}, spec}],
        ['platform:discovery/v1alpha1:EndpointGroup', 'b', {spec: {ports: [{port: 443, check}]}}],
      ],
    });
  });

  test('I-009 I-010 I-012 I-013 the intrusion endpoint: snake_case, mandatory id, enumeration', async () => {
    const {inputs, outputs} = CLOUDNATIVE.resources['intrusion/v1:Endpoint'] ?? {inputs: {}, outputs: {}};
    const answer = (await runProgram(`
made = intrusion.Endpoint(resource_name="a", endpoint_id="a", severity=intrusion.EndpointSeverity.HIGH, threat_exceptions=["1"], traffic_logs=True, request_id="r")
args = intrusion.Endpoint("b", intrusion.EndpointArgs(endpoint_id="b", severity="LOW"))
for given in ({}, {"description": "x"}):
    try:
        intrusion.Endpoint("bad", **given)
    except TypeError as error:
        result.append(str(error))
result.append(sorted(k for k, v in vars(intrusion.Endpoint).items() if isinstance(v, property)))
def seen(values):
    result.extend([values[0] == intrusion.EndpointSeverity.HIGH, values[0] == "HIGH", values[1]])
return pulumi.Output.all(made.severity, args.endpoint_id).apply(seen)
`)) as {result: unknown[]; registered: unknown[]};
    const missing = "Missing required property 'endpoint_id'";
    const names = Object.keys({...inputs, ...outputs})
      .map(snakeCase)
      .sort();
    expect(answer.result).toEqual([missing, missing, names, true, true, 'b']);
    expect(answer.registered[0]).toEqual([
      'cloudnative:intrusion/v1:Endpoint',
      'a',
      {endpointId: 'a', severity: 'HIGH', threatExceptions: ['1'], trafficLogs: true, requestId: 'r'},
    ]);
  });

  test('E-030 get and get_endpoints; a provider has its arguments', async () => {
    const answer = (await runProgram(`
found = core.Endpoints.get("g", "default/web")
provider = platform.Provider("p", kubeconfig="k", context="c")
looked = core.get_endpoints(name="web")
result.extend([looked.id, looked.metadata.name, looked.metadata.owner_references[0].api_version])
def seen(values):
    result.extend(values)
return pulumi.Output.all(found.id, core.get_endpoints_output(name=found.id).metadata.apply(lambda m: m.name)).apply(seen)
`)) as {result: unknown[]; registered: [string, string, Record<string, unknown>][]};
    expect(answer.result).toEqual(['platform:core/v1:getEndpoints', 'web', 'v1', 'default/web', 'default/web']);
    expect(answer.registered.find(([type]) => type === 'pulumi:providers:platform')?.[2]).toMatchObject({context: 'c'});
  });
});
