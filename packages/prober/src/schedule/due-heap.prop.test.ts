// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {DueHeap, NO_PLACE} from './due-heap.ts';

test('46-2 after any additions and removals the first is the one that is due first', () => {
  const steps = fc.array(fc.oneof(fc.record({add: fc.integer({min: 0, max: 50})}), fc.record({remove: fc.nat()})), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(steps, all => {
      const heap = new DueHeap<{dueMs: number; place: number}>();
      const model = new Set<{dueMs: number; place: number}>();
      for (const step of all) {
        if ('add' in step) {
          const item = {dueMs: step.add, place: NO_PLACE};
          heap.add(item);
          model.add(item);
        } else {
          const item = [...model][step.remove % Math.max(1, model.size)];
          if (item === undefined) continue;
          heap.remove(item);
          model.delete(item);
          expect(item.place).toBe(NO_PLACE);
          heap.remove(item); // nothing to take out
        }
        expect(heap.size).toBe(model.size);
        expect(heap.first?.dueMs).toBe(model.size === 0 ? undefined : Math.min(...[...model].map(({dueMs}) => dueMs)));
      }
    }),
  );
});
