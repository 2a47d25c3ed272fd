// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {encodeJson} from '../codec/encode.ts';
import {kubeTypes} from '../gen/kube-types.ts';
import {arbitraryObject} from '../testing/arbitrary-object.ts';
import {encodeProtobuf} from './envelope.ts';
import {ProtobufList} from './list.ts';

const ITEM = 'io.k8s.api.core.v1.Endpoints';
const LIST = `${ITEM}List`;
const NUMBERS: Readonly<Record<string, number>> = {items: 1, metadata: 2};
/** As meta.k8s.io/v1beta1 numbers them: the items come first. */
const ITEMS_FIRST = {
  ...kubeTypes,
  [LIST]: {
    name: LIST,
    doc: '',
    fields: (kubeTypes[LIST]?.fields ?? []).map(field => ({...field, proto: NUMBERS[field.name] ?? field.proto})),
  },
};

test.each([
  ['metadata', kubeTypes],
  ['items', ITEMS_FIRST],
])('E-272 a list made some items at a time has the bytes of the whole, with %s first', (_first, types) => {
  const meta = fc.record({
    resourceVersion: fc.constantFrom('1', '300'),
    continue: fc.constantFrom('', 'x'.repeat(200)),
  });
  const groups = fc.array(fc.array(arbitraryObject(types, ITEM), {maxLength: 3}), {maxLength: 4});
  fc.assert(
    fc.property(meta, groups, (metadata, steps) => {
      const named = {kind: 'EndpointsList', apiVersion: 'v1'};
      const list = new ProtobufList(types, LIST);
      const items = steps.map(step => list.items(step.map(item => Buffer.from(encodeJson(types, ITEM, item)))));
      const {start, end} = list.around(named, metadata, Buffer.concat(items).length);
      const whole = encodeProtobuf(types, LIST, {...named, metadata, items: steps.flat()});
      expect(Buffer.concat([start, ...items, end]).equals(whole)).toBe(true);
    }),
    {numRuns: 100, seed: 20261126},
  );
});
