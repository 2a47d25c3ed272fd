// SPDX-License-Identifier: Apache-2.0
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {
  APPLY,
  ENDPOINTS,
  endpoints,
  fields,
  freshName,
  JSON_PATCH,
  MERGE,
  STRATEGIC,
  startWire,
  subset,
  type Wire,
} from './support.ts';

describe.each(['spec', 'kubernetes'] as const)('subsets, --compat %s', compat => {
  let wire: Wire;
  beforeAll(async () => {
    wire = await startWire({compat});
  });
  afterAll(() => wire[Symbol.asyncDispose]());

  const roundTrip = async (subsets: object[]): Promise<unknown> => {
    const name = freshName();
    const created = await wire.send('POST', ENDPOINTS, {body: endpoints(name, subsets as never)});
    expect(created.status, created.text).toBe(201);
    const read = await wire.send('GET', `${ENDPOINTS}/${name}`);
    expect(read.body.subsets).toEqual(created.body.subsets);
    return read.body.subsets;
  };

  test('E-002 an Endpoints object is found by its name', async () => {
    const name = freshName();
    await wire.send('POST', ENDPOINTS, {body: endpoints(name, [subset()])});
    expect((await wire.send('GET', `${ENDPOINTS}/${name}`)).body.metadata.name).toBe(name);
    expect((await wire.send('GET', `${ENDPOINTS}/${name}-other`)).status).toBe(404);
  });

  test('E-021 an object without subsets is stored and read without them', async () => {
    const name = freshName();
    const created = await wire.send('POST', ENDPOINTS, {body: endpoints(name)});
    expect(created.status, created.text).toBe(201);
    const read = await wire.send('GET', `${ENDPOINTS}/${name}`);
    expect([created, read].map(({body}) => Object.hasOwn(body, 'subsets'))).toEqual([false, false]);
  });

  test('E-009 field names are camelCase on the wire', async () => {
    const sent = [
      {
        notReadyAddresses: [{ip: '10.0.0.1', nodeName: 'n', targetRef: {resourceVersion: '1', fieldPath: 'x'}}],
        ports: [{port: 1, protocol: 'TCP', appProtocol: 'http'}],
      },
    ];
    expect(await roundTrip(sent)).toEqual(sent);
  });

  test.each([
    {
      id: 'E-040',
      what: 'ready addresses',
      sent: [{addresses: [{ip: '10.0.0.2'}, {ip: '10.0.0.1'}], ports: [{port: 80, protocol: 'TCP'}]}],
    },
    {
      id: 'E-041',
      what: 'ready and not ready addresses apart',
      sent: [
        {addresses: [{ip: '10.0.0.1'}], notReadyAddresses: [{ip: '10.0.0.2'}], ports: [{port: 80, protocol: 'TCP'}]},
      ],
    },
    {
      id: 'E-042',
      what: 'not ready addresses',
      sent: [{notReadyAddresses: [{ip: '10.0.0.3'}], ports: [{port: 80, protocol: 'TCP'}]}],
    },
    {
      id: 'E-043',
      what: 'several ports',
      sent: [
        {
          addresses: [{ip: '10.0.0.1'}],
          ports: [
            {name: 'a', port: 1, protocol: 'TCP'},
            {name: 'b', port: 1, protocol: 'UDP'},
          ],
        },
      ],
    },
    {
      id: 'E-047',
      what: 'a subset without ports beside one with ports',
      sent: [{addresses: [{ip: '10.0.0.1'}]}, {addresses: [{ip: '10.0.0.1'}], ports: [{port: 1, protocol: 'TCP'}]}],
    },
    {
      id: 'E-048',
      what: 'the order that was written',
      sent: [
        {
          addresses: [{ip: '10.0.0.9'}, {ip: '10.0.0.1'}],
          ports: [
            {name: 'z', port: 9, protocol: 'TCP'},
            {name: 'a', port: 1, protocol: 'TCP'},
          ],
        },
        {addresses: [{ip: '10.0.0.2'}]},
      ],
    },
    {
      id: 'E-049',
      what: 'one IP with two target uids twice',
      sent: [
        {
          addresses: [
            {ip: '10.0.0.1', targetRef: {uid: 'a'}},
            {ip: '10.0.0.1', targetRef: {uid: 'b'}},
          ],
          ports: [{port: 80, protocol: 'TCP'}],
        },
      ],
    },
    {
      id: 'E-089',
      what: 'two equal ports and one number with two protocols',
      sent: [
        {
          addresses: [{ip: '10.0.0.1'}],
          ports: [
            {name: 'a', port: 80, protocol: 'TCP'},
            {name: 'a', port: 80, protocol: 'TCP'},
            {name: 'b', port: 80, protocol: 'UDP'},
          ],
        },
      ],
    },
  ])('$id stores $what', async ({sent}) => {
    expect(await roundTrip(sent)).toEqual(sent);
  });

  test.each([
    {what: 'no address list', sent: {ports: [{port: 1}]}},
    {what: 'two empty lists', sent: {addresses: [], notReadyAddresses: [], ports: [{port: 1}]}},
    {what: 'nothing', sent: {}},
  ])('E-046 refuses a subset with $what', async ({sent}) => {
    const answer = await wire.send('POST', ENDPOINTS, {body: endpoints(freshName(), [subset(), sent])});
    expect(answer.status).toBe(422);
    expect(answer.body.details.causes).toEqual([
      {
        reason: 'FieldValueRequired',
        message: 'Required value: must specify `addresses` or `notReadyAddresses`',
        field: 'subsets[1]',
      },
    ]);
  });

  test('E-048 writing the same again changes nothing and sends no event', async () => {
    const name = freshName();
    const body = endpoints(name, [subset(), {addresses: [{ip: '10.0.0.7'}, {ip: '10.0.0.2'}]}]);
    const created = await wire.send('POST', ENDPOINTS, {body});
    const {resourceVersion} = created.body.metadata;
    const watch = await wire.watch(ENDPOINTS, {resourceVersion, fieldSelector: `metadata.name=${name}`});
    const query = {fieldManager: 'wire-test'};
    const again = [
      await wire.send('PUT', `${ENDPOINTS}/${name}`, {body}),
      await wire.send('PATCH', `${ENDPOINTS}/${name}`, {
        body: {subsets: body.subsets},
        headers: {'content-type': MERGE},
      }),
      await wire.send('PATCH', `${ENDPOINTS}/${name}`, {body: {}, headers: {'content-type': STRATEGIC}}),
      await wire.send('PATCH', `${ENDPOINTS}/${name}`, {body: [], headers: {'content-type': JSON_PATCH}}),
    ];
    expect(again.map(answer => [answer.status, answer.body.metadata.resourceVersion])).toEqual(
      again.map(() => [200, resourceVersion]),
    );
    await wire.send('PATCH', `${ENDPOINTS}/${name}`, {
      query,
      body: {metadata: {labels: {last: 'yes'}}},
      headers: {'content-type': MERGE},
    });
    const event = await watch.next();
    expect([event.type, event.object.metadata.labels]).toEqual(['MODIFIED', {last: 'yes'}]);
    watch.close();
  });
});

describe('an address that is ready and not ready', () => {
  const both = (ready: string, notReady: string) => ({
    addresses: [{ip: '10.0.0.9'}, {ip: ready}],
    notReadyAddresses: [{ip: '10.0.0.8'}, {ip: notReady}],
    ports: [{port: 80}],
  });

  test.each([
    {what: 'the same spelling', ready: '10.0.0.1', notReady: '10.0.0.1'},
    {what: 'two spellings of one IPv6 address', ready: 'fd00::1', notReady: 'FD00:0:0::1'},
  ])('E-045 spec: refuses $what, naming both places', async ({ready, notReady}) => {
    await using wire = await startWire();
    const answer = await wire.send('POST', ENDPOINTS, {body: endpoints('a', [subset(), both(ready, notReady)])});
    expect(answer.status).toBe(422);
    expect(fields(answer)).toEqual(['subsets[1].notReadyAddresses[1].ip']);
    expect(answer.body.details.causes[0].message).toContain('subsets[1].addresses[1].ip');
  });

  test('E-044 spec: no write of any kind gets such an address in', async () => {
    await using wire = await startWire();
    await wire.send('POST', ENDPOINTS, {body: endpoints('a', [subset()])});
    const bad = [both('10.0.0.1', '10.0.0.1')];
    const answers = [
      await wire.send('PUT', `${ENDPOINTS}/a`, {body: endpoints('a', bad)}),
      await wire.send('PUT', `${ENDPOINTS}/b`, {body: endpoints('b', bad)}),
      await wire.send('PATCH', `${ENDPOINTS}/a`, {body: {subsets: bad}, headers: {'content-type': MERGE}}),
      await wire.send('PATCH', `${ENDPOINTS}/a`, {body: {subsets: bad}, headers: {'content-type': STRATEGIC}}),
      await wire.send('PATCH', `${ENDPOINTS}/a`, {
        body: [{op: 'add', path: '/subsets/0/notReadyAddresses', value: [{ip: '10.0.0.1'}]}],
        headers: {'content-type': JSON_PATCH},
      }),
      await wire.send('PATCH', `${ENDPOINTS}/a`, {
        query: {fieldManager: 'm', force: 'true'},
        body: endpoints('a', bad),
        headers: {'content-type': APPLY},
      }),
    ];
    expect(answers.map(answer => answer.status)).toEqual([422, 422, 422, 422, 422, 422]);
    expect((await wire.send('GET', `${ENDPOINTS}/a`)).body.subsets).toEqual([
      {addresses: [{ip: '10.0.0.1'}], ports: [{port: 80, protocol: 'TCP'}]},
    ]);
  });

  test('E-045 kubernetes: stores it as it is', async () => {
    await using wire = await startWire({compat: 'kubernetes'});
    const answer = await wire.send('POST', ENDPOINTS, {body: endpoints('a', [both('10.0.0.1', '10.0.0.1')])});
    expect(answer.status).toBe(201);
    expect(answer.body.subsets[0].notReadyAddresses[1]).toEqual(answer.body.subsets[0].addresses[1]);
  });

  test('E-045 both: the same address in two subsets is fine', async () => {
    for (const compat of ['spec', 'kubernetes'] as const) {
      await using wire = await startWire({compat});
      const answer = await wire.send('POST', ENDPOINTS, {
        body: endpoints('a', [subset(), {notReadyAddresses: [{ip: '10.0.0.1'}], ports: [{port: 81}]}]),
      });
      expect(answer.status).toBe(201);
    }
  });
});
