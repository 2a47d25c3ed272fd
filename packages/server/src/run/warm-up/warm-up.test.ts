// SPDX-License-Identifier: Apache-2.0
import {systemRandom, systemTimers} from '@palisade/apiserver';
import {expect, test} from 'vitest';
import type {Logger} from '../logger.ts';
import {ACTS, PREPARE} from './rehearsal.ts';
import {type WarmUpOptions, warmUp} from './warm-up.ts';

const rehearsed = async (options: Partial<WarmUpOptions>): Promise<{warnings: unknown[]; played: number}> => {
  const warnings: unknown[] = [];
  const log = {warn: (...words: unknown[]) => warnings.push(words)} as unknown as Logger;
  const signal = new AbortController().signal;
  const played = await warmUp({pem: undefined, random: systemRandom, timers: systemTimers, log, signal, ...options});
  return {warnings, played};
};
const listening = () => process.getActiveResourcesInfo().filter(name => name === 'TCPServerWrap').length;
const total = PREPARE.length + ACTS.reduce((sum, act) => sum + act.calls().length, 0);

test('the whole rehearsal is played, every call is answered with success, and nothing is left open', async () => {
  const before = listening();
  expect(await rehearsed({})).toEqual({warnings: [], played: total});
  expect(listening()).toBe(before);
}, 60_000);

test('a stop cuts it short without a word', async () => {
  expect(await rehearsed({signal: AbortSignal.abort()})).toEqual({warnings: [], played: 0});
});

test('a stop in the middle cuts it short without a word, and nothing is left open', async () => {
  const before = listening();
  const stop = new AbortController();
  const rehearsal = rehearsed({signal: stop.signal});
  await expect.poll(listening).toBeGreaterThan(before);
  stop.abort();
  const {warnings, played} = await rehearsal;
  expect(warnings).toEqual([]);
  expect(played).toBeLessThan(total);
  await expect.poll(listening).toBe(before); // handles are freed some turns after they are closed
});

test('a rehearsal that fails is logged and costs no service', async () => {
  const {warnings, played} = await rehearsed({pem: {cert: 'no certificate', key: 'no key'}});
  expect(played).toBe(0);
  expect(warnings).toHaveLength(1);
});
