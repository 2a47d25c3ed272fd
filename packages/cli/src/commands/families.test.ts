// SPDX-License-Identifier: Apache-2.0
/** A family has every command of its word, and no other. */
import {expect, test} from 'vitest';
import {familyOf, familyWords} from './families.ts';
import {commands} from './index.ts';

const firstWords = ({name, aliases = []}: (typeof commands)[number]): string[] =>
  [name, ...aliases].map(each => each.split(' ', 1)[0] ?? '');

test.each(familyWords())('the family of %s is what all commands have of it', async word => {
  const family = await familyOf(word);
  expect(family?.length).toBeGreaterThan(0);
  expect(family).toEqual(commands.filter(command => firstWords(command).includes(word)));
});

test('a word without a family is looked for in all commands', async () => {
  expect(await familyOf('constructor')).toBeUndefined();
});
