// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {CachedObject} from './cached-object.ts';
import {SortedObjects} from './sorted-objects.ts';

const NAMESPACES = ['a', 'a-b', 'a.b', 'b'];
const NAMES = ['x', 'x-1', 'x.1', 'x0', 'y', '10', '9'];
let revision = 0n;

const object = (namespace: string, name: string, set: string): CachedObject => {
  revision++;
  const value = Buffer.from(
    `{"kind":"K","apiVersion":"v1","metadata":{"name":"${name}","namespace":"${namespace}","uid":"u","labels":{"set":"${set}"}}}`,
  );
  return new CachedObject({namespace, name}, value, revision, revision.toString());
};

const step = fc.record({
  remove: fc.boolean(),
  namespace: fc.constantFrom(...NAMESPACES),
  name: fc.constantFrom(...NAMES),
  set: fc.constantFrom('odd', 'even'),
  ask: fc.boolean(),
});
const keyOf = ({namespace, name}: {namespace: string; name: string}): string => `${namespace}/${name}`;
const byteOrder = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

test('order, look-up, counts and labels are those of a plain map, whatever the writes', () => {
  fc.assert(
    fc.property(fc.array(step, {maxLength: 60}), steps => {
      const sorted = new SortedObjects();
      const model = new Map<string, CachedObject>();
      for (const {remove, namespace, name, set, ask} of steps) {
        if (ask) sorted.withLabel('set', 'odd', ''); // from here on the label is indexed
        if (remove) {
          sorted.delete(namespace, name);
          model.delete(`${namespace}/${name}`);
        } else {
          const made = object(namespace, name, set);
          sorted.set(made);
          model.set(`${namespace}/${name}`, made);
        }
      }
      const wanted = [...model.keys()].sort(byteOrder);
      expect([...sorted.slices('')].flat().map(keyOf)).toEqual(wanted);
      expect(sorted.count).toBe(model.size);
      for (const namespace of NAMESPACES) {
        const own = wanted.filter(key => key.startsWith(`${namespace}/`));
        expect([...sorted.slices(namespace)].flat().map(keyOf)).toEqual(own);
        expect(sorted.countIn(namespace)).toBe(own.length);
      }
      for (const set of ['odd', 'even', 'none']) {
        const found = wanted.flatMap(key => model.get(key) ?? []).filter(({labels}) => labels['set'] === set);
        expect(sorted.withLabel('set', set, '')).toEqual(found);
        for (const namespace of [...NAMESPACES, 'none']) {
          const own = found.filter(object => object.namespace === namespace);
          expect(sorted.withLabel('set', set, namespace)).toEqual(own);
        }
      }
      for (const from of [...wanted, 'a/zz', 'a-b/', 'b', 'a\0', 'a/x\0']) {
        const rest = [...sorted.slices('', from)].flat().map(keyOf);
        expect(rest).toEqual(wanted.filter(key => byteOrder(key, from) >= 0));
      }
      for (const from of [...NAMES, 'x\0']) {
        const rest = [...sorted.slices('a', from)].flat().map(({name}) => name);
        expect(rest).toEqual(
          wanted
            .filter(key => key.startsWith('a/'))
            .map(key => key.slice(2))
            .filter(name => byteOrder(name, from) >= 0),
        );
      }
      expect(sorted.last('')).toBe(model.get(wanted.at(-1) ?? ''));
    }),
    {numRuns: 200},
  );
});
