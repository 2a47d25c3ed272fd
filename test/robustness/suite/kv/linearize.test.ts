// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {seededRandom} from '../random.ts';
import {linearize, type Operation} from './linearize.ts';

/** A register of numbers. `w1 0-5`: writes 1 between times 0 and 5; `r1`: reads 1; `0-?9`: unanswered, over at 9. */
const operations = (...lines: readonly string[]): Operation<number>[] =>
  lines.map(label => {
    const [, kind = '', value = '', from = '', lost = '', to = ''] = /^(\w)(\d+) (\d+)-(\??)(\d+)$/.exec(label) ?? [];
    const step = (state: number): number | undefined => {
      if (kind === 'w') return Number(value);
      return state === Number(value) ? state : undefined;
    };
    const answered = lost === '' ? Number(to) : Infinity;
    return {called: Number(from), answered, over: lost === '' ? Infinity : Number(to), step, hint: 0, label};
  });
const resultOf = (...lines: readonly string[]): string =>
  linearize(operations(...lines), 0, state => `${state}`).result;

test.each([
  ['one after the other', ['w1 0-1', 'r1 2-3', 'w2 4-5', 'r2 6-7']],
  ['writes that overlap are read in one order', ['w1 0-9', 'w2 1-8', 'r1 10-11', 'r1 12-13']],
  ['a write is read before it is answered', ['w1 0-9', 'r1 1-2', 'r1 3-4']],
  ['an unanswered write was done', ['w1 0-?5', 'r1 6-7']],
  ['an unanswered write was not done', ['w1 0-?5', 'r0 6-7']],
  ['an unanswered write is done late', ['w1 0-?9', 'r0 1-2', 'r1 3-4']],
])('48-1 linearizable: %s', (_, lines) => expect(resultOf(...lines)).toBe('linearizable'));

test.each([
  ['a read of what was replaced', ['w1 0-1', 'w2 2-3', 'r1 4-5']],
  ['a read before the write was called', ['r1 0-1', 'w1 2-3']],
  ['two readers saw two orders', ['w1 0-9', 'w2 0-9', 'r1 10-11', 'r2 12-13', 'r1 14-15']],
  ['an unanswered write is there, then not', ['w1 0-?5', 'r1 6-7', 'r0 8-9']],
  ['an unanswered write is done after its process was gone', ['w1 0-?3', 'r0 4-5', 'r1 6-7']],
])('48-1 not linearizable: %s', (_, lines) => expect(resultOf(...lines)).toBe('not linearizable'));

test('48-1 the search agrees with trying every order', () => {
  const random = seededRandom(7);
  const some = (n: number): number => Math.floor(random() * n);
  const verdicts = new Set<string>();
  for (let n = 0; n < 400; n++) {
    const lines = Array.from({length: 5}, () => {
      const from = some(12) * 2;
      return `${random() < 0.5 ? 'w' : 'r'}${some(3)} ${from}-${random() < 0.2 ? '?' : ''}${from + 1 + some(6) * 2}`;
    });
    const found = resultOf(...lines);
    verdicts.add(found);
    expect([lines, found === 'linearizable']).toEqual([lines, tryAll(operations(...lines), 0, [])]);
  }
  expect([...verdicts].sort()).toEqual(['linearizable', 'not linearizable']);
});

const tryAll = (left: readonly Operation<number>[], state: number, done: readonly Operation<number>[]): boolean => {
  if (left.every(({answered}) => answered === Infinity)) return true;
  return left.some((one, i) => {
    const rest = left.filter((_, k) => k !== i);
    const isAllowed =
      rest.every(({answered}) => answered >= one.called) && // nobody was answered before it was called
      done.every(({called}) => called <= (one.answered === Infinity ? one.over : Infinity));
    const next = isAllowed ? one.step(state) : undefined;
    return next !== undefined && tryAll(rest, next, [...done, one]);
  });
};
