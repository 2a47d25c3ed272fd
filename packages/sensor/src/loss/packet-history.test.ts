// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {parseHistory} from './history-file.ts';
import {PacketTimes} from './packet-history.ts';

const ONE = {received: 1, bytes: 100, dropped: 0};

test('49-3 packets count for the steps they are looked at in; a step without a look has no row', () => {
  const times = new PacketTimes();
  times.add(9_999, ONE);
  times.add(10_000, {received: 2, bytes: 200, dropped: 1});
  times.add(19_999, ONE);
  times.add(400_000, ONE);
  const {short, long} = times.shown;
  expect(short).toEqual({
    stepMs: 10_000,
    rows: [
      {startMs: 0, ...ONE},
      {startMs: 10_000, received: 3, bytes: 300, dropped: 1},
      {startMs: 400_000, ...ONE},
    ],
  });
  expect(long).toEqual({
    stepMs: 300_000,
    rows: [
      {startMs: 0, received: 4, bytes: 400, dropped: 1},
      {startMs: 300_000, ...ONE},
    ],
  });
});

test('49-3 an hour of short and a week of long steps are kept, over a restart; a clock that is set back takes rows ahead of it', () => {
  const times = new PacketTimes();
  for (let at = 0; at < 8 * 24 * 3600 * 1000; at += 10_000) times.add(at, ONE);
  const {short, long} = times.rows;
  expect([short.length, long.length]).toEqual([360, 2_016]);
  const text = JSON.stringify({format: 1, short, long});
  expect(parseHistory(text)).toEqual({short, long});
  const later = new PacketTimes(parseHistory(text));
  later.add(100_000, ONE);
  expect(later.rows).toEqual({short: [[10, 1, 100, 0]], long: [[0, 1, 100, 0]]});
});

test.each([
  ['', 'half written'],
  ['{"format":1,"short":[[1,2', 'cut'],
  ['null', 'no object'],
  ['{"format":2,"short":[[1,2,3,4]]}', 'another format'],
])('49-3 a file with %j (%s) counts as empty', text => expect(parseHistory(text)).toEqual({short: [], long: []}));

test('49-3 rows that are not ours are left out', () => {
  const short = [[5, 1, 1, 0], [4, 1, 1, 0], [6, -1, 1, 0], [7, 1, 1], 'x', [8, 1, 1, 0, 9], [9, 1, 1, 0]];
  expect(parseHistory(JSON.stringify({format: 1, short, long: {}}))).toEqual({
    short: [
      [5, 1, 1, 0],
      [9, 1, 1, 0],
    ],
    long: [],
  });
});
