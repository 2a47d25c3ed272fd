// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {decodeObject} from '../codec/decode.ts';
import {encodeJson} from '../codec/encode.ts';
import {kubeTypes} from '../gen/kube-types.ts';
import type {TypeTable} from '../schema.ts';
import {arbitraryObject, SAMPLE_TYPES} from '../testing/arbitrary-object.ts';
import {decodeProtobuf, encodeProtobuf, encodeWatchFrame, openEnvelope} from './envelope.ts';

const RUNS = {numRuns: 150, seed: 20260501};

const INT = {type: 'integer', format: 'int32'} as const;
const BOOL = {type: 'boolean'} as const;
const DOUBLE = {type: 'number'} as const;
const BYTES = {type: 'string', format: 'byte'} as const;
const ANY_TYPE = 'v1.AnyType';
const SCALARS = {INT, BOOL, DOUBLE, BYTES};
/** Every scalar alone, as a pointer, in a list and in a map: upstream's kinds here have none of them in lists. */
const ANY_TYPES: TypeTable = {
  [ANY_TYPE]: {
    name: ANY_TYPE,
    doc: '',
    fields: Object.entries(SCALARS).flatMap(([name, type], index) =>
      [
        {name, type},
        {name: `${name}Pointer`, type, pointer: true},
        {name: `${name}List`, type: {type: 'list', item: type, listType: 'atomic'} as const},
        {name: `${name}Map`, type: {type: 'map', value: type} as const},
      ].map((field, at) => ({...field, proto: index * 4 + at + 1, go: '', doc: ''})),
    ),
  },
};

/** Bytes that the generated Go code of k8s.io/api v0.36.3 writes for these objects. */
test.each([
  [
    'io.k8s.api.core.v1.Endpoints',
    '{"kind":"Endpoints","apiVersion":"v1","metadata":{"name":"a","namespace":"d","uid":"u","creationTimestamp":"2020-01-02T03:04:05Z","labels":{"b":"1","a":"2"},"managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:subsets":{}}}]},"subsets":[{"addresses":[{"ip":"10.0.0.1","nodeName":""}],"ports":[{"port":80,"protocol":"TCP"}]}]}',
    '6b3873000a0f0a0276311209456e64706f696e7473127c0a5d0a016112001a016422002a017532003800420808a5bbb5f00510005a060a01611201325a060a01621201318a012f0a016d12065570646174651a02763132084669656c647356313a120a107b22663a73756273657473223a7b7d7d4200121b0a0e0a0831302e302e302e311a0022001a090a0010501a035443501a002200',
  ],
  [
    'io.k8s.api.authorization.v1.SubjectAccessReview',
    '{"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{"user":"u","extra":{"k":["x","y"]}}}',
    '6b3873000a2e0a17617574686f72697a6174696f6e2e6b38732e696f2f763112135375626a65637441636365737352657669657712300a100a0012001a0022002a0032003800420012121a01752a0b0a016b12060a01780a017932001a08080012001a0020001a002200',
  ],
])('%s has the bytes of the generated Go code', (typeName, json, hex) => {
  const {object} = decodeObject(kubeTypes, typeName, json);
  expect(encodeProtobuf(kubeTypes, typeName, object).toString('hex')).toBe(hex);
});

test("a message that is cut short is refused in Go's words", () => {
  const type = 'io.k8s.api.core.v1.Endpoints';
  const {object} = decodeObject(kubeTypes, type, '{"kind":"Endpoints","apiVersion":"v1","metadata":{"name":"a"}}');
  const message = openEnvelope(encodeProtobuf(kubeTypes, type, object));
  const cut = {...message, raw: message.raw.subarray(0, -1)};
  expect(() => decodeProtobuf(kubeTypes, type, cut)).toThrow(/^unexpected EOF$/);
});

describe.each([...SAMPLE_TYPES.map(name => [name, kubeTypes] as const), [ANY_TYPE, ANY_TYPES] as const])(
  '%s',
  (typeName, types) => {
    test('JSON to protobuf and back is the same object', () => {
      fc.assert(
        fc.property(arbitraryObject(types, typeName), sent => {
          const {object} = decodeObject(types, typeName, JSON.stringify({...sent, kind: 'K', apiVersion: 'g/v1'}));
          const bytes = encodeProtobuf(types, typeName, object);
          const back = decodeProtobuf(types, typeName, openEnvelope(bytes));
          expect(withoutEmptyLists(types, typeName, back)).toBe(withoutEmptyLists(types, typeName, object));
        }),
        RUNS,
      );
    });

    test('bytes are decoded or refused, never anything else', () => {
      const whole = arbitraryObject(types, typeName).map(o => encodeProtobuf(types, typeName, o));
      const damaged = fc.tuple(whole, fc.nat(), fc.integer({min: 0, max: 255})).map(([bytes, at, value]) => {
        const copy = Buffer.from(bytes);
        copy[4 + (at % (copy.length - 4))] = value;
        return copy;
      });
      fc.assert(
        fc.property(damaged, bytes => {
          try {
            decodeProtobuf(types, typeName, openEnvelope(bytes));
          } catch (error) {
            expect((error as Error).name).toBe('ProtoError');
          }
        }),
        RUNS,
      );
    });
  },
);

/** JSON tells an empty list from none where a list has no `omitempty`; most lists of protobuf do not. Items have no kind there. */
function withoutEmptyLists(types: TypeTable, typeName: string, object: object): string {
  const text = JSON.stringify(object, (name, value) => {
    if (name === 'items' && value?.length > 0)
      return value.map((item: object) => ({...item, kind: '', apiVersion: ''}));
    return Array.isArray(value) && value.length === 0 ? null : value;
  });
  return encodeJson(types, typeName, JSON.parse(text) as never);
}

describe('numbers and bytes', () => {
  const message = (hex: string) => ({kind: '', apiVersion: '', raw: Buffer.from(hex, 'hex')});
  const decoded = (hex: string) => decodeProtobuf(ANY_TYPES, ANY_TYPE, message(hex));

  test('in lists come one by one or packed', () => {
    const ints = {INTList: [1, 300, -1]};
    expect(decoded('180118ac0218ffffffffffffffffff01')).toEqual(ints);
    expect(decoded('1a0d01ac02ffffffffffffffffff01')).toEqual(ints);
    expect(decoded('18011a0102')).toEqual({INTList: [1, 2]});
    expect(decoded('59000000000000f83f')).toEqual({DOUBLEList: [1.5]});
    expect(decoded('5a10000000000000f83f000000000000e0bf')).toEqual({DOUBLEList: [1.5, -0.5]});
    expect(() => decoded('5a07000000000000f8')).toThrow(expect.objectContaining({name: 'ProtoError'}));
    expect(() => decoded('1d00000000')).toThrow('proto: wrong wireType = 5 for field INTList');
    expect(() => decoded('7801')).toThrow('proto: wrong wireType = 0 for field BYTESList');
  });

  test('that JSON cannot say are refused', () => {
    expect(() => decoded('49000000000000f07f')).toThrow('proto: Infinity cannot be encoded as JSON');
  });

  test('are written as the generated Go code writes them: zeros where there is no pointer, no unset bytes', () => {
    const hex = encodeProtobuf(ANY_TYPES, ANY_TYPE, {BYTES: '/+8=', INTList: [1, 300]}).toString('hex');
    expect(hex).toContain('0800180118ac022800490000000000000000' + '6a02ffef');
    expect(encodeProtobuf(ANY_TYPES, ANY_TYPE, {}).toString('hex')).toContain('080028004900000000000000001a00');
  });
});

test('a body without an envelope is refused in upstream words', () => {
  expect(() => openEnvelope(Buffer.from(''))).toThrow('empty data');
  expect(() => openEnvelope(Buffer.from('k8s\0'))).toThrow('empty body');
  expect(() => openEnvelope(Buffer.from('{}'))).toThrow(
    'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
  );
});

test('a number of 64 bits survives', () => {
  const typeName = 'io.k8s.api.core.v1.Endpoints';
  for (const generation of [9007199254740993n, -(2n ** 63n), 2n ** 63n - 1n, 2147483648, 128, 127, 16384]) {
    const bytes = encodeProtobuf(kubeTypes, typeName, {metadata: {generation}});
    expect(decodeProtobuf(kubeTypes, typeName, openEnvelope(bytes))['metadata']).toEqual({generation});
  }
});

test('a number of more than 64 bits is refused', () => {
  const raw = Buffer.from('10ffffffffffffffffffff01', 'hex');
  const read = () => decodeProtobuf(kubeTypes, 'io.k8s.api.core.v1.EndpointPort', {kind: '', apiVersion: '', raw});
  expect(read).toThrow(expect.objectContaining({name: 'ProtoError'}));
});

test('unknown fields are skipped', () => {
  const typeName = 'io.k8s.api.core.v1.EndpointPort';
  const unknown = Buffer.from([
    0xa0, 0x06, 0x01, 0xaa, 0x06, 0x01, 0x78, 0xb5, 0x06, 1, 2, 3, 4, 0xb3, 0x06, 0x08, 0x01, 0xb4, 0x06,
  ]);
  const raw = Buffer.concat([unknown, Buffer.from([0x10, 80])]);
  expect(decodeProtobuf(kubeTypes, typeName, {kind: '', apiVersion: '', raw}, {defaults: false})).toEqual({port: 80});
});

test.each([
  ['is cut off within a length', '0a'],
  ['is cut off within a text', '0a056162'],
  ['is cut off within a number', '10ff'],
  ['has field number 0', '0001'],
  ['has an unknown wire type', '17'],
  ['ends a group that did not begin', '14'],
  ['has an unknown group that does not end', 'b306'],
  ['has unknown groups within each other', 'b306'.repeat(1_000_000)],
  ['has text that is cut off in an unknown field', 'aa06ffffffff0f'],
])('a message that %s is refused', (_, hex) => {
  const raw = Buffer.from(hex, 'hex');
  expect(() => decodeProtobuf(kubeTypes, 'io.k8s.api.core.v1.EndpointPort', {kind: '', apiVersion: '', raw})).toThrow(
    expect.objectContaining({name: 'ProtoError'}),
  );
  expect(() => openEnvelope(Buffer.concat([Buffer.from('k8s\0'), raw]))).toThrow(
    expect.objectContaining({name: 'ProtoError'}),
  );
});

test('a watch frame has its length, the type and the enveloped object', () => {
  const object = Buffer.from('k8s\0xyz');
  const frame = encodeWatchFrame('ADDED', object);
  expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
  expect(frame.subarray(4).toString('hex')).toBe(
    `0a05${Buffer.from('ADDED').toString('hex')}1209${'0a07'}${object.toString('hex')}`,
  );
});

test('48-6 an entry of a map that has no value gets an empty one, as in Go', () => {
  const entry = (field: number, key: string): Buffer =>
    Buffer.concat([Buffer.from([field * 8 + 2, key.length + 2, 1 * 8 + 2, key.length]), Buffer.from(key)]);
  const data = {apiVersion: 'v1', kind: 'Secret', raw: entry(2, 'a')};
  expect(decodeProtobuf(kubeTypes, 'io.k8s.api.core.v1.Secret', data)).toMatchObject({data: {a: ''}});
  const text = {apiVersion: 'v1', kind: 'ConfigMap', raw: entry(2, 'b')};
  expect(decodeProtobuf(kubeTypes, 'io.k8s.api.core.v1.ConfigMap', text)).toMatchObject({data: {b: ''}});
});
