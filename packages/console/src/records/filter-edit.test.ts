// SPDX-License-Identifier: Apache-2.0
import {compileFilter, THREAT_LIST, type ThreatRecord} from '@palisade/ids-wire';
import {expect, test} from 'vitest';
import {exclude, include, only, quoted, termText, toggleTerm, topTerms} from './filter-edit.ts';

test.each([
  ['', []],
  ['a=1 AND b=2', ['a=1', 'b=2']],
  ['a=1 b=2', ['a=1', 'b=2']],
  ['a = 1 AND NOT b != "x y"', ['a = 1', 'NOT b != "x y"']],
  ['a=1 OR b=2 c=3', ['a=1 OR b=2', 'c=3']],
  ['(a=1 AND b=2) AND name:"AND \\" x"', ['(a=1 AND b=2)', 'name:"AND \\" x"']],
  ['-a=1 sql', ['-a=1', 'sql']],
])('49-3 the terms of %j are %j', (text, terms) => {
  expect(topTerms(text)).toEqual(terms);
});

const SEVERITY = {path: 'alert_severity', value: 'HIGH'};

test('49-3 include, exclude and only edit the filter and keep what was typed', () => {
  expect(include('', SEVERITY)).toBe('alert_severity=HIGH');
  expect(include('sql OR xss', SEVERITY)).toBe('sql OR xss AND alert_severity=HIGH');
  expect(exclude('sql AND alert_severity=HIGH', SEVERITY)).toBe('sql AND NOT alert_severity=HIGH');
  expect(include('NOT alert_severity=HIGH AND sql', SEVERITY)).toBe('sql AND alert_severity=HIGH');
  expect(include('alert_severity=HIGH', SEVERITY)).toBe('alert_severity=HIGH');
  expect(only(SEVERITY)).toBe('alert_severity=HIGH');
});

test('49-3 a toggled term comes, goes and makes way', () => {
  expect(toggleTerm('a', 'acknowledged=false', ['acknowledged=true'])).toBe('a AND acknowledged=false');
  expect(toggleTerm('acknowledged=true AND a', 'acknowledged=false', ['acknowledged=true'])).toBe(
    'a AND acknowledged=false',
  );
  expect(toggleTerm('a AND acknowledged=false', 'acknowledged=false')).toBe('a');
});

test.each(['GET /a', 'say "hi" \\ *', '*', '-x', 'AND', '<img src=x onerror=alert(1)>', '(', '2001:db8::1', 'a=b'])(
  '49-3 the server reads the value %j as it is, and nothing else matches',
  value => {
    const holds = compileFilter(`${termText({path: 'details', value})} AND NOT details=other`, THREAT_LIST);
    expect(holds({details: value} as ThreatRecord)).toBe(true);
    expect(holds({details: `${value}x`} as ThreatRecord)).toBe(false);
    expect(topTerms(`x AND ${quoted(value)} AND y`)).toHaveLength(3);
  },
);
