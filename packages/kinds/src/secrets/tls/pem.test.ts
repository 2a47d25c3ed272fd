// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {pemBlocks} from './pem.ts';

const BLOCK = '-----BEGIN A-----\nAAAA\n-----END A-----\n';
const typesIn = (text: string): readonly string[] => [...pemBlocks(Buffer.from(text))].map(({type}) => type);

test('45-1 blocks between other text, with blanks behind their lines', () => {
  expect(typesIn(`x\n${BLOCK}y\n${BLOCK.replace('A-----\n', 'A----- \t\n')}`)).toEqual(['A', 'A']);
});

test.each([
  ['a line of blanks', `-----BEGIN ${' '.repeat(1_000_000)}x\n-----END `],
  ['ends without a beginning', '\n-----END '.repeat(100_000)],
])('45-1 %s is read in one pass', (_, text) => expect(typesIn(text)).toEqual([]));
