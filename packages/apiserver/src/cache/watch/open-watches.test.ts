// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {silentLog} from '../../base/log.ts';
import {OpenWatches, REPORT_MS} from './open-watches.ts';
import {ManualTurns} from './testing/manual-fan-out.ts';

const reported = () => {
  const time = new ManualTurns();
  const lines: object[] = [];
  const warned: [fields: object, text: string][] = [];
  const watches = new OpenWatches(time, {
    ...silentLog,
    error: fields => void lines.push(fields),
    warn: (fields, text) => void warned.push([fields, text]),
  });
  return {time, lines, warned, watches};
};

test('watches that fail of the same are one line with the fault; those of a second later are another', () => {
  const {time, lines, watches} = reported();
  const err = new Error('it cannot be encoded');
  for (const path of ['/one', '/two', '/three']) watches.reportFault(err, path);
  time.pass(999);
  watches.reportFault(err, '/three');
  time.pass(1);
  watches.reportFault(err, '/four');
  expect(lines).toEqual([
    {err, path: '/one'},
    {err, path: '/four'},
  ]);
});

test('another fault is another line, up to twenty within a second', () => {
  const {lines, watches} = reported();
  const faults = Array.from({length: 25}, (_, i) => new Error(`fault ${i}`));
  for (const err of faults) watches.reportFault(err, '/one');
  expect(lines).toEqual(faults.slice(0, 20).map(err => ({err, path: '/one'})));
});

test('E-275 ten thousand watches that are ended together are one line, with their number', () => {
  const {time, warned, watches} = reported();
  for (let i = 0; i < 10_000; i++) watches.countEnd('too-slow', `/path/${i % 20}`);
  watches.countEnd('timeout', '/other');
  time.pass(REPORT_MS);
  const paths = [0, 1, 2, 3, 4].map(i => `/path/${i}`);
  expect(warned).toEqual([[{count: 10_000, paths}, 'watches were ended: their readers did not keep up']]);
  expect(watches.ended).toMatchObject({'too-slow': 10_000, timeout: 1});
});

test('later ends are another line, and a stop does not wait for it', () => {
  const {time, warned, watches} = reported();
  watches.countEnd('too-slow', '/one');
  time.pass(REPORT_MS);
  watches.countEnd('too-slow', '/two');
  watches.stopAll();
  time.pass(REPORT_MS);
  watches.stopAll();
  expect(warned.map(([fields]) => fields)).toEqual([
    {count: 1, paths: ['/one']},
    {count: 1, paths: ['/two']},
  ]);
});
