// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {encodeJson} from '../codec/encode.ts';
import {kubeTypes} from '../gen/kube-types.ts';
import {parseGoTime, secondsAt} from '../go/time.ts';
import {arbitraryObject, SAMPLE_TYPES} from '../testing/arbitrary-object.ts';
import {Transcoder} from './transcode.ts';

const RUNS = {numRuns: 100, seed: 20261127};

const messageOf = (typeName: string, json: Buffer, room: number): Buffer => {
  const transcoder = new Transcoder(kubeTypes, room);
  transcoder.message(typeName, json);
  return transcoder.take();
};

test.each(SAMPLE_TYPES)('E-272 %s has the same bytes however little room there was', typeName => {
  const jsons = arbitraryObject(kubeTypes, typeName).map(object =>
    Buffer.from(encodeJson(kubeTypes, typeName, object)),
  );
  fc.assert(
    fc.property(jsons, json => {
      expect(messageOf(typeName, json, 0).equals(messageOf(typeName, json, 1 << 20))).toBe(true);
    }),
    RUNS,
  );
});

test.each(SAMPLE_TYPES)('the JSON of %s that is cut off ends with an error', typeName => {
  const cut = fc
    .tuple(arbitraryObject(kubeTypes, typeName), fc.nat())
    .map(([object, at]) => Buffer.from(encodeJson(kubeTypes, typeName, object)).subarray(0, -1 - at))
    .filter(json => json.length > 0);
  fc.assert(
    fc.property(cut, json => {
      expect(() => messageOf(typeName, json, 0)).toThrow();
    }),
    RUNS,
  );
});

test('nothing is written of what fails, and what comes after it is whole', () => {
  const transcoder = new Transcoder(kubeTypes);
  const typeName = 'io.k8s.api.core.v1.EndpointPort';
  expect(() => transcoder.message(typeName, Buffer.from('{"name":"a","port":'))).toThrow();
  transcoder.message(typeName, Buffer.from('{"port":1}'));
  expect(transcoder.take().toString('hex')).toBe('0a0010011a00');
});

test('lengths of one, two, three and four bytes stand in front of texts, structs and raw JSON', () => {
  const typeName = 'io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry';
  for (const length of [0, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152]) {
    const bytes = messageOf(typeName, Buffer.from(`{"manager":"${'x'.repeat(length)}"}`), 0);
    const size = bytes.length - length - '\n\x12\0\x1a\0\x32\0\x42\0'.length;
    expect([length, size]).toEqual([length, Math.max(1, Math.ceil(Math.log2(length + 1) / 7))]);
  }
});

test('JSON that another version of the type wrote is sorted first, and what the type does not have is left out', () => {
  const typeName = 'io.k8s.api.core.v1.Endpoints';
  const inOrder = '{"metadata":{"name":"a","uid":"u"},"subsets":[{"ports":[{"port":80,"protocol":"TCP"}]}]}';
  const wanted = messageOf(typeName, Buffer.from(inOrder), 0);
  for (const other of [
    inOrder.replace('"port":80,"protocol":"TCP"', '"protocol":"TCP","port":80'),
    inOrder.replace('"uid":"u"', '"uid":"u","clusterName":"old"'),
    inOrder.replace('"port":80', '"port":80,"since":[{"a":"]}"}]'),
  ])
    expect(messageOf(typeName, Buffer.from(other), 0).equals(wanted)).toBe(true);
  const transcoder = new Transcoder(kubeTypes);
  const both = Buffer.from(`${inOrder.replace('"uid"', '"old":1,"uid"')}${inOrder}`);
  const end = transcoder.member(2, typeName, both);
  expect(transcoder.member(2, typeName, both, end)).toBe(both.length);
  const member = Buffer.concat([Buffer.from([0x12, wanted.length]), wanted]);
  expect(transcoder.take().equals(Buffer.concat([member, member]))).toBe(true);
});

test.each([
  ['io.k8s.api.core.v1.EndpointPort', '{"port":-1}', '0a0010ffffffffffffffffff011a00'],
  ['io.k8s.api.core.v1.Endpoints', '{"subsets":[null]}', '0a100a0012001a0022002a0032003800420012' + '00'],
  ['io.k8s.api.rbac.v1.PolicyRule', '{"verbs":["a",null]}', '0a01610a00'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector', '{"matchLabels":{"a":null}}', '0a050a01611200'],
  ['io.k8s.api.authorization.v1.SubjectAccessReviewSpec', '{"extra":{"a":null}}', '1a002a050a01611200' + '3200'],
])('%s of %s', (typeName, json, hex) => {
  expect(messageOf(typeName, Buffer.from(json), 0).toString('hex')).toBe(hex);
});

test('a time with microseconds keeps them', () => {
  const field = {name: 'at', proto: 1, type: {type: 'string', format: 'micro-time'}, go: '', doc: ''} as const;
  const transcoder = new Transcoder({Timed: {name: 'Timed', doc: '', fields: [field]}});
  transcoder.message('Timed', Buffer.from('{"at":"1970-01-01T00:00:02.000003Z"}'));
  expect(transcoder.take().toString('hex')).toBe('0a05080210b817');
});

test('a time in its usual form is read from the bytes as from the text', () => {
  const seconds = fc.integer({min: -62_167_219_200, max: 253_402_300_799});
  fc.assert(
    fc.property(seconds, at => {
      const text = `${new Date(at * 1000).toISOString().slice(0, -5)}Z`;
      expect(secondsAt(Buffer.from(`"${text}"`), 1)).toBe(at);
      expect(parseGoTime(text, 'date-time').seconds).toBe(at);
    }),
    RUNS,
  );
  for (const other of ['2020-01-02T03:04:05.5Z', '2020-01-02T03:04:05+01:00', '']) {
    expect(secondsAt(Buffer.from(`"${other}"`), 1)).toBe(undefined);
  }
});
