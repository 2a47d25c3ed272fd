// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {Gate} from './gate.ts';

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
