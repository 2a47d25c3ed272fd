// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {kubeTypes} from '../gen/kube-types.ts';
import {encodeProtoMessage} from './encode.ts';
import {jsonToProtobuf} from './envelope.ts';

test.each([
  ['io.k8s.api.core.v1.EndpointPort', {port: -1}, '0a0010ffffffffffffffffff011a00'],
  ['io.k8s.api.core.v1.Endpoints', {subsets: [null]}, '0a100a0012001a0022002a003200380042001200'],
  ['io.k8s.api.rbac.v1.PolicyRule', {verbs: ['a', null]}, '0a01610a00'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector', {matchLabels: {a: null}}, '0a050a01611200'],
  [
    'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector',
    {matchLabels: {'\u{10000}': '', '\uffff': '', a: ''}},
    '0a050a016112000a070a03efbfbf12000a080a04f09080801200',
  ],
  ['io.k8s.api.authorization.v1.SubjectAccessReviewSpec', {extra: {a: null}}, '1a002a050a016112003200'],
])('%s of %j', (typeName, object, hex) => {
  expect(encodeProtoMessage(kubeTypes, typeName, object).toString('hex')).toBe(hex);
});

test('a time with microseconds keeps them', () => {
  const field = {name: 'at', proto: 1, type: {type: 'string', format: 'micro-time'}, go: '', doc: ''} as const;
  const types = {Timed: {name: 'Timed', doc: '', fields: [field]}};
  const bytes = encodeProtoMessage(types, 'Timed', {at: '1970-01-01T00:00:02.000003Z'});
  expect(bytes.toString('hex')).toBe('0a05080210b817');
});

test('lengths of one, two, three and four bytes', () => {
  const typeName = 'io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry';
  for (const length of [0, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152]) {
    const bytes = encodeProtoMessage(kubeTypes, typeName, {manager: 'x'.repeat(length)});
    const size = bytes.length - length - '\n\x12\0\x1a\0\x32\0\x42\0'.length;
    expect([length, size]).toEqual([length, Math.max(1, Math.ceil(Math.log2(length + 1) / 7))]);
  }
});

test('JSON that another version of the type wrote has the same bytes, without what the type does not have', () => {
  const typeName = 'io.k8s.api.core.v1.Endpoints';
  const of = (json: string): string =>
    jsonToProtobuf(kubeTypes, typeName, {kind: 'Endpoints', apiVersion: 'v1'}, Buffer.from(json)).toString('hex');
  const json = '{"metadata":{"name":"a","uid":"u"},"subsets":[{"ports":[{"port":80}]}]}';
  expect(of(json.replace('"name":"a","uid":"u"', '"uid":"u","clusterName":"old","name":"a"'))).toBe(of(json));
  expect(of(json.replace('"port":80', '"since":[{"a":"]}"}],"port":80'))).toBe(of(json));
  expect(of(json)).not.toContain(Buffer.from('TCP').toString('hex')); // no defaults
  expect(of('{"metadata":{"generation":9007199254740993}}')).toContain('388180808080808010');
});
