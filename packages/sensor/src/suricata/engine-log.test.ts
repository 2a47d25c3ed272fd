// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test, vi} from 'vitest';
import {SENSOR_LIMITS} from '../limits.ts';
import {parseVersion} from './binary.ts';
import {isDiskFull, isEngineStarted, LineSplitter, parseEngineLogLine} from './engine-log.ts';

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

test('F-07 a line that Suricata cut keeps its level', () => {
  const cut = json('Error', `error parsing signature "${'m'.repeat(3000)}`).slice(0, 2048);
  expect(parseEngineLogLine(cut)).toEqual({level: 'error', message: expect.stringMatching(/^error parsing .*m…$/)});
});

test.each([
  json(
    'Warning',
    'Signature with newer revision, so the older sig replaced by this new signature "(msg:"Engine started")"',
  ),
  json('Error', 'error parsing signature "alert a (msg:"Engine started.";)" from file a at line 1'),
  json('Error', 'Duplicate signature "alert a (msg:"No space left on device";)"'),
  json('Notice', '1 rule was skipped because the running Suricata version does not have feature: [Engine started.]'),
])('F-07 the text of a rule in a line of the log is no mark: %s', text => {
  const [line] = lines(text);
  expect(line && [isEngineStarted(line), isDiskFull(line)]).toEqual([false, false]);
});

test('a stream in pieces gives whole lines, and the rest at its end', () => {
  const got: string[] = [];
  const splitter = new LineSplitter(line => got.push(line));
  for (const piece of ['a', 'b\nc', '\n', '\nd']) splitter.push(piece);
  splitter.end();
  expect(got).toEqual(['ab', 'c', '', 'd']);
});

test('a line is cut at the limit, in one chunk or in many', () => {
  const limit = SENSOR_LIMITS.eveReadBytes;
  const long = 'x'.repeat(limit + 10);
  for (const pieces of [[`${long}\nab\n`], [long, `${long}\na`, 'b\n'], [...long, '\n', 'ab\n']]) {
    const got: string[] = [];
    const splitter = new LineSplitter(line => got.push(line));
    for (const piece of pieces) splitter.push(piece);
    expect(got.map(({length}) => length)).toEqual([limit, 2]);
  }
});

/** Characters of the strings that are searched or cut while `pieces` pieces of one line arrive. */
function charactersRead(pieces: number): number {
  let read = 0;
  const spies = (['split', 'indexOf', 'slice'] as const).map(name => {
    const original = String.prototype[name] as (...values: unknown[]) => unknown;
    return vi.spyOn(String.prototype, name).mockImplementation(function (this: string, ...values: unknown[]) {
      read += this.length;
      return original.apply(this, values) as never;
    });
  });
  const splitter = new LineSplitter(() => {});
  for (let piece = 0; piece < pieces; piece++) splitter.push('sevenc.');
  for (const spy of spies) spy.mockRestore();
  return read;
}

test('the work for a line in small pieces grows as its length', () => {
  expect(charactersRead(1_000)).toBeGreaterThan(0);
  expect(charactersRead(4_000)).toBe(4 * charactersRead(1_000));
});

test.each([
  ['This is Suricata version 7.0.10 RELEASE', '7.0.10'],
  ['This is Suricata version 8.0.0-dev (abc 2025)', '8.0.0'],
  ['Suricata 7', undefined],
  ['libfoo version 1.2.3 loaded\nThis is Suricata version 7.0.10 RELEASE', '7.0.10'],
])('F-07 the version in %j', (text, version) => {
  expect(parseVersion(text)).toBe(version);
});
