// SPDX-License-Identifier: Apache-2.0
import {SEVERITIES} from '@palisade/ids-wire';
import {describe, expect, test} from 'vitest';
import {reaches, severityOf} from './severity.ts';
import {normaliseException} from './threat-id.ts';

describe('severityOf', () => {
  test.each([
    [['Critical'], 3, 'CRITICAL'],
    [['Major'], 3, 'HIGH'],
    [['Minor'], 1, 'LOW'],
    [['Informational'], 1, 'INFORMATIONAL'],
    [['Unknown'], 1, 'INFORMATIONAL'],
    [['Audit'], 1, 'INFORMATIONAL'],
    [['critical'], 3, 'CRITICAL'],
    [['Whatever', 'Major'], 3, 'HIGH'],
    [['Whatever'], 2, 'MEDIUM'],
    [[], 1, 'HIGH'],
    [[], 2, 'MEDIUM'],
    [[], 3, 'LOW'],
    [[], 4, 'INFORMATIONAL'],
    [[], 10, 'INFORMATIONAL'],
    [[], 255, 'INFORMATIONAL'],
  ] as const)('I-117 signature_severity %j with priority %i is %s', (words, priority, severity) => {
    expect(severityOf(words, priority)).toBe(severity);
  });
});

test('I-031 the order is INFORMATIONAL < LOW < MEDIUM < HIGH < CRITICAL, and a severity reaches itself', () => {
  for (const [i, severity] of SEVERITIES.entries())
    expect(SEVERITIES.map(lowest => reaches(severity, lowest))).toEqual(SEVERITIES.map((_, j) => j <= i));
});

test.each([
  ['2019401', '1:2019401'],
  ['1:2019401', '1:2019401'],
  [' 3:7 ', '3:7'],
  ['0007', '1:7'],
  ['1:2:3', '1:2:3'],
  ['CVE-2014-6271', 'CVE-2014-6271'],
  ['', ''],
])('I-117 I-041 the exception %j means %j', (text, id) => {
  expect(normaliseException(text)).toBe(id);
});
