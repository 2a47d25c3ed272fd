// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {Gate} from './gate.ts';
import {LossWatch} from './loss-watch.ts';

const never = new AbortController().signal;

test('at most so many at once, in order; a failure frees its place; who gives up leaves the queue', async () => {
  const gate = new Gate(2);
  const log: string[] = [];
  const open: (() => void)[] = [];
  const work = (name: string) => () =>
    new Promise<void>((resolve, reject) => {
      log.push(name);
      open.push(name === 'a' ? () => reject(new Error('a fails')) : resolve);
    });
  const giveUp = new AbortController();
  const a = gate.run(never, work('a'));
  const b = gate.run(never, work('b'));
  const c = gate.run(giveUp.signal, () =>
    giveUp.signal.aborted ? Promise.reject(new Error('given up')) : work('c')(),
  );
  const d = gate.run(never, work('d'));
  expect(log).toEqual(['a', 'b']);
  giveUp.abort();
  await expect(c).rejects.toThrow('given up');
  open[0]?.();
  await expect(a).rejects.toThrow('a fails');
  await Promise.resolve();
  expect(log).toEqual(['a', 'b', 'd']);
  open[1]?.();
  open[2]?.();
  await Promise.all([b, d]);
});

test('loss is a problem after several bad intervals in a row, with the last ratio; a good one clears it', () => {
  const watch = new LossWatch({lossIntervals: 3, lossRatioMax: 0.001});
  const totals = {received: 0, dropped: 0, malformed: 0};
  const interval = (received: number, dropped: number): string | undefined => {
    totals.received += received;
    totals.dropped += dropped;
    watch.interval({...totals});
    return watch.problem;
  };
  expect([interval(900, 100), interval(900, 100), interval(0, 0), interval(500, 500), interval(1000, 1)]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect([interval(900, 100), interval(900, 100), interval(750, 250)]).toEqual([
    undefined,
    undefined,
    expect.stringContaining('25.0 %'),
  ]);
  expect(interval(1000, 0)).toBeUndefined();
});
