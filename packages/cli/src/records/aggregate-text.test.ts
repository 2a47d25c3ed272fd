// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {groupText, histogramText} from './aggregate-text.ts';

test('44-3 a histogram has a letter for each severity, the worst first, and bars without alerts between', () => {
  const bars = [
    {startTime: '2026-01-01T00:00:00Z', records: 4, alerts: 4, severities: {LOW: 2, CRITICAL: 1, HIGH: 1}},
    {startTime: '2026-01-01T02:00:00Z', records: 1, alerts: 3, severities: {MEDIUM: 2, INFORMATIONAL: 1}},
  ];
  expect(histogramText('threats', bars, 3_600_000).split('\n')).toEqual([
    'TIME                  ALERTS',
    '2026-01-01T00:00:00Z       4  CHLL',
    '2026-01-01T01:00:00Z       0',
    '2026-01-01T02:00:00Z       3  MMi',
    'C critical  H high  M medium  L low  i informational',
    '',
  ]);
});

test('44-3 a long bar is scaled, and one critical alert among many keeps its letter', () => {
  const severities = {CRITICAL: 1, LOW: 59_999};
  const bars = [{startTime: '2026-01-01T00:00:00Z', records: 60_000, alerts: 60_000, severities}];
  const [, bar, note] = histogramText('threats', bars, 60_000).split('\n');
  expect(bar).toBe(`2026-01-01T00:00:00Z  60,000  C${'L'.repeat(60)}`);
  expect(note).toMatch(/; one letter is about 1,000 alerts$/);
  const flows = histogramText('traffic', [{startTime: '2026-01-01T00:00:00Z', records: 3}], 60_000);
  expect(flows).toBe('TIME                  FLOWS\n2026-01-01T00:00:00Z      3  ###\n');
});

test('44-3 groups are a table, with the name of a threat and how many more there are', () => {
  const times = {firstTime: '2026-01-01T00:00:00.000001Z', lastTime: '2026-01-01T00:00:09.000000Z'};
  const group = {key: '1:2', name: 'ET SCAN', highestSeverity: 'HIGH', records: 2, alerts: 1_200, ...times} as const;
  expect(groupText('threats', 'threat', [group], 3, id => id).split('\n')).toEqual([
    'THREAT  ALERTS  RECORDS  HIGHEST  FIRST                        LAST                         NAME',
    '1:2      1,200        2  HIGH     2026-01-01T00:00:00.000001Z  2026-01-01T00:00:09.000000Z  ET SCAN',
    '3 more; --limit N prints more of them',
    '',
  ]);
});
