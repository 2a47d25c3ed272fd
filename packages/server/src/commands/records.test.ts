// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {UsageError} from '../cli/io.ts';
import {toFilter} from './records.ts';

const SINCE = 'alert_time>="2026-01-31T12:00:00Z"';

describe('--filter and --since', () => {
  test('the text of the user stands first and as it was written, so that positions are those of the user', () => {
    expect(toFilter('a=1 OR b=2', SINCE)).toBe(`a=1 OR b=2 AND ${SINCE}`);
    expect(toFilter('a=1', undefined)).toBe('a=1');
    expect(toFilter(undefined, SINCE)).toBe(SINCE);
    expect(toFilter(' ', SINCE)).toBe(SINCE);
    expect(toFilter(undefined, undefined)).toBeUndefined();
  });

  test.each([
    ['a=', 'at character 3'],
    ['(a=1', 'at character 5'],
    ['a="x', 'at character 3'],
    ['a=1)', 'at character 4'],
  ])('%s is refused at its own place', (filter, position) => {
    expect(() => toFilter(filter, SINCE)).toThrow(UsageError);
    expect(() => toFilter(filter, SINCE)).toThrow(position);
  });
});
