// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {UsageError} from '../command-line/io.ts';
import {parseSince, toFilter} from './records.ts';

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

describe('--since', () => {
  const NOW = Date.UTC(2026, 0, 31, 12);
  test.each([
    ['10m', '2026-01-31T11:50:00.000Z'],
    ['7d', '2026-01-24T12:00:00.000Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('%s is %s', (text, time) => {
    expect(parseSince(text, NOW)).toBe(time);
  });

  test.each(['99999999999d', '740000d', '10', '-1d', 'yesterday', '2026-13-01', '0000-01-01'])(
    '%s is refused',
    text => {
      expect(() => parseSince(text, NOW)).toThrow(UsageError);
      expect(() => parseSince(text, NOW)).toThrow(`--since ${text}: `);
      expect(() => parseSince(text, NOW)).toThrow('give a time such as 2026-01-31T12:00:00Z or an age such as 10m');
    },
  );
});
