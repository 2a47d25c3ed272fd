// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {CHECKS_UNDER_WAY_MAX} from '../limits.ts';
import {FairQueue} from './fair-queue.ts';

const takeAll = (queue: FairQueue<string>): string[] => {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
};

test('46-2 groups take turns, in each the one that waits longest is first', () => {
  const queue = new FairQueue<string>(40);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) {
    queue.join('n', item.charAt(0));
    queue.add(item.charAt(0), item);
  }
  expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

test('46-2 a group alone leaves a share free; with others it gets a share, until it is alone again', () => {
  const queue = new FairQueue<string>(8);
  for (let i = 0; i < 9; i++) {
    queue.join('n', 'a');
    queue.add('a', `a${i}`);
  }
  expect([takeAll(queue).length, queue.taken, queue.waiting]).toEqual([6, 6, 3]);
  queue.join('n', 'b');
  queue.add('b', 'b0');
  expect(takeAll(queue)).toEqual(['b0']);
  for (let i = 0; i < 4; i++) queue.giveBack('a');
  expect(takeAll(queue)).toEqual([]);
  queue.giveBack('a');
  expect(takeAll(queue)).toEqual(['a6']);
  queue.giveBack('b');
  queue.leave('b');
  expect([takeAll(queue), queue.taken, queue.waiting]).toEqual([['a7', 'a8'], 4, 0]);
});

const NAMESPACES = {a: 'm', b: 'm', c: 'm', d: 'm', e: 'n'} as const;
type Name = keyof typeof NAMESPACES;

/** What is taken, and who may take, in plain counts. */
class Model {
  readonly taken: {group: Name; lane: 'shared' | 'own'}[] = [];
  readonly #placesMax: number;

  constructor(placesMax: number) {
    this.#placesMax = placesMax;
  }

  #count(lane: string | undefined, fits: (group: Name) => boolean): number {
    return this.taken.filter(each => (lane === undefined || each.lane === lane) && fits(each.group)).length;
  }

  /** `present`: groups with members. */
  laneFor(group: Name, present: ReadonlySet<Name>): 'shared' | 'own' | undefined {
    const share = Math.floor(this.#placesMax / 4);
    const groupMost = present.size === 1 ? this.#placesMax - share : Math.max(1, share);
    if (this.#count(undefined, each => each === group) >= groupMost) return undefined;
    const isNear = (each: Name): boolean => NAMESPACES[each] === NAMESPACES[group];
    const isSingle = new Set([...present].map(each => NAMESPACES[each])).size === 1;
    const namespaceMost = Math.max(1, Math.floor(this.#placesMax / 2));
    const isFree = this.#count('shared', () => true) < this.#placesMax - share;
    if (isFree && (isSingle || this.#count('shared', isNear) < namespaceMost)) return 'shared';
    const part = Math.max(1, Math.floor(share / 8));
    const near = [...present].filter(isNear).length;
    const own = Math.min(4, Math.max(1, Math.floor(part / near)));
    const mayOwn =
      this.#count('own', () => true) < share &&
      this.#count('own', isNear) < part &&
      this.#count('own', each => each === group) < own;
    return mayOwn ? 'own' : undefined;
  }

  /** Own places first. */
  giveBack(group: Name): void {
    const own = this.taken.findIndex(each => each.group === group && each.lane === 'own');
    this.taken.splice(own >= 0 ? own : this.taken.findIndex(each => each.group === group), 1);
  }
}

test('46-2 nobody who may have a place is forgotten, and nobody has one who may not, whatever comes and goes', () => {
  const step = fc.record({
    group: fc.constantFrom<Name>('a', 'b', 'c', 'd', 'e'),
    kind: fc.constantFrom('add', 'add', 'add', 'end', 'end', 'remove'),
  });
  const places = fc.oneof(fc.integer({min: 1, max: 8}), fc.constantFrom(64, 72));
  fc.assert(
    fc.property(fc.array(step, {minLength: 20, maxLength: 300, size: 'max'}), places, (steps, placesMax) => {
      const queue = new FairQueue<string>(placesMax);
      const model = new Model(placesMax);
      const waiting = new Set<string>();
      const groupOf = (item: string): Name => item.charAt(0) as Name;
      const present = (): Set<Name> => new Set([...[...waiting].map(groupOf), ...model.taken.map(({group}) => group)]);
      steps.forEach(({group, kind}, i) => {
        const waits = [...waiting].find(item => groupOf(item) === group);
        if (kind === 'add') {
          queue.join(NAMESPACES[group], group);
          queue.add(group, `${group}${i}`);
          waiting.add(`${group}${i}`);
        } else if (kind === 'remove' && waits !== undefined) {
          queue.remove(group, waits);
          queue.leave(group);
          waiting.delete(waits);
        } else if (kind === 'end' && model.taken.some(each => each.group === group)) {
          model.giveBack(group);
          queue.giveBack(group);
          queue.leave(group);
        }
        const groups = present();
        for (let item = queue.take(); item !== undefined; item = queue.take()) {
          const lane = model.laneFor(groupOf(item), groups);
          expect([item, lane]).not.toEqual([item, undefined]);
          waiting.delete(item);
          model.taken.push({group: groupOf(item), lane: lane ?? 'own'});
        }
        for (const item of waiting) expect([item, model.laneFor(groupOf(item), groups)]).toEqual([item, undefined]);
        expect([queue.taken, queue.waiting]).toEqual([model.taken.length, waiting.size]);
        expect(queue.taken).toBeLessThanOrEqual(placesMax);
      });
    }),
    {numRuns: 200},
  );
});

test('46-2 the documented places: 1,024 for a group, 2,048 and 128 for a namespace, 4 to 1 for each group when all others are taken', () => {
  const queue = new FairQueue<string>(CHECKS_UNDER_WAY_MAX);
  const take = (namespace: string, group: string, count: number): number => {
    for (let i = 0; i < count; i++) {
      queue.join(namespace, group);
      queue.add(group, `${group} ${i}`);
    }
    return takeAll(queue).filter(item => item.startsWith(`${group} `)).length;
  };
  const counts = [take('other', 'o', 1), take('a', 'a0', 5_000), take('a', 'a1', 5_000)];
  for (let i = 2; i < 32; i++) counts.push(take('a', `a${i}`, 500));
  expect(counts.slice(0, 5)).toEqual([1, 1_024, 1_024, 4, 4]);
  expect(counts.slice(5).every(count => count === 4)).toBe(true);
  expect(take('b', 'b0', 5_000) + take('b', 'b1', 5_000)).toBe(1_024 + 4); // 1,023 shared ones were left
  expect([take('other', 'o2', 100), take('c', 'c0', 100), queue.taken]).toEqual([4, 4, 1 + 2_048 + 120 + 1_028 + 8]);
});
