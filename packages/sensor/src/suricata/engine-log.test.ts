// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {parseVersion} from './binary.ts';
import {isDiskFull, isEngineStarted, LineSplitter, parseEngineLogLine, ruleFaultsOf} from './engine-log.ts';

const json = (level: string, message: string): string =>
  JSON.stringify({timestamp: 't', log_level: level, event_type: 'engine', engine: {message}});
const lines = (...texts: string[]): {level: 'error' | 'warning' | 'notice' | 'info' | 'text'; message: string}[] =>
  texts.map(parseEngineLogLine).filter(line => line !== undefined);

describe('parseEngineLogLine', () => {
  test.each([
    [json('Error', 'x'), {level: 'error', message: 'x'}],
    [json('Warning', 'x'), {level: 'warning', message: 'x'}],
    [json('Notice', 'x'), {level: 'notice', message: 'x'}],
    [json('Perf', 'x'), {level: 'info', message: 'x'}],
    ['Error: conf-yaml-loader: failed', {level: 'text', message: 'Error: conf-yaml-loader: failed'}],
    ['{"torn', {level: 'text', message: '{"torn'}],
    ['{}', {level: 'text', message: '{}'}],
    ['  ', undefined],
  ])('%s', (text, line) => {
    expect(parseEngineLogLine(text)).toEqual(line);
  });

  test('the marks of readiness and of a full disk', () => {
    const [started, full, other] = lines(
      json('Notice', 'Threads created -> W: 1 FM: 1 FR: 1   Engine started.'),
      json('Error', 'No space left on device error while writing to eve.json'),
      json('Notice', 'x'),
    );
    expect([started, full, other].map(line => line && [isEngineStarted(line), isDiskFull(line)])).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ]);
  });
});

test('a stream in pieces gives whole lines, and the rest at its end', () => {
  const got: string[] = [];
  const splitter = new LineSplitter(line => got.push(line));
  for (const piece of ['a', 'b\nc', '\n', '\nd']) splitter.push(piece);
  splitter.end();
  expect(got).toEqual(['ab', 'c', '', 'd']);
});

test('rule errors are paired with their reasons; what names no rule is told apart', () => {
  const {faults, others} = ruleFaultsOf(
    lines(
      json('Notice', 'This is Suricata'),
      json('Error', "unknown rule keyword 'contentx'."),
      json(
        'Error',
        'error parsing signature "alert a (msg:"x"; contentx:"y"; sid:1;)" from file /here/00-a.rules at line 3',
      ),
      json('Warning', 'something else'),
      json('Error', 'first'),
      json('Error', 'second'),
      json('Error', 'error parsing signature "alert b (sid:2;)" from file /here/01-b.rules at line 9'),
      json('Error', 'disk is gone'),
      json('Error', 'Loading signatures failed.'),
    ),
    path => path.replace('/here/', ''),
  );
  expect(faults).toEqual([
    {
      file: '00-a.rules',
      line: 3,
      rule: 'alert a (msg:"x"; contentx:"y"; sid:1;)',
      reason: "unknown rule keyword 'contentx'.",
    },
    {file: '01-b.rules', line: 9, rule: 'alert b (sid:2;)', reason: 'first; second'},
  ]);
  expect(others).toEqual(['disk is gone']);
});

test.each([
  ['This is Suricata version 7.0.10 RELEASE', '7.0.10'],
  ['This is Suricata version 8.0.0-dev (abc 2025)', '8.0.0'],
  ['Suricata 7', undefined],
])('the version in %j', (text, version) => {
  expect(parseVersion(text)).toBe(version);
});
