// SPDX-License-Identifier: Apache-2.0
// The expected texts are what the Pulumi CLI 3.260 prints for the same state, but where it says otherwise.
import {
  createCloudnativeProvider,
  createPlatformProvider,
  nodeProviderHost,
  type PropertyMap,
  secretOf,
} from '@palisade/provider';
import {describe, expect, test} from 'vitest';
import {emptyState, type ResourceState} from '../state/resource-state.ts';
import {makeUrn} from '../state/urn.ts';
import type {Language} from '../workspace/language.ts';
import {programCode} from './declaration.ts';

const host = nodeProviderHost({});
const factories = {
  platform: () => createPlatformProvider(host),
  cloudnative: () => createCloudnativeProvider(host),
};
const urnOf = (type: string, name: string): string => makeUrn({stack: 's', project: 'p', parent: '', type, name});
const PROVIDER = urnOf('pulumi:providers:platform', 'default_0_1_0');
const stateOf = (type: string, name: string, change: Partial<ResourceState> = {}): ResourceState => ({
  ...emptyState(urnOf(type, name), type),
  custom: true,
  id: 'id',
  parent: urnOf('pulumi:pulumi:Stack', 'p-s'),
  provider: `${PROVIDER}::1`,
  ...change,
});
const endpoints = (name: string, change: Partial<ResourceState> = {}): ResourceState =>
  stateOf('platform:core/v1:Endpoints', name, change);
const code = (language: Language, states: readonly ResourceState[], names: Readonly<Record<string, string>> = {}) =>
  programCode(states, {
    language,
    factories,
    names: new Map([...Object.entries(names), ...states.map(({urn}) => [urn, urn.split('::').at(-1) ?? ''] as const)]),
  });
/** What `text` is in a program. */
function literal(language: Language, text: string): string {
  const program = code(language, [guardOf({description: text, endpointId: 'guard'})]);
  const [start, end] =
    language === 'nodejs' ? ['description: ', ',\n    endpointId'] : ['description=', ',\n    endpoint_id'];
  return program.slice(program.indexOf(start) + start.length, program.indexOf(end));
}
const guardOf = (inputs: PropertyMap): ResourceState => stateOf('cloudnative:intrusion/v1:Endpoint', 'guard', {inputs});

const address = {ip: '10.0.0.1', nodeName: 'n1'};
const web = endpoints('web', {
  protect: true,
  inputs: {
    metadata: {labels: {'app.kubernetes.io/name': 'x'}, name: 'web', namespace: 'default'},
    subsets: [{addresses: [address, {ip: '10.0.0.2'}], ports: [{port: 53, protocol: 'UDP'}]}],
    unknownToTheSchema: 1,
  },
});
const guard = guardOf({
  endpointId: 'guard',
  severity: 'SEVERITY_UNSPECIFIED',
  trafficLogs: true,
  description: secretOf('hush'),
});

describe('a program', () => {
  test('in TypeScript', () => {
    expect(code('nodejs', [guard, web])).toBe(`import * as pulumi from "@pulumi/pulumi";
import * as cloudnative from "@palisade/cloudnative";
import * as platform from "@palisade/platform";

const guard = new cloudnative.intrusion.v1.Endpoint("guard", {
    description: pulumi.secret("hush"),
    endpointId: "guard",
    severity: cloudnative.intrusion.v1.EndpointSeverity.SeverityUnspecified,
    trafficLogs: true,
});
const web = new platform.core.v1.Endpoints("web", {
    metadata: {
        labels: {
            "app.kubernetes.io/name": "x",
        },
        name: "web",
        namespace: "default",
    },
    subsets: [{
        addresses: [
            {
                ip: "10.0.0.1",
                nodeName: "n1",
            },
            {
                ip: "10.0.0.2",
            },
        ],
        ports: [{
            port: 53,
            protocol: platform.core.v1.Protocol.UDP,
        }],
    }],
}, {
    protect: true,
});
`);
  });

  test('in Python', () => {
    expect(code('python', [guard, web])).toBe(`import pulumi
import palisade_cloudnative as cloudnative
import palisade_platform as platform

guard = cloudnative.intrusion.v1.Endpoint("guard",
    description=pulumi.Output.secret("hush"),
    endpoint_id="guard",
    severity=cloudnative.intrusion.v1.EndpointSeverity.SEVERITY_UNSPECIFIED,
    traffic_logs=True)
web = platform.core.v1.Endpoints("web",
    metadata={
        "labels": {
            "app.kubernetes.io/name": "x",
        },
        "name": "web",
        "namespace": "default",
    },
    subsets=[{
        "addresses": [
            {
                "ip": "10.0.0.1",
                "node_name": "n1",
            },
            {
                "ip": "10.0.0.2",
            },
        ],
        "ports": [{
            "port": 53,
            "protocol": platform.core.v1.Protocol.UDP,
        }],
    }],
    opts = pulumi.ResourceOptions(protect=True))
`);
  });

  test('with one input or none, a component, and options', () => {
    const comp = stateOf('my:index:Comp', 'comp', {custom: false, provider: '', protect: true});
    const given = urnOf('pulumi:providers:platform', 'given');
    const two = endpoints('two', {
      inputs: {metadata: {name: 'two'}},
      parent: comp.urn,
      provider: `${given}::1`,
      protect: true,
    });
    const none = endpoints('none');
    expect(code('nodejs', [comp, two, none], {[given]: 'my-given'})).toContain(`
const comp = new pulumi.ComponentResource("my:index:Comp", "comp", {}, {
    protect: true,
});
const two = new platform.core.v1.Endpoints("two", {metadata: {
    name: "two",
}}, {
    parent: comp,
    protect: true,
    provider: my_given,
});
const none = new platform.core.v1.Endpoints("none", {});
`);
    expect(code('python', [comp, two, none], {[given]: 'myGiven'})).toContain(`
comp = pulumi.ComponentResource("my:index:Comp", "comp", opts = pulumi.ResourceOptions(protect=True))
two = platform.core.v1.Endpoints("two", metadata={
    "name": "two",
},
opts = pulumi.ResourceOptions(parent=comp,
    provider=my_given,
    protect=True))
none = platform.core.v1.Endpoints("none")
`);
  });
});

const BRACED = `$${'{x}'}`;
test.each<[string, string, string]>([
  ['say "hi" \\', '"say \\"hi\\" \\\\"', '"say \\"hi\\" \\\\"'],
  ['end\n', '"end\\n"', '"end\\n"'],
  ['a\nb', '`a\nb`', '"""a\nb"""'],
  // The CLI loses the $ here, and the backslash in Python.
  [`$5\n${BRACED} \\ \``, `\`$5\n\\${BRACED} \\\\ \\\`\``, `"""$5\n${BRACED} \\\\ \`"""`],
  ['x\n"""y"', '`x\n"""y"`', '"""x\n\\"\\"\\"y\\""""'],
  ['x\n"""', '`x\n"""`', '"""x\n\\"\\"\\""""'],
  ['x\n\\""""', '`x\n\\\\""""`', '"""x\n\\\\\\"\\"\\"\\""""'],
  ['tab\t\u2028\u{e0001}', '"tab\\u0009\\u2028\\u{e0001}"', '"tab\\u0009\\u2028\\U000e0001"'],
  ['größer 日本', '"größer 日本"', '"größer 日本"'],
])('the text %j is itself again', (text, typescript, python) => {
  expect([literal('nodejs', text), literal('python', text)]).toEqual([typescript, python]);
});

test.each<[string, string, string]>([
  ['my.one-x', 'my_one_x', 'my_one_x'],
  ['webServer', 'webServer', 'web_server'],
  ['1st', '_1st', '_1st'],
  ['class', '_class', 'class_'],
  ['platform', 'platformEndpoints', 'platform_endpoints'],
  ['pulumi', 'pulumiEndpoints', 'pulumi_endpoints'],
  ['module', '_module', 'module'],
])('the resource %s has a variable that a program may have', (name, typescript, python) => {
  expect(code('nodejs', [endpoints(name)])).toContain(`\nconst ${typescript} = new`);
  expect(code('python', [endpoints(name)])).toContain(`\n${python} = platform`);
});

test('names that become the same are told apart', () => {
  const text = code('nodejs', [endpoints('a-b'), endpoints('a.b'), endpoints('a_b')]);
  expect([...text.matchAll(/const (\w+)/g)].map(([, name]) => name)).toEqual(['a_b', 'a_bEndpoints', 'a_bEndpoints2']);
});
