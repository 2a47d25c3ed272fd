// SPDX-License-Identifier: Apache-2.0
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {expect, test} from 'vitest';
import {remembered} from './remembered.ts';

/** Counts how often it is asked. */
const counting = () => {
  const asked: string[] = [];
  const read = remembered((text: string) => {
    asked.push(text);
    if (text.startsWith('bad')) throw new Error(`cannot read ${text}`);
    return {text};
  });
  return {asked, read};
};

test('a text is read once, and each text gives its own value', () => {
  const {asked, read} = counting();
  expect([read('a'), read(''), read('a'), read('')]).toEqual([{text: 'a'}, {text: ''}, {text: 'a'}, {text: ''}]);
  expect(asked).toEqual(['a', '']);
});

test('a fault is told each time', () => {
  const {asked, read} = counting();
  for (let i = 0; i < 2; i++) expect(() => read('bad')).toThrow('cannot read bad');
  expect(asked).toEqual(['bad', 'bad']);
});

test('of more than 256 texts the one not asked for the longest is forgotten', () => {
  const {asked, read} = counting();
  for (let i = 0; i < 256; i++) read(`t${i}`);
  read('t0');
  read('one more');
  asked.length = 0;
  read('t0');
  read('t2');
  expect(asked).toEqual([]);
  read('t1');
  expect(asked).toEqual(['t1']);
});

test('a text of more than 256 characters is not kept', () => {
  const {asked, read} = counting();
  const [fits, long] = ['x'.repeat(256), 'x'.repeat(257)];
  for (const text of [fits, fits, long, long]) expect(read(text)).toEqual({text});
  expect(asked).toEqual([fits, long, long]);
});

test('a text keeps nothing in memory of the request that it was cut out of', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const usedBytes = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const HEAD_CHARACTERS = 64 * 1024;
  const {read} = counting();
  const before = usedBytes();
  for (let i = 0; i < 256; i++) {
    const head = Buffer.from(`number-${i}-of-the-selectors `.padEnd(HEAD_CHARACTERS, `${i}`)).toString('latin1');
    read(head.slice(0, head.indexOf(' ')));
  }
  expect(usedBytes() - before).toBeLessThan((256 * HEAD_CHARACTERS) / 8);
  expect(read('number-0-of-the-selectors')).toEqual({text: 'number-0-of-the-selectors'});
});
