// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {silentLog} from '../base/log.ts';
import {REPORT_MS, SlowReaders} from './slow-readers.ts';
import {ManualTurns} from './testing/manual-fan-out.ts';

const listen = () => {
  const lines: [fields: object, message: string][] = [];
  const time = new ManualTurns();
  return {lines, time, readers: new SlowReaders(time, {...silentLog, warn: (...line) => void lines.push(line)})};
};

test('E-275 ten thousand watches that are ended together are one line, with their number', () => {
  const {lines, time, readers} = listen();
  for (let i = 0; i < 10_000; i++) readers.add(`/path/${i % 20}`);
  time.pass(REPORT_MS);
  const paths = [0, 1, 2, 3, 4].map(i => `/path/${i}`);
  expect(lines).toEqual([[{count: 10_000, paths}, 'watches were ended: their readers did not keep up']]);
});

test('later ones are counted anew, and a stop does not wait for the line', () => {
  const {lines, time, readers} = listen();
  readers.add('/one');
  time.pass(REPORT_MS);
  readers.add('/two');
  readers.report();
  time.pass(REPORT_MS);
  readers.report();
  expect(lines.map(([fields]) => fields)).toEqual([
    {count: 1, paths: ['/one']},
    {count: 1, paths: ['/two']},
  ]);
});
