// SPDX-License-Identifier: Apache-2.0
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {ENDPOINTS, endpoints, fields, freshName, startWire, subset, type Wire} from './support.ts';

describe.each(['spec', 'kubernetes'] as const)('addresses, --compat %s', compat => {
  let wire: Wire;
  beforeAll(async () => {
    wire = await startWire({compat});
  });
  afterAll(() => wire[Symbol.asyncDispose]());

  const post = (list: 'addresses' | 'notReadyAddresses', address: object) =>
    wire.send('POST', ENDPOINTS, {body: endpoints(freshName(), [{[list]: [address], ports: [{port: 80}]}])});

  test.each([
    {id: 'E-060', ip: '10.1.2.3'},
    {id: 'E-060', ip: 'fd00::1'},
    {id: 'E-060', ip: '255.255.255.255'},
    {id: 'E-061', ip: '126.255.255.255'},
    {id: 'E-061', ip: '128.0.0.0'},
    {id: 'E-061', ip: '::2'},
    {id: 'E-062', ip: '169.253.255.255'},
    {id: 'E-062', ip: '169.255.0.0'},
    {id: 'E-062', ip: 'fe7f::1'},
    {id: 'E-062', ip: 'fec0::'},
    {id: 'E-063', ip: '223.255.255.255'},
    {id: 'E-063', ip: '224.0.1.0'},
    {id: 'E-063', ip: 'ff01::'},
    {id: 'E-063', ip: 'ff03::'},
    {id: 'E-066', ip: '2001:DB8:0:0::1'},
  ])('$id accepts $ip in both lists and stores it as written', async ({ip}) => {
    for (const list of ['addresses', 'notReadyAddresses'] as const) {
      const answer = await post(list, {ip});
      expect(answer.status, answer.text).toBe(201);
      expect(answer.body.subsets[0][list]).toEqual([{ip}]);
    }
  });

  const LOOPBACK = 'may not be in the loopback range (127.0.0.0/8, ::1/128)';
  const LINK_LOCAL = 'may not be in the link-local range (169.254.0.0/16, fe80::/10)';
  const MULTICAST = 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)';
  test.each([
    {id: 'E-061', ip: '127.0.0.0', why: LOOPBACK},
    {id: 'E-061', ip: '127.0.0.1', why: LOOPBACK},
    {id: 'E-061', ip: '127.255.255.255', why: LOOPBACK},
    {id: 'E-061', ip: '::1', why: LOOPBACK},
    {id: 'E-062', ip: '169.254.0.0', why: LINK_LOCAL},
    {id: 'E-062', ip: '169.254.255.255', why: LINK_LOCAL},
    {id: 'E-062', ip: 'fe80::', why: LINK_LOCAL},
    {id: 'E-062', ip: 'febf:ffff::1', why: LINK_LOCAL},
    {id: 'E-063', ip: '224.0.0.0', why: MULTICAST},
    {id: 'E-063', ip: '224.0.0.255', why: MULTICAST},
    {id: 'E-063', ip: 'ff02::', why: MULTICAST},
    {id: 'E-063', ip: 'ff02:ffff::1', why: MULTICAST},
    {id: 'E-065', ip: '0.0.0.0', why: 'may not be unspecified (0.0.0.0)'},
    {id: 'E-065', ip: '::', why: 'may not be unspecified (::)'},
  ])('$id refuses $ip; E-064 also as not ready', async ({ip, why}) => {
    for (const list of ['addresses', 'notReadyAddresses'] as const) {
      const answer = await post(list, {ip});
      expect(answer.status).toBe(422);
      expect(answer.body.details.causes).toEqual([
        {reason: 'FieldValueInvalid', message: `Invalid value: "${ip}": ${why}`, field: `subsets[0].${list}[0].ip`},
      ]);
    }
  });

  test.each([
    {ip: ''},
    {ip: 'x'},
    {ip: '10.0.0'},
    {ip: '10.0.0.256'},
    {ip: '10.0.0.1/24'},
    {ip: '10.0.0.1 '},
    {ip: 'fd00::1%eth0'},
  ])('E-065 refuses "$ip", which is no IP', async ({ip}) => {
    const answer = await post('addresses', {ip});
    expect(answer.status).toBe(422);
    expect(answer.body.details.causes.map((cause: {message: string}) => cause.message)).toEqual([
      `Invalid value: ${JSON.stringify(ip)}: must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`,
      `Invalid value: ${JSON.stringify(ip)}: must be a valid IP address`,
    ]);
  });

  test('E-064 an address without an IP is refused in both lists', async () => {
    for (const list of ['addresses', 'notReadyAddresses'] as const) {
      const answer = await post(list, {hostname: 'h'});
      expect([answer.status, fields(answer)[0]]).toEqual([422, `subsets[0].${list}[0].ip`]);
    }
  });

  test.each([
    {ip: '010.0.0.1', why: 'must not have leading 0s'},
    {ip: '::ffff:10.0.0.1', why: 'must not be an IPv4-mapped IPv6 address'},
  ])('E-066 refuses the spelling $ip', async ({ip, why}) => {
    const answer = await post('addresses', {ip});
    expect(answer.status).toBe(422);
    expect(answer.body.details.causes[0].message).toBe(`Invalid value: "${ip}": ${why}`);
  });

  test('E-065 an IPv4-mapped address of a refused range is refused for both reasons', async () => {
    const answer = await post('addresses', {ip: '::ffff:127.0.0.1'});
    expect(answer.status).toBe(422);
    expect(answer.body.details.causes.map((cause: {message: string}) => cause.message)).toEqual([
      'Invalid value: "::ffff:127.0.0.1": must not be an IPv4-mapped IPv6 address',
      `Invalid value: "::ffff:127.0.0.1": ${LOOPBACK}`,
    ]);
  });

  test('E-066 another spelling of an IPv6 address is stored with a warning', async () => {
    const answer = await post('addresses', {ip: '2001:DB8::0001'});
    expect(answer.status).toBe(201);
    expect(answer.warnings).toContain(
      'subsets[0].addresses[0].ip: IPv6 address "2001:DB8::0001" should be in RFC 5952 canonical format ("2001:db8::1")',
    );
  });

  test.each([
    {id: 'E-067', field: 'hostname', value: 'web-1'},
    {id: 'E-068', field: 'hostname', value: 'a'.repeat(63)},
    {id: 'E-069', field: 'nodeName', value: 'node-2.example'},
    {id: 'E-071', field: 'nodeName', value: 'a'.repeat(253)},
  ])('$id stores $field', async ({field, value}) => {
    const answer = await post('addresses', {ip: '10.0.0.1', [field]: value});
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.subsets[0].addresses[0]).toEqual({ip: '10.0.0.1', [field]: value});
  });

  test.each([
    {id: 'E-068', field: 'hostname', value: 'Web'},
    {id: 'E-068', field: 'hostname', value: 'a.b'},
    {id: 'E-068', field: 'hostname', value: '-a'},
    {id: 'E-068', field: 'hostname', value: 'a'.repeat(64)},
    {id: 'E-071', field: 'nodeName', value: 'Node'},
    {id: 'E-071', field: 'nodeName', value: 'a_b'},
    {id: 'E-071', field: 'nodeName', value: ''},
    {id: 'E-071', field: 'nodeName', value: 'a'.repeat(254)},
  ])('$id refuses the $field "$value"', async ({field, value}) => {
    const answer = await post('notReadyAddresses', {ip: '10.0.0.1', [field]: value});
    expect(answer.status).toBe(422);
    expect(new Set(fields(answer))).toEqual(new Set([`subsets[0].notReadyAddresses[0].${field}`]));
  });

  test('E-068 an empty hostname is absence', async () => {
    const answer = await post('addresses', {ip: '10.0.0.1', hostname: ''});
    expect([answer.status, answer.body.subsets[0].addresses]).toEqual([201, [{ip: '10.0.0.1'}]]);
  });

  const TARGET = {
    kind: 'Pod',
    namespace: 'elsewhere',
    name: 'p',
    uid: '11111111-2222-3333-4444-555555555555',
    apiVersion: 'v1',
    resourceVersion: '42',
    fieldPath: 'spec.containers{name}',
  };
  test.each([
    {id: 'E-072', what: 'all seven fields', targetRef: TARGET},
    {id: 'E-180', what: 'some fields only', targetRef: {kind: 'VM', name: 'v'}},
    {id: 'E-181', what: 'a resourceVersion that is no number', targetRef: {resourceVersion: 'abc'}},
    {id: 'E-182', what: 'a path by name', targetRef: {fieldPath: 'spec.containers{name}'}},
    {id: 'E-182', what: 'a path by index', targetRef: {fieldPath: 'spec.containers[2]'}},
    {id: 'E-183', what: 'a reference to what does not exist', targetRef: {kind: 'Nothing', name: 'nowhere', uid: 'x'}},
    {id: 'E-180', what: 'no field at all', targetRef: {}},
  ])('$id a targetRef keeps $what', async ({targetRef}) => {
    const answer = await post('addresses', {ip: '10.0.0.1', targetRef});
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.subsets[0].addresses[0].targetRef).toEqual(targetRef);
  });

  test('E-252 every fault of one object is in one answer', async () => {
    const answer = await wire.send('POST', ENDPOINTS, {
      body: endpoints('Bad', [subset({ip: '127.0.0.1', hostname: 'H'}, {port: 0, protocol: 'x'})], {
        labels: {'a b': 'c'},
      }),
    });
    expect([answer.status, answer.body.kind, answer.body.reason, answer.body.code]).toEqual([
      422,
      'Status',
      'Invalid',
      422,
    ]);
    expect(fields(answer)).toEqual([
      'metadata.name',
      'metadata.labels',
      'subsets[0].addresses[0].hostname',
      'subsets[0].addresses[0].ip',
      'subsets[0].ports[0].port',
      'subsets[0].ports[0].protocol',
    ]);
  });
});

test('E-066 a spelling that was stored before stays valid on update', async () => {
  const {openMemoryStore} = await import('@palisade/store/memory');
  const store = await openMemoryStore();
  const ip = '010.0.0.1';
  const old = {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: {
      name: 'old',
      namespace: 'one',
      uid: '11111111-2222-3333-4444-555555555555',
      creationTimestamp: '2020-01-01T00:00:00Z',
    },
    subsets: [{addresses: [{ip}]}],
  };
  await store.put('/kube/core/endpoints/one/old', Buffer.from(JSON.stringify(old)));
  await using wire = await startWire({store});
  const kept = await wire.send('PUT', `${ENDPOINTS}/old`, {
    body: endpoints('old', [{addresses: [{ip}, {ip: '10.0.0.2'}]}]),
  });
  expect(kept.status, kept.text).toBe(200);
  const added = await wire.send('PUT', `${ENDPOINTS}/old`, {
    body: endpoints('old', [{addresses: [{ip}, {ip: '010.0.0.3'}]}]),
  });
  expect([added.status, fields(added)]).toEqual([422, ['subsets[0].addresses[1].ip']]);
});
