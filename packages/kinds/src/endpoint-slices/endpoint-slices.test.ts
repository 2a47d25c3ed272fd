// SPDX-License-Identifier: Apache-2.0
/** What an EndpointSlice may hold, what counts as a change, and what is printed. */
import {type Body, MemoryApi, type Resource} from '@palisade/apiserver/testing';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {endpointSlicesKind} from './kind.ts';
import {endpointSliceTable} from './table.ts';

let api: MemoryApi;
let slices: Resource;
beforeEach(async () => {
  api = await MemoryApi.open({kinds: [endpointSlicesKind], compat: 'kubernetes'});
  slices = api.of(endpointSlicesKind);
});
afterEach(() => api[Symbol.asyncDispose]());

const IPV4 = {addressType: 'IPv4'};
const causes = async (content: object): Promise<string[]> => {
  const {status, body} = await slices.post({name: 'a'}, content, {dryRun: 'All'});
  if (status === 201) return [];
  return (body.details.causes ?? []).map(({field, message}: Body) => `${field}: ${message}`);
};
const ofEndpoint = (endpoint: object, addressType = 'IPv4'): Promise<string[]> =>
  causes({addressType, endpoints: [endpoint]});
const ofAddress = (address: string, addressType: string): Promise<string[]> =>
  ofEndpoint({addresses: [address]}, addressType);
const ofPorts = (...ports: readonly object[]): Promise<string[]> => causes({...IPV4, ports});
const manyAddresses = (count: number): string[] =>
  Array.from({length: count}, (_, i) => `10.0.${Math.floor(i / 250)}.${(i % 250) + 1}`);

describe('45-1 an address', () => {
  test.each([
    ['IPv4', '10.0.0.1'],
    ['IPv4', '255.255.255.255'],
    ['IPv6', '2001:db8::1'],
    ['FQDN', 'example.com'],
    ['FQDN', 'example.com.'],
  ])('of type %s may be %s', async (type, address) => {
    expect(await ofAddress(address, type)).toEqual([]);
  });

  test.each([
    ['IPv4', 'x', '[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ['IPv4', '010.0.0.1', '[0]: Invalid value: "010.0.0.1": must not have leading 0s'],
    ['IPv4', '2001:db8::1', ': Invalid value: "2001:db8::1": must be an IPv4 address'],
    ['IPv4', '127.0.0.1', '[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)'],
    ['IPv6', '10.0.0.1', ': Invalid value: "10.0.0.1": must be an IPv6 address'],
    ['IPv6', '2001:DB8:0::1', '[0]: Invalid value: "2001:DB8:0::1": must be in canonical form ("2001:db8::1")'],
    [
      'IPv6',
      'fe80::1',
      '[0]: Invalid value: "fe80::1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    ],
    ['FQDN', '', '[0]: Required value'],
    [
      'FQDN',
      'example.',
      '[0]: Invalid value: "example": should be a domain with at least two segments separated by dots',
    ],
    ['FQDN', `${'a'.repeat(64)}.b`, `[0]: Invalid value: "${'a'.repeat(64)}": must be no more than 63 characters`],
  ])('of type %s is refused when it is "%s"', async (type, address, why) => {
    expect(await ofAddress(address, type)).toEqual([`endpoints[0].addresses${why}`]);
  });

  test('with two faults has both', async () => {
    expect(await ofAddress('::1', 'IPv4')).toEqual([
      'endpoints[0].addresses: Invalid value: "::1": must be an IPv4 address',
      'endpoints[0].addresses[0]: Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ]);
  });

  test.each([
    [{}, ['endpoints[0].addresses: Required value: must contain at least 1 address']],
    [{addresses: manyAddresses(101)}, ['endpoints[0].addresses: Too many: 101: must have at most 100 items']],
    [{addresses: manyAddresses(100)}, []],
  ])('belongs to an endpoint with 1 to 100 of them', async (endpoint, wanted) => {
    expect(await ofEndpoint(endpoint)).toEqual(wanted);
  });
});

test('45-1 a slice has at most 1,000 endpoints', async () => {
  const of = (count: number) => ({...IPV4, endpoints: manyAddresses(count).map(ip => ({addresses: [ip]}))});
  expect(await causes(of(1_000))).toEqual([]);
  expect(await causes(of(1_001))).toEqual(['endpoints: Too many: 1001: must have at most 1000 items']);
});

describe('45-1 the rest of an endpoint', () => {
  const PLACE = {addresses: ['10.0.0.1']};
  const many = (count: number) => Array.from({length: count}, (_, i) => ({name: `n${i}`}));

  test.each<[object, string[]]>([
    [{hostname: 'h1', nodeName: 'n.example.com', zone: '', hints: {}}, []],
    [{hostname: 'a.b'}, ['endpoints[0].hostname: Invalid value: "a.b": must not contain dots']],
    [{hints: {forZones: many(8), forNodes: many(8)}}, []],
    [
      {hints: {forZones: many(9), forNodes: many(9)}},
      ['endpoints[0].hints.forZones: Too many: 9: must have at most 8 items'],
    ],
    [{hints: {forNodes: many(9)}}, ['endpoints[0].hints.forNodes: Too many: 9: must have at most 8 items']],
    [
      {hints: {forZones: [{name: 'z'}, {name: 'z'}], forNodes: [{name: 'n'}, {name: 'n'}]}},
      [
        'endpoints[0].hints.forZones[1].name: Duplicate value: "z"',
        'endpoints[0].hints.forNodes[1].name: Duplicate value: "n"',
      ],
    ],
  ])('%j', async (more, wanted) => {
    expect(await ofEndpoint({...PLACE, ...more})).toEqual(wanted);
  });

  test('node names are subdomains', async () => {
    expect(await ofEndpoint({...PLACE, nodeName: 'N_'})).toEqual([
      expect.stringMatching(/^endpoints\[0\]\.nodeName: Invalid value: "N_": a lowercase RFC 1123 subdomain/),
    ]);
  });

  test('topology of v1beta1 is dropped, and not checked', async () => {
    const made = await slices.make(
      {name: 'a'},
      {...IPV4, endpoints: [{...PLACE, deprecatedTopology: {'bad key': 'x y'}}]},
    );
    expect(made.endpoints).toEqual([{...PLACE, conditions: {}}]);
  });
});

describe('45-1 ports', () => {
  test('get a name and a protocol, and may lack a number', async () => {
    const {ports} = await slices.make({name: 'a'}, {...IPV4, ports: [{}, {name: 'x', port: -1, protocol: null}]});
    expect(ports).toEqual([
      {name: '', protocol: 'TCP'},
      {name: 'x', protocol: 'TCP', port: -1},
    ]);
  });

  test.each<[object[], string[]]>([
    [[{port: 80}, {port: 81}], ['ports[1].name: Duplicate value: ""']],
    [[{name: 'x'}, {name: 'y'}, {name: 'x'}], ['ports[2].name: Duplicate value: "x"']],
    [[{protocol: ''}], ['ports[0].protocol: Unsupported value: "": supported values: "SCTP", "TCP", "UDP"']],
    [[{name: 'a.b'}], ['ports[0].name: Invalid value: "a.b": must not contain dots']],
    [
      [{appProtocol: ''}],
      [
        'ports[0].appProtocol: Invalid value: "": name part must be non-empty',
        expect.stringMatching(/^ports\[0\]\.appProtocol: Invalid value: "": name part must consist of/),
      ],
    ],
  ])('%j are refused', async (ports, wanted) => {
    expect(await ofPorts(...ports)).toEqual(wanted);
  });

  test('are at most 20,000', async () => {
    const ports = Array.from({length: 20_001}, (_, i) => ({name: `p${i}`}));
    expect(await ofPorts(...ports)).toEqual(['ports: Too many: 20001: must have at most 20000 items']);
  });
});

describe('45-1 the address type', () => {
  test.each([
    [{}, 'addressType: Required value'],
    [{addressType: 'ipv4'}, 'addressType: Unsupported value: "ipv4": supported values: "FQDN", "IPv4", "IPv6"'],
  ])('%j is refused', async (content, why) => {
    expect(await causes(content)).toEqual([why]);
  });

  test('is immutable', async () => {
    await slices.make({name: 'a'}, IPV4);
    const {status, body} = await slices.patch('a', 'merge', {addressType: 'IPv6'});
    expect([status, body.details.causes]).toEqual([
      422,
      [{reason: 'FieldValueInvalid', message: 'Invalid value: "IPv6": field is immutable', field: 'addressType'}],
    ]);
  });
});

describe('45-1 the generation', () => {
  const generation = async (): Promise<number> => (await slices.get('a')).metadata.generation;

  test('counts changes of content and labels, not of annotations', async () => {
    await slices.make({name: 'a', generation: 7}, {...IPV4, endpoints: [{addresses: ['10.0.0.1']}]});
    const counts = [await generation()];
    for (const patch of [
      {metadata: {annotations: {x: 'y'}}},
      {metadata: {labels: {x: 'y'}}},
      {endpoints: [{addresses: ['10.0.0.1']}]},
      {ports: [{port: 80}]},
      {ports: []},
      {ports: null},
    ]) {
      expect((await slices.patch('a', 'merge', patch)).status).toBe(200);
      counts.push(await generation());
    }
    expect(counts).toEqual([1, 1, 2, 2, 3, 4, 4]);
  });

  test('counts sent topology, which is dropped', async () => {
    await slices.make({name: 'a'}, {...IPV4, endpoints: [{addresses: ['10.0.0.1']}]});
    await slices.patch('a', 'merge', {endpoints: [{addresses: ['10.0.0.1'], deprecatedTopology: {x: 'y'}}]});
    expect(await slices.get('a')).toMatchObject({
      metadata: {generation: 2},
      endpoints: [{addresses: ['10.0.0.1'], conditions: {}}],
    });
  });
});

test('45-1 empty lists are null, however they were sent', async () => {
  for (const [name, content] of Object.entries({a: {}, b: {endpoints: [], ports: []}, c: {endpoints: null}}))
    expect(await slices.make({name}, {...IPV4, ...content})).toMatchObject({endpoints: null, ports: null});
});

test('45-1 metadata have their faults twice in an update, as upstream lists them', async () => {
  await slices.make({name: 'a'}, IPV4);
  const {body} = await slices.put('a', {metadata: {name: 'a', labels: {'bad!': 'x'}}, ...IPV4});
  expect(body.details.causes.map(({field}: Body) => field)).toEqual([
    'metadata.labels',
    'metadata.labels',
    'metadata.labels',
  ]);
});

test('45-1 a PUT does not create', async () => {
  expect((await slices.put('a', IPV4)).status).toBe(404);
});

describe('45-1 warnings', () => {
  test('about FQDN slices come with a create', async () => {
    const content = {addressType: 'FQDN', endpoints: [{addresses: ['example.com']}]};
    expect((await slices.post({name: 'a'}, content)).warnings).toEqual([
      'spec.addressType: FQDN endpoints are deprecated',
    ]);
    expect((await slices.put('a', content)).warnings).toEqual([]);
  });
});

test('45-1 the table has three of the ports and addresses', () => {
  const cells = (content: object): unknown =>
    endpointSliceTable.cells(
      {metadata: {name: 'a', creationTimestamp: '2026-01-01T00:00:00Z'}, ...content},
      Date.UTC(2026, 0, 1, 0, 1),
    );
  expect(endpointSliceTable.columns.map(({name}) => name)).toEqual([
    'Name',
    'AddressType',
    'Ports',
    'Endpoints',
    'Age',
  ]);
  expect(cells({...IPV4, endpoints: null, ports: [{name: ''}]})).toEqual(['a', 'IPv4', '<unset>', '<unset>', '60s']);
  const addresses = ['10.0.0.1', '10.0.0.2'];
  const ports = [{port: 1, name: 'x'}, {name: 'y'}, {port: 3}, {port: 4}, {port: 5}];
  expect(cells({...IPV4, endpoints: [{addresses}, {addresses}], ports})).toEqual([
    'a',
    'IPv4',
    '1,y,3 + 2 more...',
    '10.0.0.1,10.0.0.2,10.0.0.1 + 1 more...',
    '60s',
  ]);
});
