// SPDX-License-Identifier: Apache-2.0
/** What reading must keep: an unchanged object is no drift, and importing gives back what was written. */
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {diffProperties} from '../detailed-diff.ts';
import {isPropertyList, isPropertyMap, type PropertyMap, type PropertyValue} from '../value.ts';
import {ENDPOINTS} from './endpoints.ts';
import * as kube from './kube/kube-inputs.ts';

const toComparable = (written: PropertyMap) => kube.toComparable(ENDPOINTS, written);
const endpointsPatch = (old: PropertyMap, next: PropertyMap) => kube.patchOf(ENDPOINTS, old, next, 'u');

const name = fc.constantFrom('a', 'b', 'web', 'x-1');
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, {nil: undefined, freq: 2});
const address = fc.record(
  {
    ip: fc.constantFrom('10.0.0.1', '10.0.0.2', 'fd00::1'),
    hostname: fc.constantFrom('', 'h'),
    targetRef: fc.constantFrom({}, {kind: 'Pod', name: 'p'}),
  },
  {requiredKeys: ['ip']},
);
const port = fc.record(
  {port: fc.constantFrom(80, 443), name: fc.constantFrom('', 'http'), protocol: fc.constantFrom('TCP', 'UDP', '')},
  {requiredKeys: ['port']},
);
const subset = fc.record(
  {
    addresses: fc.array(address, {maxLength: 3}),
    notReadyAddresses: fc.array(address, {maxLength: 2}),
    ports: fc.array(port, {maxLength: 3}),
  },
  {requiredKeys: []},
);
const strings = fc.dictionary(fc.constantFrom('a', 'b/c', 'd.e/f'), fc.constantFrom('', 'x', 'y'), {maxKeys: 3});
const owner = fc.record(
  {
    apiVersion: fc.constant('v1'),
    kind: fc.constant('A'),
    name,
    uid: fc.constantFrom('1', '2'),
    controller: fc.boolean(),
  },
  {requiredKeys: ['apiVersion', 'kind', 'name', 'uid']},
);
const inputs = fc
  .record({
    metadata: fc.record(
      {
        name,
        namespace: optional(fc.constantFrom('', 'default', 'shop')),
        labels: optional(strings),
        annotations: optional(strings),
        finalizers: optional(fc.uniqueArray(fc.constantFrom('x.y/a', 'x.y/b'))),
        ownerReferences: optional(fc.uniqueArray(owner, {selector: o => o.uid})),
      },
      {requiredKeys: ['name']},
    ),
    subsets: optional(fc.array(subset, {maxLength: 3})),
  })
  .map(value => JSON.parse(JSON.stringify(value)) as PropertyMap);

/** As the server stores: empty things dropped, protocol defaulted, namespace filled in, system fields added. */
function stored(input: PropertyMap): PropertyMap {
  const drop = (value: PropertyValue, isValueOfMap = false): PropertyValue | undefined => {
    if (value === '' && !isValueOfMap) return undefined;
    if (isPropertyList(value)) return value.length === 0 ? undefined : value.map(member => drop(member) ?? {});
    if (!isPropertyMap(value)) return value;
    const kept: Record<string, PropertyValue> = {};
    for (const [key, member] of Object.entries(value)) {
      const isStringMap = key === 'labels' || key === 'annotations';
      if (isStringMap && isPropertyMap(member)) {
        if (Object.keys(member).length > 0) kept[key] = member;
        continue;
      }
      const dropped = drop(member);
      if (dropped !== undefined) kept[key] = dropped;
    }
    return kept;
  };
  const full = {
    ...input,
    ...(input['subsets'] === undefined ? {} : {subsets: kube.fullContent(ENDPOINTS, input['subsets'])}),
  };
  const object = drop(full);
  const metadata = isPropertyMap(object) && isPropertyMap(object['metadata']) ? object['metadata'] : {};
  const system = {uid: 'u', resourceVersion: '1', creationTimestamp: 't', managedFields: [{manager: 'm'}]};
  return {...(object as PropertyMap), metadata: {namespace: 'default', ...metadata, ...system}};
}

test('an unchanged object gives the inputs back unchanged', () => {
  fc.assert(
    fc.property(inputs, written => {
      expect(kube.projectInputs(ENDPOINTS, written, stored(written))).toEqual(written);
    }),
  );
});

test('importing gives inputs that differ in nothing from what was written', () => {
  fc.assert(
    fc.property(inputs, written => {
      const imported = kube.importInputs(ENDPOINTS, stored(written));
      expect(diffProperties(toComparable(imported), toComparable(written), {sets: ['metadata.finalizers']})).toEqual(
        [],
      );
    }),
  );
});

test('inputs differ in nothing from themselves, and need no patch', () => {
  fc.assert(
    fc.property(inputs, written => {
      expect(diffProperties(toComparable(written), toComparable(written))).toEqual([]);
      expect(endpointsPatch(written, written)).toBeUndefined();
    }),
  );
});

test('a difference in anything but name and namespace has a patch, and no difference has none that matters', () => {
  fc.assert(
    fc.property(inputs, inputs, (before, after) => {
      const same = {...after, metadata: {...(after['metadata'] as PropertyMap), name: 'same', namespace: 'same'}};
      const old = {...before, metadata: {...(before['metadata'] as PropertyMap), name: 'same', namespace: 'same'}};
      const differences = diffProperties(toComparable(old), toComparable(same), {sets: ['metadata.finalizers']});
      if (differences.length > 0) expect(endpointsPatch(old, same)).toBeDefined();
    }),
  );
});
