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
        expect(wheel.size).toBe(items.filter(({bucket}) => bucket !== undefined).length);
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

test('46-3 nothing stays of a million items that came and went before they were due', () => {
  const wheel = new StepWheel<Item>();
  for (let count = 0; count < 1_000_000; count++) {
    const item = new Item();
    item.due = 300;
    wheel.put(item, 0);
    if (count % 2 === 0) {
      item.due = 100;
      wheel.put(item, 0);
    }
    wheel.remove(item);
  }
  expect([wheel.size, wheel.buckets]).toEqual([0, 0]);
  const moved = new Item();
  for (moved.due = 1_000; moved.due > 1; moved.due--) wheel.put(moved, 0);
  expect([wheel.size, wheel.buckets]).toEqual([1, 1]);
});
