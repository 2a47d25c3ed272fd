// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {scriptText, sentence} from './mirror-text.ts';

test('49-3 the texts of a set-up are whole sentences on the page, and comments in the copied script', () => {
  expect(sentence('remove the mirror, also as root')).toBe('Remove the mirror, also as root.');
  expect(sentence('MTU: use 1550. It is the outer packet.')).toBe('MTU: use 1550. It is the outer packet.');
  const sections = [
    {about: 'run it', commands: ['a', 'b']},
    {about: 'remove it', commands: ['c']},
  ];
  expect(scriptText({sections})).toBe('# run it\na\nb\n\n# remove it\nc');
});
