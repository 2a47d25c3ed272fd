// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {runTurns} from './turns.ts';

/** Each subject takes so many seconds for a round, and has 8. Returns how many rounds each life had, and when all was over. */
const played = async (seconds: Readonly<Record<string, number>>, untilMs: number) => {
  let nowMs = 0;
  const rounds: [string, number][] = [];
  await runTurns(Object.entries(seconds), {
    untilMs,
    now: () => nowMs,
    live: async ([name, each], {endMs}) => {
      let round = 0;
      do {
        nowMs += each * 1_000;
        round++;
      } while (round < 8 && nowMs < endMs);
      rounds.push([name, round]);
    },
  });
  return {rounds, nowMs};
};

test('48-1 in a minute each subject gets a life, though the first alone could fill it', async () => {
  const {rounds, nowMs} = await played({store: 10, server: 7, records: 2}, 60_000);
  expect(rounds).toEqual([
    ['store', 2],
    ['server', 3],
    ['records', 8],
    ['store', 1],
  ]);
  expect(nowMs).toBe(67_000);
});

test('48-1 each subject gets a life in whatever time', async () => {
  expect((await played({store: 10, server: 7, records: 2}, 1)).rounds).toEqual([
    ['store', 1],
    ['server', 1],
    ['records', 1],
  ]);
});

test('48-1 with time, lives are whole, and follow each other until it is over', async () => {
  const {rounds} = await played({store: 1, server: 1}, 40_000);
  expect(rounds).toEqual([
    ['store', 8],
    ['server', 8],
    ['store', 8],
    ['server', 8],
    ['store', 4],
    ['server', 4],
  ]);
});
