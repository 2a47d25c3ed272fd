// SPDX-License-Identifier: Apache-2.0
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {
  APPLY,
  ENDPOINTS,
  endpoints,
  fields,
  freshName,
  MERGE,
  STRATEGIC,
  startWire,
  subset,
  type Wire,
} from './support.ts';

describe.each(['spec', 'kubernetes'] as const)('ports, --compat %s', compat => {
  let wire: Wire;
  beforeAll(async () => {
    wire = await startWire({compat});
  });
  afterAll(() => wire[Symbol.asyncDispose]());

  const post = (...ports: unknown[]) =>
    wire.send('POST', ENDPOINTS, {body: endpoints(freshName(), [{addresses: [{ip: '10.0.0.1'}], ports}])});

  test.each([{port: 1}, {port: 8080}, {port: 65535}])('E-080 E-081 accepts port $port', async ({port}) => {
    const answer = await post({port});
    expect([answer.status, answer.body.subsets[0].ports[0].port]).toEqual([201, port]);
  });

  test.each([{port: 0}, {port: -1}, {port: 65536}, {port: 2147483647}, {port: null}, {port: undefined}])(
    'E-081 refuses port $port as out of range',
    async ({port}) => {
      const answer = await post({port});
      expect([answer.status, fields(answer)]).toEqual([422, ['subsets[0].ports[0].port']]);
      expect(answer.body.details.causes[0].message).toBe(
        `Invalid value: ${port ?? 0}: must be between 1 and 65535, inclusive`,
      );
    },
  );

  test.each([{port: '80'}, {port: 80.5}, {port: true}, {port: 2147483648}, {port: {}}])(
    'E-081 refuses port $port on decoding',
    async ({port}) => {
      const answer = await post({port});
      expect([answer.status, answer.body.reason]).toEqual([400, 'BadRequest']);
      expect(answer.body.message).toContain('Go struct field EndpointPort.subsets.ports.port of type int32');
    },
  );

  test.each([{name: 'a'}, {name: 'http-2'}, {name: '9p'}, {name: 'a'.repeat(63)}])(
    'E-083 accepts the name $name; E-082 stores it',
    async ({name}) => {
      const answer = await post({port: 80, name});
      expect([answer.status, answer.body.subsets[0].ports[0].name]).toEqual([201, name]);
    },
  );

  test.each([{name: 'A'}, {name: 'a_b'}, {name: '-a'}, {name: 'a-'}, {name: 'a.b'}, {name: 'a'.repeat(64)}])(
    'E-083 refuses the name $name; E-082 is about such names',
    async ({name}) => {
      const answer = await post({port: 80, name});
      expect([answer.status, fields(answer)]).toEqual([422, ['subsets[0].ports[0].name']]);
    },
  );

  test('E-084 one port may go without a name', async () => {
    expect((await post({port: 80})).status).toBe(201);
  });

  test('E-084 of two ports each needs a name', async () => {
    const answer = await post({port: 80, name: 'a'}, {port: 81});
    expect([answer.status, answer.body.details.causes]).toEqual([
      422,
      [{reason: 'FieldValueRequired', message: 'Required value', field: 'subsets[0].ports[1].name'}],
    ]);
  });

  test.each([{protocol: 'TCP'}, {protocol: 'UDP'}, {protocol: 'SCTP'}])(
    'E-085 accepts $protocol',
    async ({protocol}) => {
      const answer = await post({port: 80, protocol});
      expect([answer.status, answer.body.subsets[0].ports[0].protocol]).toEqual([201, protocol]);
    },
  );

  test.each([{protocol: 'tcp'}, {protocol: 'ICMP'}, {protocol: ' TCP'}])(
    'E-085 refuses $protocol',
    async ({protocol}) => {
      const answer = await post({port: 80, protocol});
      expect(answer.body.details.causes).toEqual([
        {
          reason: 'FieldValueNotSupported',
          message: `Unsupported value: "${protocol}": supported values: "SCTP", "TCP", "UDP"`,
          field: 'subsets[0].ports[0].protocol',
        },
      ]);
    },
  );

  test.each([{protocol: undefined}, {protocol: ''}, {protocol: null}])(
    'E-086 $protocol becomes TCP',
    async ({protocol}) => {
      const answer = await post({port: 80, protocol});
      expect([answer.status, answer.body.subsets[0].ports]).toEqual([201, [{port: 80, protocol: 'TCP'}]]);
    },
  );

  test.each([
    {id: 'E-087', appProtocol: 'http'},
    {id: 'E-088', appProtocol: 'a.b/My_proto.1-x'},
    {id: 'E-096', appProtocol: 'platform.io/h2c'},
    {id: 'E-097', appProtocol: 'platform.io/ws'},
    {id: 'E-098', appProtocol: 'platform.io/wss'},
    {id: 'E-099', appProtocol: 'mycompany.com/my-protocol'},
    {id: 'E-100', appProtocol: 'kubernetes.io/h2c'},
    {id: 'E-100', appProtocol: 'kubernetes.io/ws'},
    {id: 'E-100', appProtocol: 'kubernetes.io/wss'},
  ])('$id stores appProtocol $appProtocol as written, without advice', async ({appProtocol}) => {
    const answer = await post({port: 80, appProtocol});
    expect([answer.status, answer.body.subsets[0].ports[0].appProtocol]).toEqual([201, appProtocol]);
    expect(answer.warnings.filter(text => text.includes('appProtocol'))).toEqual([]);
  });

  test.each([
    {appProtocol: ''},
    {appProtocol: 'bad value'},
    {appProtocol: '/x'},
    {appProtocol: 'x/'},
    {appProtocol: 'a/b/c'},
    {appProtocol: '-x'},
    {appProtocol: 'Up.Case/x'},
    {appProtocol: `x/${'a'.repeat(64)}`},
  ])('E-088 refuses appProtocol "$appProtocol"', async ({appProtocol}) => {
    const answer = await post({port: 80, appProtocol});
    expect([answer.status, new Set(fields(answer))]).toEqual([422, new Set(['subsets[0].ports[0].appProtocol'])]);
  });

  test('E-089 one number with two protocols stays two through every kind of write', async () => {
    const name = freshName();
    const ports = [
      {name: 'a', port: 53, protocol: 'TCP'},
      {name: 'b', port: 53, protocol: 'UDP'},
    ];
    const body = endpoints(name, [{addresses: [{ip: '10.0.0.1'}], ports}]);
    const patch = (type: string, sent: unknown, query = {}) =>
      wire.send('PATCH', `${ENDPOINTS}/${name}`, {body: sent, query, headers: {'content-type': type}});
    const answers = [
      await patch(APPLY, body, {fieldManager: 'm'}),
      await patch(STRATEGIC, {subsets: body.subsets}),
      await patch(MERGE, {subsets: body.subsets}),
    ];
    expect(answers.map(answer => answer.body.subsets[0].ports)).toEqual([ports, ports, ports]);
  });
});

describe('advice about appProtocol', () => {
  const CASES = [
    {id: 'E-095', appProtocol: 'no-such-service', about: 'IANA'},
    {id: 'E-101', appProtocol: 'platform.io/other', about: 'reserved'},
  ];

  test.each(CASES)('$id spec: stores $appProtocol with a warning', async ({appProtocol, about}) => {
    await using wire = await startWire();
    const answer = await wire.send('POST', ENDPOINTS, {body: endpoints('a', [subset({}, {appProtocol})])});
    expect([answer.status, answer.body.subsets[0].ports[0].appProtocol]).toEqual([201, appProtocol]);
    expect(answer.warnings).toHaveLength(1);
    expect(answer.warnings[0]).toContain('subsets[0].ports[0].appProtocol');
    expect(answer.warnings[0]).toContain(about);
  });

  test.each(CASES)('$id kubernetes: no warning about $appProtocol', async ({appProtocol}) => {
    await using wire = await startWire({compat: 'kubernetes'});
    const answer = await wire.send('POST', ENDPOINTS, {body: endpoints('a', [subset({}, {appProtocol})])});
    expect([answer.status, answer.warnings.filter(text => text.includes('appProtocol'))]).toEqual([201, []]);
  });

  test.each([{name: 'http'}, {name: 'https'}, {name: 'HTTP'}, {name: 'domain'}, {name: 'postgresql'}])(
    'E-095 the IANA name $name needs no advice',
    async ({name}) => {
      await using wire = await startWire();
      const answer = await wire.send('POST', ENDPOINTS, {body: endpoints('a', [subset({}, {appProtocol: name})])});
      expect([answer.status, answer.warnings]).toEqual([201, []]);
    },
  );
});
