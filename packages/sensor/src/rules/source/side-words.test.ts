// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {inUserNames, userNamesOf} from './side-words.ts';

const PLACED = `side-${'0a'.repeat(10)}.lst`;
const rule = (name: string) => `alert ip any any -> any any (ip.src; dataset:isset,bad,type ip,load ${name}; sid:1;)`;
const names = userNamesOf([{text: rule('ips.lst'), engineText: rule(PLACED)}]);
const side = new Map([[PLACED, Buffer.from('10.0.0.1\r\nnot an ip\n')]]);

test.each([
  [
    `dataset data parse failed bad//proc/self/cwd/each/${PLACED}: not an ip; Loading failed`,
    'ips.lst, line 2: "not an ip" is not a value of the type of dataset "bad"; Loading failed',
  ],
  [
    `bad base64 encoding bad//proc/self/cwd/each/${PLACED}`,
    'ips.lst, line 1: "10.0.0.1" is not base64, in which strings of dataset "bad" are written',
  ],
  [`bad hash len for bad//proc/self/cwd/each/${PLACED}`, 'bad hash len in ips.lst of dataset "bad"'],
  [`fopen '/proc/self/cwd/${PLACED}' failed`, "fopen 'ips.lst' failed"],
  ['unknown rule keyword "x"', 'unknown rule keyword "x"'],
])('43-2 what Suricata says of a file names it as the user does: %s', (said, shown) => {
  expect(inUserNames(said, names, side)).toBe(shown);
});
