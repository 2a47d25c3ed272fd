// SPDX-License-Identifier: Apache-2.0
import {PassThrough} from 'node:stream';
import {expect, test} from 'vitest';
import {Progress} from './progress.ts';

/** What is shown of progress every 100 ms for so long. */
const shown = (ms: number, {json, isTerminal}: {json: boolean; isTerminal: boolean}): string => {
  let passed = 0;
  const stderr = Object.assign(new PassThrough(), {isTTY: isTerminal});
  const progress = new Progress({stderr}, {json, now: () => passed});
  for (; passed < ms; passed += 100) progress.show('copied', passed, 5_000);
  progress.end();
  return String(stderr.read() ?? '');
};

test('48-3 progress comes after a second, without a terminal after ten, and never with --json', () => {
  for (const isTerminal of [true, false]) expect(shown(15_000, {json: true, isTerminal})).toBe('');
  expect(shown(1_000, {json: false, isTerminal: true})).toBe('');
  const lines = /^\rpalisade: copied: 1000 of 5000.*\rpalisade: copied: 1200 of/;
  expect(shown(5_000, {json: false, isTerminal: true})).toMatch(lines);
  expect(shown(10_000, {json: false, isTerminal: false})).toBe('');
  expect(shown(15_000, {json: false, isTerminal: false})).toBe('palisade: copied: 10000 of 5000\n');
});
