// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {SortedNames} from './sorted-names.ts';

const name = fc.stringMatching(/^[ab/-]{0,4}$/);

test('range and count give what a filtered, sorted list gives, after any adding and removing', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), name)), name, name, (changes, prefix, after) => {
      const names = new SortedNames();
      const model = new Set<string>();
      for (const [adds, n] of changes) {
        if (adds) names.add(n);
        else names.remove(n);
        if (adds) model.add(n);
        else model.delete(n);
      }
      const wanted = [...model].sort().filter(n => n.startsWith(prefix));
      expect([...names.range(prefix)]).toEqual(wanted.filter(n => n > ''));
      expect([...names.range(prefix, after)]).toEqual(wanted.filter(n => n > after));
      expect([names.count(prefix), names.size]).toEqual([wanted.length, model.size]);
    }),
  );
});
