// SPDX-License-Identifier: Apache-2.0
import type {DecidedThreat} from '@palisade/client/browser';
import {expect, test} from 'vitest';
import {decideEach, doneText, failedText, matchText, titleText} from './decide.ts';

const names = (count: number): string[] =>
  Array.from({length: count}, (_, i) => `projects/p/locations/l/endpoints/e/threats/${i}`);

const run = async (count: number, answer: (id: string) => void, control = new AbortController()) => {
  const asked: string[] = [];
  const decided: string[] = [];
  const steps: number[] = [];
  let [open, openMax] = [0, 0];
  const client = {
    decideThreat: async (endpoint: string, id: string, action: string, comment?: string) => {
      openMax = Math.max(openMax, ++open);
      asked.push(`${endpoint} ${id} ${action} ${comment}`);
      await Promise.resolve();
      open--;
      answer(id);
      return {id} as DecidedThreat;
    },
  };
  const progress = await decideEach(
    client,
    {names: names(count), action: 'acknowledge', comment: 'seen'},
    {
      signal: control.signal,
      onDecided: ({id}) => decided.push(id),
      onProgress: ({done, failures}) => steps.push(done + failures.length),
    },
  );
  return {asked, decided, steps, openMax, progress};
};

test('49-3 each selected threat is decided once, few at a time, with progress', async () => {
  const {asked, decided, steps, openMax, progress} = await run(10, () => {});
  expect(asked[0]).toBe('projects/p/locations/l/endpoints/e 0 acknowledge seen');
  expect(new Set(asked).size).toBe(10);
  expect(decided).toHaveLength(10);
  expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(openMax).toBe(4);
  expect(progress).toEqual({done: 10, failures: []});
});

test('49-3 one that fails is named and the others are decided', async () => {
  const {progress} = await run(6, id => {
    if (id === '2') throw new Error('threat 2 was evicted');
  });
  expect(progress).toEqual({done: 5, failures: [{name: names(3)[2], text: 'Threat 2 was evicted'}]});
});

test('49-3 stop asks for no more', async () => {
  const control = new AbortController();
  const {asked} = await run(100, () => control.abort(), control);
  expect(asked.length).toBeLessThan(10);
});

test('49-3 the result says how many changed and how many were so before', () => {
  expect(doneText('acknowledge', 610, 1612)).toBe('610 threats acknowledged, 1,002 already were');
  expect(doneText('escalate', 1, 1)).toBe('1 threat escalated');
  expect(doneText('escalate', 1, 2)).toBe('1 threat escalated, 1 already was');
});

test('49-3 the question names what is done and to how many', () => {
  expect(titleText('acknowledge', 2)).toBe('Acknowledge 2 threats?');
  expect(titleText('unacknowledge', 1)).toBe('Undo the acknowledgement of 1 threat?');
  expect(titleText('deescalate', undefined)).toBe('Undo the escalation of threats?');
  expect(titleText('comment', 2)).toBe('Comment on 2 threats');
});

test('49-3 one threat is counted in the singular', () => {
  expect(matchText({matched: 1, changed: 1})).toBe(
    '1 threat matches the filter, including any that the table does not show.',
  );
  expect(matchText({matched: 1, changed: 0})).toBe(
    '1 threat matches the filter, including any that the table does not show. It does not change.',
  );
  expect(matchText({matched: 5, changed: 1})).toBe(
    '5 threats match the filter, including any that the table does not show. 1 of them changes.',
  );
  expect(matchText({matched: 5, changed: 2})).toBe(
    '5 threats match the filter, including any that the table does not show. 2 of them change.',
  );
  const failures = ['a', 'b', 'c', 'd'].map(text => ({name: text, text}));
  expect(failedText(1, failures)).toBe('4 threats failed, 1 done.\na\nb\nc\nand 1 other reason');
});
