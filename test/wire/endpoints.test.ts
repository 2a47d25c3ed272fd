// SPDX-License-Identifier: Apache-2.0
/** What Endpoints hold, written and read back. Each rule with its bounds: packages/kinds/src/endpoints/endpoints.test.ts. */
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {
  type Answer,
  APPLY,
  ENDPOINTS,
  endpoints,
  fields,
  freshName,
  JSON_PATCH,
  MERGE,
  STRATEGIC,
  type Subset,
  startWire,
  subset,
  type Wire,
} from './support.ts';

const TCP = {port: 80, protocol: 'TCP'};
const TARGET = {
  kind: 'Pod',
  namespace: 'elsewhere',
  name: 'p',
  uid: '11111111-2222-3333-4444-555555555555',
  apiVersion: 'v1',
  resourceVersion: 'abc',
  fieldPath: 'spec.containers{name}',
};
const address = (of: object): Subset => ({addresses: [{ip: '10.0.0.1', ...of}], ports: [TCP]});
const ports = (...of: readonly object[]): Subset => ({addresses: [{ip: '10.0.0.1'}], ports: of});
const two = [
  {name: 'a', port: 53, protocol: 'TCP'},
  {name: 'b', port: 53, protocol: 'UDP'},
];
const both: Subset = {addresses: [{ip: '10.0.0.9'}, {ip: '10.0.0.1'}], notReadyAddresses: [{ip: '10.0.0.1'}]};

describe.each(['spec', 'kubernetes'] as const)('Endpoints, --compat %s', compat => {
  let wire: Wire;
  beforeAll(async () => {
    wire = await startWire({compat});
  });
  afterAll(() => wire[Symbol.asyncDispose]());
  const post = (...subsets: readonly Subset[]) => wire.send('POST', ENDPOINTS, {body: endpoints(freshName(), subsets)});

  test.each<[string, readonly Subset[]]>([
    ['E-040 ready addresses', [{addresses: [{ip: '10.0.0.2'}, {ip: '10.0.0.1'}], ports: [TCP]}]],
    ['E-041 ready and not ready ones apart', [{...subset(), notReadyAddresses: [{ip: '10.0.0.2'}], ports: [TCP]}]],
    ['E-042 not ready ones', [{notReadyAddresses: [{ip: '10.0.0.3'}], ports: [TCP]}]],
    ['E-043 E-089 several ports, one number with two protocols', [ports(...two, two[0] as object)]],
    [
      'E-045 E-047 E-048 subsets in their order, also without ports',
      [address({}), {notReadyAddresses: [{ip: '10.0.0.1'}]}],
    ],
    ['E-049 one IP with two uids', [{addresses: ['a', 'b'].map(uid => ({ip: '10.0.0.1', targetRef: {uid}}))}]],
    ['E-009 E-072 E-181 E-182 E-183 a targetRef with all its fields', [address({targetRef: TARGET})]],
    [
      'E-180 E-182 some of them, or none',
      [address({targetRef: {fieldPath: 'spec.containers[2]'}}), address({targetRef: {}})],
    ],
    ['E-060 E-066 IPs as they are spelled', [address({ip: '2001:DB8:0:0::1'}), address({ip: 'fd00::1'})]],
    [
      'E-061 E-062 E-063 IPs beside the ranges that are refused',
      [address({ip: '128.0.0.0'}), address({ip: 'fec0::'}), address({ip: '224.0.1.0'})],
    ],
    ['E-067 E-069 hostname and nodeName', [address({hostname: 'web-1', nodeName: 'node-2.example'})]],
    ['E-080 E-085 a port', [ports({port: 65535, protocol: 'SCTP'})]],
    ['E-083 E-084 names of ports', [ports({name: 'a', ...TCP}, {name: 'b', port: 81, protocol: 'TCP'})]],
    [
      'E-087 E-088 E-095 E-096 E-097 E-098 E-099 E-100 appProtocols, without advice',
      [
        'http',
        'a.b/My_p.1',
        'platform.io/h2c',
        'platform.io/ws',
        'platform.io/wss',
        'mycompany.com/my-protocol',
        'kubernetes.io/h2c',
      ].map(appProtocol => ports({...TCP, appProtocol})),
    ],
  ])('%s come back as they were written', async (_, subsets) => {
    const created = await post(...subsets);
    expect([created.status, created.body.subsets]).toEqual([201, subsets]);
    expect(created.warnings.filter(text => text.includes('appProtocol'))).toEqual([]);
    expect((await wire.send('GET', `${ENDPOINTS}/${created.body.metadata.name}`)).body).toEqual(created.body);
  });

  test.each<[string, Subset, string, string]>([
    ['E-046', {ports: [TCP]}, '', 'must specify `addresses` or `notReadyAddresses`'],
    ['E-061', address({ip: '127.0.0.1'}), '.addresses[0].ip', 'loopback range'],
    ['E-062', address({ip: 'fe80::1'}), '.addresses[0].ip', 'link-local range'],
    ['E-063 E-064', {notReadyAddresses: [{ip: 'ff02::1'}]}, '.notReadyAddresses[0].ip', 'link-local multicast range'],
    ['E-065', address({ip: '::'}), '.addresses[0].ip', 'may not be unspecified (::)'],
    ['E-068', address({hostname: 'a.b'}), '.addresses[0].hostname', 'must not contain dots'],
    ['E-071', address({nodeName: 'a_b'}), '.addresses[0].nodeName', 'RFC 1123 subdomain'],
    ['E-081', ports({port: 0}), '.ports[0].port', 'Invalid value: 0: must be between 1 and 65535, inclusive'],
    ['E-081', ports({}), '.ports[0].port', 'Invalid value: 0: must be between 1 and 65535, inclusive'],
    ['E-082 E-083', ports({port: 1, name: 'A'}), '.ports[0].name', 'RFC 1123 label'],
    ['E-084', ports({port: 1, name: 'a'}, {port: 2}), '.ports[1].name', 'Required value'],
    ['E-085', ports({port: 1, protocol: 'tcp'}), '.ports[0].protocol', 'supported values: "SCTP", "TCP", "UDP"'],
    ['E-088', ports({port: 1, appProtocol: '/x'}), '.ports[0].appProtocol', 'must'],
  ])('%s refuses %j at %s: %s', async (_, sent, field, text) => {
    const answer = await post(sent);
    expect([answer.status, fields(answer)[0]]).toEqual([422, `subsets[0]${field}`]);
    expect(answer.body.details.causes[0].message).toContain(text);
  });

  test.each(['80', 80.5, true, 2147483648, {}])('E-081 refuses port %j on decoding', async port => {
    const {status, body} = await post(ports({port}));
    expect([status, body.reason]).toEqual([400, 'BadRequest']);
    expect(body.message).toContain('Go struct field EndpointPort.subsets.ports.port of type int32');
  });

  test('E-068 E-086 empty texts count as none: no hostname, protocol TCP', async () => {
    for (const protocol of [undefined, '', null])
      expect(
        (await post({addresses: [{ip: '10.0.0.1', hostname: ''}], ports: [{port: 80, protocol}]})).body.subsets,
      ).toEqual([{addresses: [{ip: '10.0.0.1'}], ports: [TCP]}]);
  });

  test('E-002 E-021 an object is found by its name, also one without subsets', async () => {
    const name = freshName();
    const created = await wire.send('POST', ENDPOINTS, {body: endpoints(name)});
    const read = await wire.send('GET', `${ENDPOINTS}/${name}`);
    expect([created.status, read.body.metadata.name, Object.hasOwn(read.body, 'subsets')]).toEqual([201, name, false]);
    expect((await wire.send('GET', `${ENDPOINTS}/${name}-other`)).status).toBe(404);
  });

  test('E-048 E-089 every kind of write keeps the subsets, and the same again sends no event', async () => {
    const name = freshName();
    const body = endpoints(name, [ports(...two), address({ip: '10.0.0.7'})]);
    const patch = (type: string, sent: unknown, query = {}) =>
      wire.send('PATCH', `${ENDPOINTS}/${name}`, {body: sent, query, headers: {'content-type': type}});
    const {resourceVersion} = (await patch(APPLY, body, {fieldManager: 'm'})).body.metadata;
    const watch = await wire.watch(ENDPOINTS, {resourceVersion, fieldSelector: `metadata.name=${name}`});
    const again = [
      await patch(APPLY, body, {fieldManager: 'm'}),
      await patch(MERGE, {subsets: body.subsets}),
      await patch(STRATEGIC, {subsets: body.subsets}),
      await patch(JSON_PATCH, []),
    ];
    expect(again.map(each => [each.body.metadata.resourceVersion, each.body.subsets])).toEqual(
      again.map(() => [resourceVersion, body.subsets]),
    );
    await patch(MERGE, {metadata: {labels: {last: 'yes'}}});
    expect((await watch.next()).object.metadata.labels).toEqual({last: 'yes'});
    watch.close();
  });

  test('E-044 E-045 no write of any kind makes an address ready and not ready; upstream stores it', async () => {
    const made = async (): Promise<string> => (await post(subset())).body.metadata.name;
    const patch = async (type: string, body: unknown, query = {}) =>
      wire.send('PATCH', `${ENDPOINTS}/${await made()}`, {body, query, headers: {'content-type': type}});
    const [put, applied] = [await made(), await made()];
    const answers = [
      await post(both),
      await wire.send('PUT', `${ENDPOINTS}/${put}`, {body: endpoints(put, [both])}),
      await patch(MERGE, {subsets: [both]}),
      await patch(STRATEGIC, {subsets: [both]}),
      await patch(JSON_PATCH, [{op: 'add', path: '/subsets/0/notReadyAddresses', value: [{ip: '10.0.0.1'}]}]),
      await wire.send('PATCH', `${ENDPOINTS}/${applied}`, {
        query: {fieldManager: 'm', force: 'true'},
        body: endpoints(applied, [both]),
        headers: {'content-type': APPLY},
      }),
    ];
    expect(answers.map(each => each.status >= 400)).toEqual(answers.map(() => compat === 'spec'));
    if (compat === 'spec') expect(fields(answers[0] as Answer)).toEqual(['subsets[0].notReadyAddresses[0].ip']);
  });

  test('E-066 E-095 E-101 E-221 advice comes as warnings', async () => {
    const annotations = {'platform.io/address-ownership': 'per-address'};
    const subsets = ['no-such-service', 'platform.io/other'].map(appProtocol => ports({...TCP, appProtocol}));
    const body = endpoints(freshName(), [...subsets, address({ip: '2001:DB8::0001'})], {annotations});
    const {status, warnings} = await wire.send('POST', ENDPOINTS, {body});
    const [ipv6, naming] = [['RFC 5952'], ['EndpointRegistration', 'IANA', 'reserved']];
    const found = [...naming, ...ipv6].filter(word => warnings.some(text => text.includes(word)));
    expect([status, found]).toEqual([201, compat === 'spec' ? [...naming, ...ipv6] : ipv6]);
  });

  test('E-136 the generation counts changes of the subsets; upstream none', async () => {
    const {metadata} = (await post(subset())).body;
    const body = {subsets: [subset({ip: '10.0.0.2'})]};
    const headers = {'content-type': MERGE};
    const changed = await wire.send('PATCH', `${ENDPOINTS}/${metadata.name}`, {body, headers});
    expect([metadata.generation, changed.body.metadata.generation]).toEqual(
      compat === 'spec' ? [1, 2] : [undefined, undefined],
    );
  });

  test.each([{'example.com/x': 'y'}, {'platform.io/address-ownership': 'per-address'}])(
    '46-4 E-218 E-221 a second applier of other addresses conflicts, with the annotations %j',
    async annotations => {
      const name = freshName();
      const apply = (fieldManager: string, ip: string, force = 'false') =>
        wire.send('PATCH', `${ENDPOINTS}/${name}`, {
          query: {fieldManager, force},
          headers: {'content-type': APPLY},
          body: endpoints(name, [subset({ip})], {annotations}),
        });
      const first = await apply('one', '10.0.0.1');
      const second = await apply('two', '10.0.0.3');
      expect([second.status, fields(second)]).toEqual([409, ['.subsets']]);
      const forced = await apply('two', '10.0.0.3', 'true');
      expect(forced.body.subsets[0].addresses).toEqual([{ip: '10.0.0.3'}]);
      expect(forced.body.metadata.annotations).toEqual(first.body.metadata.annotations);
    },
  );
});
