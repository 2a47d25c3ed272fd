// SPDX-License-Identifier: Apache-2.0
/** What results mean. Ref: kubernetes v1.36 pkg/kubelet/prober/worker_test.go. */
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type CheckState, newState, type PortState, RESULTS_MAX, restarted, withCheck, withResult} from './state.ts';

const result = (passed: boolean, atMs = 0) => ({passed, atMs, durationMs: 1, message: passed ? '' : 'refused'});
/** `+` passes, `-` fails. */
const after = (from: PortState, results: string, thresholds = {success: 1, failure: 3}): CheckState =>
  [...results].reduce(
    (state, sign, atMs) => withResult(state, result(sign === '+', atMs), thresholds),
    newState(from, -1),
  );

describe('46-2 a state', () => {
  test.each<[PortState, string, PortState]>([
    ['Starting', '', 'Starting'],
    ['Starting', '+', 'Ready'],
    ['Starting', '--', 'Starting'],
    ['Starting', '---', 'NotReady'],
    ['Starting', '--+', 'Ready'],
    ['Ready', '--', 'Ready'],
    ['Ready', '--+--', 'Ready'],
    ['Ready', '---', 'NotReady'],
    ['NotReady', '+', 'Ready'],
    ['Unchecked', '---', 'Unchecked'],
  ])('%s is after %s %s', (from, results, to) => expect(after(from, results).state).toBe(to));

  test('needs as many passes in a row as the threshold says', () => {
    const thresholds = {success: 2, failure: 1};
    expect(['+', '+-+', '++'].map(results => after('Starting', results, thresholds).state)).toEqual([
      'Starting',
      'NotReady',
      'Ready',
    ]);
  });

  test('says since when it is, why the last failure was, and the last 20 results, the newest first', () => {
    const state = after('Starting', `${'+'.repeat(30)}---`);
    expect([state.sinceMs, state.lastError, state.results.length]).toEqual([32, 'refused', RESULTS_MAX]);
    expect(state.results.slice(0, 4).map(({atMs, passed}) => [atMs, passed])).toEqual([
      [32, false],
      [31, false],
      [30, false],
      [29, true],
    ]);
    expect(after('Ready', '-+')).toMatchObject({lastError: 'refused', sinceMs: -1});
  });

  test('has one line of text, of a bounded length', () => {
    const long = withResult(
      newState('Ready', 0),
      {...result(false), message: `a\n b ${'x'.repeat(999)}`},
      {success: 1, failure: 1},
    );
    expect(long.lastError).toMatch(/^a b x+…$/);
    expect(long.lastError).toHaveLength(512);
  });

  test('counts again after a restart', () => {
    const before = after('Ready', '--');
    expect(withResult(restarted(before), result(false), {success: 1, failure: 3}).state).toBe('Ready');
  });

  test('stays ready when a check is added or taken away', () => {
    expect(withCheck(newState('Unchecked', 0), true, 9)).toEqual(newState('Ready', 9));
    expect(withCheck(after('Ready', '---'), false, 9)).toEqual(newState('Unchecked', 9));
    const known = after('Ready', '-');
    expect(withCheck(known, true, 9)).toBe(known);
  });

  test('changes only after as many equal results in a row', () => {
    const signs = fc.array(fc.constantFrom('+', '-'), {maxLength: 60}).map(list => list.join(''));
    const threshold = fc.integer({min: 1, max: 5});
    fc.assert(
      fc.property(signs, threshold, threshold, (results, success, failure) => {
        let wanted: PortState = 'Starting';
        for (let end = 1; end <= results.length; end++) {
          const tail = results.slice(0, end);
          if (tail.endsWith('+'.repeat(success))) wanted = 'Ready';
          if (tail.endsWith('-'.repeat(failure))) wanted = 'NotReady';
        }
        expect(after('Starting', results, {success, failure}).state).toBe(wanted);
      }),
    );
  });
});
