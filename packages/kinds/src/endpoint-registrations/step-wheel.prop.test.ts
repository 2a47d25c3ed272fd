// SPDX-License-Identifier: Apache-2.0
/** The wheel gives each item at its step, however its due time moves: as if all items were looked at in every step. */
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {type Due, StepWheel} from './step-wheel.ts';

class Item implements Due {
  bucket: number | undefined;
  due = Number.POSITIVE_INFINITY;

  dueStep(): number {
    return this.due;
  }
}

const ITEMS = 5;
const change = fc.record({
  item: fc.nat(ITEMS - 1),
  /** Steps from now on; undefined: it is removed. */
  wait: fc.option(fc.integer({min: -3, max: 30}), {nil: undefined}),
});
/** What happens in each step. */
const steps = fc.array(fc.array(change, {maxLength: 4}), {maxLength: 80});

test('46-3 an item is due at its step, once', () => {
  fc.assert(
    fc.property(steps, plan => {
      const wheel = new StepWheel<Item>();
      const items = Array.from({length: ITEMS}, () => new Item());
      plan.forEach((changes, step) => {
        for (const {item: at, wait} of changes) {
          const item = items[at] as Item;
          item.due = wait === undefined ? Number.POSITIVE_INFINITY : step + wait;
          if (wait === undefined) wheel.remove(item);
          else wheel.put(item, step);
        }
        const wanted = items.filter(({due}) => due <= step + 1);
        const taken = wheel.take(step + 1);
        expect(new Set(taken)).toEqual(new Set(wanted));
        expect(taken).toHaveLength(wanted.length);
        for (const item of taken) item.due = Number.POSITIVE_INFINITY;
      });
    }),
  );
});

test('46-3 what is renewed in every step stays in one bucket', () => {
  const wheel = new StepWheel<Item>();
  const items = Array.from({length: 1_000}, () => new Item());
  for (let step = 0; step < 1_000; step++) {
    for (const item of items) {
      item.due = step + 300;
      wheel.put(item, step);
    }
    expect(wheel.take(step + 1)).toEqual([]);
    expect(wheel.buckets).toBe(1);
  }
});
