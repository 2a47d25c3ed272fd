// SPDX-License-Identifier: Apache-2.0
/** What an update shares with the live object is neither decoded nor encoded again: the bytes are the same as if it were. */
import {decodeValue, type JsonObject, kubeTypes} from '@palisade/kube-wire';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {KubeObject} from '../base/object.ts';
import {CachedObject} from '../cache/cached-object.ts';
import type {KindDefinition} from '../kind/kind.ts';
import {asKubeObject, encodeStored} from './object-codec.ts';

const kind = {
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  typeName: 'io.k8s.api.core.v1.Endpoints',
  types: kubeTypes,
} as KindDefinition;

const text = fc.string({unit: fc.constantFrom('a', '"', '}', ']', '\\', '<', 'é', ',', ':'), maxLength: 6});
const labels = fc.dictionary(text, text, {maxKeys: 3});
const subset = fc.record({
  addresses: fc.array(fc.record({ip: text, hostname: text}), {maxLength: 3}),
  ports: fc.array(fc.record({name: text, port: fc.nat(65_535)}), {maxLength: 2}),
});
const endpoints = fc.record({
  metadata: fc.record({name: text, uid: fc.constant('u-1'), labels, annotations: labels}),
  subsets: fc.array(subset, {maxLength: 3}),
});

const decoded = (value: JsonObject, live?: JsonObject): KubeObject =>
  asKubeObject(decodeValue(kubeTypes, kind.typeName, value, {live}).object);
const asJson = (object: KubeObject): JsonObject => object as unknown as JsonObject;

test('an update that shares lists with the live object is stored byte for byte as one that shares nothing', () => {
  fc.assert(
    fc.property(endpoints, endpoints, fc.boolean(), fc.boolean(), (first, second, keepSubsets, dropSubsets) => {
      const live = decoded(first as unknown as JsonObject);
      const cached = new CachedObject({namespace: '', name: 'x'}, encodeStored(kind, live), 1n, '1');
      const {subsets: _, ...withoutSubsets} = asJson(live);
      const rest = dropSubsets ? withoutSubsets : {...asJson(live), ...(keepSubsets ? {} : {subsets: second.subsets})};
      const patched = {...rest, metadata: {...second.metadata, uid: 'u-1'}} as unknown as JsonObject;
      const shared = decoded(patched, asJson(live));
      const anew = decoded(structuredClone(patched) as JsonObject);
      expect(shared).toEqual(anew);
      expect(encodeStored(kind, shared, {object: live, cached}).toString()).toBe(encodeStored(kind, anew).toString());
    }),
  );
});

test('what an update shares is taken as it is, and only lists are', () => {
  const live = decoded({metadata: {name: 'a'}, subsets: [{addresses: [{ip: '10.0.0.1'}], ports: [{port: 80}]}]});
  const draft = decoded({...asJson(live)}, asJson(live));
  expect(asJson(draft)['subsets']).toBe(asJson(live)['subsets']);
  expect(draft.metadata).not.toBe(live.metadata);
});
