// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {UsageError} from '../command-line/io.ts';
import {parseLimits, parseTime, parseTimes, withHistogramWidth} from '../records/record-flags.ts';
import {toFilter} from './records.ts';

const SINCE = 'alert_time>="2026-01-31T12:00:00Z"';

describe('two filters', () => {
  test('the text of the user comes first and as it was written, so that positions are those of the user', () => {
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
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['2026-01-31T12:00:00.123456Z', '2026-01-31T12:00:00.123456Z'],
    ['2026-01-31T12:00:00+02:00', '2026-01-31T12:00:00+02:00'],
    ['2026-01-31T12:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00+01:00', '2026-01-31T11:00:00.000Z'],
    ['2026-01-31T24:00:00Z', '2026-02-01T00:00:00.000Z'],
    ['2026-01-31T12:00:00.1234567890123Z', '2026-01-31T12:00:00.123Z'],
  ])('%s is %s', (text, time) => {
    expect(parseTime('since', text, NOW)).toBe(time);
  });

  test.each(['99999999999d', '740000d', '10', '-1d', 'yesterday', '2026-13-01', '0000-01-01'])(
    '%s is refused',
    text => {
      expect(() => parseTime('since', text, NOW)).toThrow(UsageError);
      expect(() => parseTime('since', text, NOW)).toThrow(`--since ${text}: `);
      expect(() => parseTime('since', text, NOW)).toThrow(
        'give a time such as 2026-01-31T12:00:00Z or an age such as 10m (s, m, h or d)',
      );
    },
  );

  test('44-3 one that is later than --until is refused, and both are named', () => {
    expect(() => parseTimes({since: '1h', until: '2h'}, NOW)).toThrow(UsageError);
    expect(() => parseTimes({since: '1h', until: '2h'}, NOW)).toThrow('--since 1h is later than --until 2h');
    expect(() => parseTimes({since: '2026-02-01T00:00:00+02:00', until: '1m'}, NOW)).toThrow('later than --until 1m');
    expect(parseTimes({since: '2h', until: '1h'}, NOW)).toEqual({
      since: '2026-01-31T10:00:00.000Z',
      until: '2026-01-31T11:00:00.000Z',
    });
    expect(parseTimes({since: undefined, until: undefined}, NOW)).toEqual({});
  });
});

describe('--histogram and --limit', () => {
  test('44-3 --histogram may go without a width, before any other word', () => {
    expect(withHistogramWidth(['--histogram'])).toEqual(['--histogram=auto']);
    expect(withHistogramWidth(['--histogram', '--json'])).toEqual(['--histogram=auto', '--json']);
    expect(withHistogramWidth(['--histogram', '1h', '-f'])).toEqual(['--histogram', '1h', '-f']);
    expect(withHistogramWidth(['--histogram=5m'])).toEqual(['--histogram=5m']);
    expect(withHistogramWidth(['--histogram', 'foo'])).toEqual(['--histogram', 'foo']);
  });

  const none = {
    ...{follow: false, limit: undefined, order: undefined, until: undefined},
    ...{histogram: undefined, 'group-by': undefined},
  };
  test('44-3 every fault of flags that exclude each other is named at once', () => {
    const faults = (): unknown => parseLimits({...none, follow: true, limit: '0', histogram: '1w', order: 'newest'});
    for (const text of [
      '--limit 0: must be a whole number from 1 to 100000',
      '--histogram cannot be combined with --follow',
      '--order cannot be combined with --histogram or --group-by',
      '--histogram 1w: must be a width such as 5m or 1h',
    ])
      expect(faults).toThrow(text);
    expect(parseLimits({...none, limit: '20'})).toEqual({limit: 20});
    expect(() => parseLimits({...none, 'group-by': 'threat', limit: '1001'})).toThrow('from 1 to 1000');
  });
});
