// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {kubeTypes} from '../gen/kube-types.ts';
import {decodeJson, decodeObject, decodeValue, wasSentEmpty} from './decode.ts';
import {encodeJson} from './encode.ts';

const ENDPOINTS = 'io.k8s.api.core.v1.Endpoints';
const NAMESPACE = 'io.k8s.api.core.v1.Namespace';
const ROLE = 'io.k8s.api.rbac.v1.Role';

const decode = (body: string | Uint8Array, type = ENDPOINTS) => decodeObject(kubeTypes, type, body, {defaults: false});
const roundTrip = (body: string | Uint8Array, type = ENDPOINTS) =>
  encodeJson(kubeTypes, type, decode(body, type).object);

describe('what is refused, in the words of the Go decoder', () => {
  test.each([
    [
      'a string for a number',
      '{"subsets":[{"ports":[{"port":"80"}]}]}',
      'json: cannot unmarshal string into Go struct field EndpointPort.subsets.ports.port of type int32',
    ],
    [
      'a number beyond 32 bits',
      '{"subsets":[{"ports":[{"port":2147483648}]}]}',
      'json: cannot unmarshal number 2147483648 into Go struct field EndpointPort.subsets.ports.port of type int32',
    ],
    [
      'an exponent, though its value is whole',
      '{"subsets":[{"ports":[{"port":8e1}]}]}',
      'json: cannot unmarshal number 8e1 into Go struct field EndpointPort.subsets.ports.port of type int32',
    ],
    [
      'a fraction of zero',
      '{"subsets":[{"ports":[{"port":80.0}]}]}',
      'json: cannot unmarshal number 80.0 into Go struct field EndpointPort.subsets.ports.port of type int32',
    ],
    [
      'a number beyond 64 bits',
      '{"metadata":{"generation":9223372036854775808}}',
      'json: cannot unmarshal number 9223372036854775808 into Go struct field ObjectMeta.metadata.generation of type int64',
    ],
    [
      'an object for a list',
      '{"subsets":{"a":1}}',
      'json: cannot unmarshal object into Go struct field Endpoints.subsets of type []v1.EndpointSubset',
    ],
    [
      'a string for a struct in a list',
      '{"subsets":[{"addresses":["10.0.0.1"]}]}',
      'json: cannot unmarshal string into Go struct field EndpointSubset.subsets.addresses of type v1.EndpointAddress',
    ],
    [
      'a list for a map',
      '{"metadata":{"labels":["a"]}}',
      'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    [
      'a number in a map of strings',
      '{"metadata":{"labels":{"a":1}}}',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      'a named string',
      '{"metadata":{"uid":5}}',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.uid of type types.UID',
    ],
    [
      'a pointer',
      '{"subsets":[{"addresses":[{"nodeName":[]}]}]}',
      'json: cannot unmarshal array into Go struct field EndpointAddress.subsets.addresses.nodeName of type string',
    ],
    [
      'an embedded field',
      '{"kind":1}',
      'json: cannot unmarshal number into Go struct field Endpoints.TypeMeta.kind of type string',
    ],
    [
      'the first of two faults',
      '{"metadata":"x","subsets":"y"}',
      'json: cannot unmarshal string into Go struct field Endpoints.metadata of type v1.ObjectMeta',
    ],
    ['no object at all', '[]', 'json: cannot unmarshal array into Go value of type v1.Endpoints'],
    [
      'a time that is none',
      '{"metadata":{"creationTimestamp":"x"}}',
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [
      'a month that is none',
      '{"metadata":{"creationTimestamp":"2020-13-02T03:04:05Z"}}',
      'parsing time "2020-13-02T03:04:05Z": month out of range',
    ],
    [
      'a day that is none',
      '{"metadata":{"creationTimestamp":"2021-02-29T00:00:00Z"}}',
      'parsing time "2021-02-29T00:00:00Z": day out of range',
    ],
    [
      'a year that only UTC does not have',
      '{"metadata":{"creationTimestamp":"9999-12-31T23:59:59-23:59"}}',
      'parsing time "9999-12-31T23:59:59-23:59": year outside of [0,9999] in UTC',
    ],
    [
      'a time of another type, before an earlier fault',
      '{"metadata":{"labels":1,"creationTimestamp":2}}',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
    ['an open brace', '{', 'unexpected end of JSON input'],
    ['nothing', '', 'unexpected end of JSON input'],
    ['a comma too many', '{"metadata":{},}', "invalid character '}' looking for beginning of object key string"],
    ['single quotes', "{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ['text after the value', '{} x', "invalid character 'x' after top-level value"],
    ['half a literal', '{"metadata":nul', "invalid character ' ' in literal null (expecting 'l')"],
    ['a control character', '{"a":"\n"}', "invalid character '\\n' in string literal"],
    ['an unknown escape', '"\\q"', "invalid character 'q' in string escape code"],
    ['a leading zero', '{"a":01}', "invalid character '1' after object key:value pair"],
  ])('%s', (_, body, message) => {
    expect(() => decode(body)).toThrow(expect.objectContaining({name: 'DecodeError', message}));
  });

  test('but no number within what Go keeps as bytes', () => {
    const of = (fields: string): string => `{"metadata":{"managedFields":[{"fieldsV1":${fields}}]}}`;
    for (const fields of ['1E400', '{"f:a":[-1E400]}']) expect(() => decode(of(fields))).not.toThrow();
  });

  test('nesting beyond 10,000 levels', () => {
    expect(() => decode('['.repeat(10_001))).toThrow(/exceeded max depth/);
    expect(() => decode(`{"x":${'['.repeat(9_000)}${']'.repeat(9_000)}}`)).not.toThrow();
  });

  test('a value that would be kept, nested beyond 1,000 levels', () => {
    const fields = `${'{"a":'.repeat(1_200)}1${'}'.repeat(1_200)}`;
    expect(() => decode(`{"metadata":{"managedFields":[{"fieldsV1":${fields}}]}}`)).toThrow(/exceeded max depth/);
  });
});

describe('strict errors', () => {
  test('unknown fields by their path, in order of appearance', () => {
    const body =
      '{"spec":1,"metadata":{"bogus":1,"Labels":{}},"subsets":[{"addresses":[{"ip":"10.0.0.1","zone":"z"}]}]}';
    expect(decode(body).strictErrors).toEqual([
      'unknown field "spec"',
      'unknown field "metadata.bogus"',
      'unknown field "metadata.Labels"',
      'unknown field "subsets[0].addresses[0].zone"',
    ]);
  });

  test('duplicate fields once each, and the last one wins', () => {
    const body =
      '{"metadata":{"name":"a","labels":{"x":"1","x":"2","x":"3"},"name":"b"},"subsets":[{"ports":[{"port":1,"port":2}]}]}';
    const {object, strictErrors} = decode(body);
    expect(strictErrors).toEqual([
      'duplicate field "metadata.labels.x"',
      'duplicate field "metadata.name"',
      'duplicate field "subsets[0].ports[0].port"',
    ]);
    expect(object).toEqual({metadata: {name: 'b', labels: {x: '3'}}, subsets: [{ports: [{port: 2}]}]});
  });

  test('a repeated object merges into the first', () => {
    const {object} = decode('{"metadata":{"name":"a","labels":{"x":"1"}},"metadata":{"labels":{"y":"2"}}}');
    expect(object).toEqual({metadata: {name: 'a', labels: {x: '1', y: '2'}}});
  });

  test('a name spelled with an escape is the same name', () => {
    expect(decode('{"metadata":{"name":"a","n\\u0061me":"b"}}').strictErrors).toEqual([
      'duplicate field "metadata.name"',
    ]);
  });

  test('no more than a hundred', () => {
    const body = `{${Array.from({length: 150}, (_, i) => `"u${i}":1`).join(',')}}`;
    expect(decode(body).strictErrors).toHaveLength(100);
  });

  test('E-114 a name that is dropped on purpose gives none', () => {
    const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
    const types = {...kubeTypes, [meta]: {...kubeTypes[meta]!, ignored: ['clusterName']}};
    const {object, strictErrors} = decodeObject(
      types,
      ENDPOINTS,
      '{"metadata":{"name":"a","clusterName":{"x":1,"y":[2]}}}',
    );
    expect(strictErrors).toEqual([]);
    expect(object).toEqual({metadata: {name: 'a'}});
    expect(decode('{"metadata":{"clusterName":"c"}}').strictErrors).toEqual(['unknown field "metadata.clusterName"']);
  });
});

describe('the kept form', () => {
  test.each([
    [
      'empty values are left out',
      '{"metadata":{"name":"","labels":{},"finalizers":[]},"subsets":[]}',
      '{"metadata":{}}',
    ],
    ['null counts as absent', '{"metadata":{"labels":null,"name":null},"subsets":null}', '{"metadata":{}}'],
    [
      'a pointer to an empty value stays',
      '{"subsets":[{"addresses":[{"nodeName":""}],"ports":[{"appProtocol":""}]}]}',
      '{"metadata":{},"subsets":[{"addresses":[{"ip":"","nodeName":""}],"ports":[{"port":0,"appProtocol":""}]}]}',
    ],
    [
      'a pointer to null goes',
      '{"subsets":[{"addresses":[{"nodeName":null,"targetRef":{}}]}]}',
      '{"metadata":{},"subsets":[{"addresses":[{"ip":"","targetRef":{}}]}]}',
    ],
    ['a null item is an empty struct', '{"subsets":[null]}', '{"metadata":{},"subsets":[{}]}'],
    ['a null in a map is an empty string', '{"metadata":{"labels":{"a":null}}}', '{"metadata":{"labels":{"a":""}}}'],
    [
      'times become UTC seconds',
      '{"metadata":{"creationTimestamp":"2020-01-02T03:04:05.9+02:00"}}',
      '{"metadata":{"creationTimestamp":"2020-01-02T01:04:05Z"}}',
    ],
    [
      'fields are in the order of the struct',
      '{"subsets":[],"metadata":{"namespace":"n","name":"a"},"apiVersion":"v1","kind":"Endpoints"}',
      '{"kind":"Endpoints","apiVersion":"v1","metadata":{"name":"a","namespace":"n"}}',
    ],
    [
      'minus zero is zero',
      '{"metadata":{"deletionGracePeriodSeconds":-0}}',
      '{"metadata":{"deletionGracePeriodSeconds":0}}',
    ],
    [
      '64-bit numbers are exact',
      '{"metadata":{"generation":9007199254740993}}',
      '{"metadata":{"generation":9007199254740993}}',
    ],
    [
      'raw JSON keeps its order',
      '{"metadata":{"managedFields":[{"fieldsV1":{"f:z":{},"f:a":{}}}]}}',
      '{"metadata":{"managedFields":[{"fieldsV1":{"f:z":{},"f:a":{}}}]}}',
    ],
    ['lone surrogates are replaced', '{"metadata":{"name":"\\ud800x"}}', '{"metadata":{"name":"\ufffdx"}}'],
    ['pairs of surrogates are not', '{"metadata":{"name":"\\ud83d\\ude00"}}', '{"metadata":{"name":"😀"}}'],
  ])('%s', (_, body, want) => expect(roundTrip(body)).toBe(want));

  test('structs and lists that Go always writes are written', () => {
    expect(roundTrip('{}', NAMESPACE)).toBe('{"metadata":{},"spec":{},"status":{}}');
    expect(roundTrip('{}', ROLE)).toBe('{"metadata":{},"rules":null}');
    expect(roundTrip('{"rules":[]}', ROLE)).toBe('{"metadata":{},"rules":[]}');
  });

  test('E-271 every byte that is no UTF-8 becomes one replacement character', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"metadata":{"name":"a'),
      Buffer.from([0xe6, 0x97]),
      Buffer.from('b"}}'),
    ]);
    expect(decode(bytes).object).toEqual({metadata: {name: 'a\ufffd\ufffdb'}});
    expect(decodeJson(bytes, {spelling: 'leaves'}).value).toEqual({metadata: {name: 'a\ufffd\ufffdb'}});
  });

  test('__proto__ is a key like any other', () => {
    const {object} = decode('{"metadata":{"annotations":{"__proto__":"x","a":"b"}}}');
    const annotations = (object['metadata'] as {annotations: object}).annotations;
    expect(Object.keys(annotations).sort()).toEqual(['__proto__', 'a']);
    expect(({} as {x?: string}).x).toBeUndefined();
  });

  test('E-086 the protocol of a port defaults to TCP, also for null and empty', () => {
    const body =
      '{"subsets":[{"ports":[{"port":1},{"port":2,"protocol":null},{"port":3,"protocol":""},{"port":4,"protocol":"UDP"}]}]}';
    const ports = (o: object) =>
      (o as {subsets: [{ports: {protocol?: string}[]}]}).subsets[0].ports.map(p => p.protocol);
    expect(ports(decodeObject(kubeTypes, ENDPOINTS, body).object)).toEqual(['TCP', 'TCP', 'TCP', 'UDP']);
    const plain = decode(body).object;
    expect(ports(plain)).toEqual([undefined, undefined, undefined, 'UDP']);
    expect(ports(decodeValue(kubeTypes, ENDPOINTS, plain).object)).toEqual(['TCP', 'TCP', 'TCP', 'UDP']);
  });
});

describe('other inputs', () => {
  test('a value that was made here is checked like text', () => {
    expect(() => decodeValue(kubeTypes, ENDPOINTS, {subsets: [{ports: [{port: '80'}]}]})).toThrow(
      'json: cannot unmarshal string into Go struct field EndpointPort.subsets.ports.port of type int32',
    );
    expect(decodeValue(kubeTypes, ENDPOINTS, {spec: 1, metadata: {name: 'a'}}).strictErrors).toEqual([
      'unknown field "spec"',
    ]);
    expect(decodeValue(kubeTypes, ENDPOINTS, {metadata: {generation: 2n ** 60n}}).object).toEqual({
      metadata: {generation: 2n ** 60n},
    });
  });

  test('untyped JSON names its duplicates and keeps whole numbers exact', () => {
    const {value, duplicates} = decodeJson('[{"op":"add","op":"test","value":9007199254740993}]');
    expect(value).toEqual([{op: 'test', value: 9007199254740993n}]);
    expect(duplicates).toEqual(['[0].op']);
    expect(() => decodeJson('{')).toThrow('unexpected end of JSON input');
  });

  test.each([
    ['1', '1.5'],
    ['"a"', '"\\u0061"'],
    ['{"a":1}', '{"\\u0061":1}'],
  ])('untyped JSON may be as deep around %s as around %s', (plain, spelled) => {
    const depthMax = (core: string): number => {
      const isRead = (depth: number): boolean => {
        try {
          decodeJson('['.repeat(depth) + core + ']'.repeat(depth));
          return true;
        } catch {
          return false;
        }
      };
      return [995, 996, 997, 998, 999, 1000, 1001, 1002].findLast(isRead) ?? 0;
    };
    expect(depthMax(plain)).toBe(depthMax(spelled));
    expect(depthMax(plain)).toBeGreaterThan(995);
  });
});

test.each(['.1', '.999999999', ''])(
  'the first second of year 1, written with "%s" behind it, is the unset time',
  fraction => {
    const time = `0001-01-01T00:00:00${fraction}Z`;
    const json = JSON.stringify({metadata: {name: 'q', creationTimestamp: time, deletionTimestamp: time}});
    expect(decodeObject(kubeTypes, 'io.k8s.api.core.v1.Endpoints', json).object).toEqual({metadata: {name: 'q'}});
  },
);

describe('times with microseconds', () => {
  const LEASE = 'io.k8s.api.coordination.v1.Lease';
  const bodyOf = (time: string): string => JSON.stringify({metadata: {name: 'a'}, spec: {renewTime: time}});

  test.each([
    ['2020-01-02T03:04:05.678901Z', '2020-01-02T03:04:05.678901Z'],
    ['2020-01-02T05:04:05.678901+02:00', '2020-01-02T03:04:05.678901Z'],
    ['2020-01-02T3:04:05.678901Z', '2020-01-02T03:04:05.678901Z'],
    ['2020-01-02T03:04:05,678901Z', '2020-01-02T03:04:05.678901Z'],
  ])('45-1 %s is kept as %s', (sent, kept) => {
    expect(decode(bodyOf(sent), LEASE).object['spec']).toEqual({renewTime: kept});
  });

  test('45-1 the zero time is no time', () => {
    expect(decode(bodyOf('0001-01-01T00:00:00.000000Z'), LEASE).object['spec']).toEqual({});
  });

  test.each(['2020-01-02T03:04:05Z', '2020-02-30T03:04:05.678901Z', '2020-01-02T24:04:05.678901Z'])(
    '45-1 %s is refused',
    sent => expect(() => decode(bodyOf(sent), LEASE)).toThrow(`parsing time "${sent}"`),
  );
});

describe('45-1 an empty map is left out, and it is known that it was sent', () => {
  const SECRET = 'io.k8s.api.core.v1.Secret';
  test.each<[string, boolean]>([
    ['{"data":{}}', true],
    ['{"data":{},"data":{}}', true],
    ['{"data":null}', false],
    ['{"data":{"k":""}}', false],
    ['{"stringData":{}}', false],
    ['{}', false],
  ])('%s: %s', (body, sent) => expect(wasSentEmpty(decode(body, SECRET).object, 'data')).toBe(sent));
});

describe('45-1 bytes as a list of numbers', () => {
  const SECRET = 'io.k8s.api.core.v1.Secret';
  const dataOf = (value: string) => decode(`{"data":{"k":${value}}}`, SECRET).object['data'];

  test.each([
    ['[0,255,null]', 'AP8A'],
    ['[]', ''],
  ])('%s is %s', (value, base64) => expect(dataOf(value)).toEqual({k: base64}));

  test.each([
    ['[256]', 'number 256'],
    ['[-1]', 'number -1'],
    ['[1.5]', 'number 1.5'],
    ['["x"]', 'string'],
    ['[true]', 'bool'],
    ['[[]]', 'array'],
    ['[{}]', 'object'],
  ])('%s is refused', (value, what) =>
    expect(() => dataOf(value)).toThrow(
      `json: cannot unmarshal ${what} into Go struct field Secret.data of type uint8`,
    ),
  );
});
