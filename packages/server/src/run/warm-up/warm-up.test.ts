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

test('the whole rehearsal is played, every call is answered with success, and nothing is left open', async () => {
  const before = listening();
  const calls = PREPARE.length + ACTS.reduce((sum, act) => sum + act.calls().length, 0);
  expect(await rehearsed({})).toEqual({warnings: [], played: calls});
  expect(listening()).toBe(before);
}, 60_000);

test('a stop cuts it short without a word', async () => {
  expect(await rehearsed({signal: AbortSignal.abort()})).toEqual({warnings: [], played: 0});
});

test('a rehearsal that fails is logged and costs no service', async () => {
  const {warnings, played} = await rehearsed({pem: {cert: 'no certificate', key: 'no key'}});
  expect(played).toBe(0);
  expect(warnings).toHaveLength(1);
});
