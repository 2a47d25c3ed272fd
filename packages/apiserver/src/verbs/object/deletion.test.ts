// SPDX-License-Identifier: Apache-2.0
/** Ref: requirements E-119 to E-128, E-230 to E-240. */
import {describe, expect, test} from 'vitest';
import {type CompatMode, compatOf} from '../../base/compat.ts';
import type {ObjectMeta} from '../../base/object.ts';
import {sampleKind} from '../../testing/sample-kind.ts';
import {isDueForRemoval, planDeletion} from './deletion.ts';

const kind = sampleKind();
const nowMs = Date.UTC(2026, 0, 1);
const ahead = (seconds: number): string => `${new Date(nowMs + seconds * 1_000).toISOString().slice(0, 19)}Z`;
const MARK = {deletionTimestamp: ahead(0), deletionGracePeriodSeconds: 0};
const marked = (seconds: number): ObjectMeta => ({
  deletionTimestamp: ahead(seconds),
  deletionGracePeriodSeconds: seconds,
});

/** The outcome; of a mark, what metadata becomes. */
const plan = (metadata: ObjectMeta, sent: object = {}, mode: CompatMode = 'spec'): unknown => {
  const options = {dryRun: false, preconditions: {}, ...sent} as Parameters<typeof planDeletion>[2];
  const result = planDeletion(kind, {metadata}, options, {compat: compatOf(mode), nowMs});
  return result.outcome === 'mark' ? result.draft.metadata : result.outcome;
};

describe.each(['spec', 'kubernetes'] as const)('what holds an object, --compat %s', mode => {
  test.each<[string, ObjectMeta, object, unknown]>([
    ['E-231 nothing', {}, {}, 'remove'],
    ['E-125 E-233 a finalizer', {finalizers: ['a/b']}, {}, {...MARK, finalizers: ['a/b']}],
    ['E-240 a finalizer, when it is marked already', {...MARK, finalizers: ['a/b']}, {}, 'unchanged'],
    ['E-234 nothing any more', MARK, {}, 'remove'],
    ['E-193 foreground', {}, {propagationPolicy: 'Foreground'}, {...MARK, finalizers: ['foregroundDeletion']}],
    ['E-198 orphan', {}, {propagationPolicy: 'Orphan'}, {...MARK, finalizers: ['orphan']}],
    ['E-198 orphan, in the old way', {}, {orphanDependents: true}, {...MARK, finalizers: ['orphan']}],
    ['not to orphan, in the old way', {}, {orphanDependents: false}, 'remove'],
    [
      'E-198 background takes the place of the others',
      {finalizers: ['orphan']},
      {propagationPolicy: 'Background'},
      'remove',
    ],
    [
      'finalizers of both, in the order they have',
      {finalizers: ['foregroundDeletion', 'a/b']},
      {propagationPolicy: 'Foreground'},
      {...MARK, finalizers: ['foregroundDeletion', 'a/b']},
    ],
    [
      'another policy than before, behind the others',
      {finalizers: ['foregroundDeletion', 'a/b']},
      {propagationPolicy: 'Orphan'},
      {...MARK, finalizers: ['a/b', 'orphan']},
    ],
  ])('%s', (_, metadata, options, expected) => {
    expect(plan(metadata, options, mode)).toEqual(expected);
  });
});

describe('grace', () => {
  test.each<[string, ObjectMeta, number | undefined, unknown]>([
    ['E-119 E-122 E-231 marks now + grace', {}, 30, marked(30)],
    ['E-231 of 0 counts as no grace', {}, 0, 'remove'],
    ['E-231 below 0 counts as no grace', {}, -1, 'remove'],
    ['E-236 a larger one keeps', marked(30), 300, 'unchanged'],
    ['E-120 E-236 a smaller one lowers, and moves the time forward', marked(30), 5, marked(5)],
    ['E-236 none given keeps', marked(30), undefined, 'unchanged'],
    ['E-237 a second delete with 0 removes', marked(3_000), 0, 'remove'],
    [
      'E-232 that has passed removes',
      {deletionTimestamp: ahead(-1), deletionGracePeriodSeconds: 30},
      undefined,
      'remove',
    ],
    ['E-122 the longest that gives a time', {}, 9_223_372_036, marked(9_223_372_036)],
  ])('%s', (_, metadata, gracePeriodSeconds, expected) => {
    expect(plan(metadata, {gracePeriodSeconds})).toEqual(expected);
  });

  test.each([9_223_372_037, 8_640_000_000_000, Number.MAX_SAFE_INTEGER])(
    'E-122 E-231 of %d seconds, whose end is no RFC 3339 time, is refused',
    gracePeriodSeconds => {
      expect(() => plan({}, {gracePeriodSeconds})).toThrow(
        `gracePeriodSeconds: Invalid value: ${gracePeriodSeconds}: must be at most 9223372036`,
      );
    },
  );

  test('E-231 upstream knows none for these kinds: a time that has not come is now', () => {
    expect(plan({}, {gracePeriodSeconds: 30}, 'kubernetes')).toBe('remove');
    const finalizers = ['a/b'];
    expect(plan({...marked(30), finalizers}, {}, 'kubernetes')).toEqual({...MARK, finalizers});
    expect(plan({...MARK, finalizers}, {}, 'kubernetes')).toBe('unchanged');
  });

  test('E-136 a mark counts in the generation upstream alone', () => {
    const metadata = {generation: 3, finalizers: ['a/b']};
    expect([plan(metadata), plan(metadata, {}, 'kubernetes')]).toMatchObject([{generation: 3}, {generation: 4}]);
  });
});

test.each<[string, ObjectMeta, boolean]>([
  ['E-230 not marked', {}, false],
  ['E-234 marked, without a grace', MARK, true],
  ['E-125 held by a finalizer', {...MARK, finalizers: ['a/b']}, false],
  ['E-235 before its time', marked(10), false],
  ['E-234 past its time', {...marked(10), deletionTimestamp: ahead(-5)}, true],
])('an update removes what it leaves %s', (_, metadata, isDue) => {
  expect(isDueForRemoval(kind, {metadata}, nowMs)).toBe(isDue);
});
