// SPDX-License-Identifier: Apache-2.0
import {execFile} from 'node:child_process';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {corpusNames} from './frame/corpus.ts';
import {execute} from './frame/execute.ts';
import {growth} from './frame/growth.ts';
import {Random} from './frame/random.ts';
import {ClaimFault, type Target} from './frame/target.ts';
import {targets} from './targets/index.ts';

const RUN = join(import.meta.dirname, 'run.ts');

test('48-6 every decoder holds its promises on all kept seeds, and on some mutations of them', async () => {
  const {stdout} = await promisify(execFile)(process.execPath, [
    RUN,
    '--executions',
    '60',
    '--share-ms',
    '20',
    '--seed',
    '48',
  ]);
  expect(stdout).toContain(`${targets.length} targets`);
  expect(stdout).toMatch(/, 0 findings\n$/);
});

test('48-6 each folder of the corpus belongs to a target, and no two targets have one name', () => {
  const names = targets.map(({name}) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(corpusNames().filter(name => !names.includes(name))).toEqual([]);
});

const broken = (decode: Target['decode'], more: Partial<Target> = {}): Target => ({
  name: 'x',
  form: 'text',
  decode,
  ...more,
});
const polluted = (): unknown => Object.assign({}, JSON.parse('{"a":{"__proto__":{"b":1}}}').a) as unknown;

test.each([
  ['exception', broken(() => (undefined as unknown as Buffer).length)],
  ['exception', broken(() => Promise.reject(new TypeError('x')), {refusals: [Error]})],
  [
    'exception',
    broken(
      () => {
        throw new Error('Maximum call stack size exceeded');
      },
      {refusals: [Error]},
    ),
  ],
  [
    'claim',
    broken(
      () => {
        throw new ClaimFault('x');
      },
      {refusals: [Error]},
    ),
  ],
  ['unstable', broken(() => performance.now())],
  ['unstable', broken(input => input.length, {encode: () => 'longer'})],
  ['changed', broken(input => input.fill(0).length)],
  ['pollution', broken(() => Object.setPrototypeOf({}, {b: 1}) as unknown)],
  ['pollution', broken(polluted)],
])('48-6 the frame finds a decoder that breaks a promise: %s', async (kind, of) => {
  expect(await execute(of, Buffer.from('abc'))).toMatchObject({kind});
});

test('48-6 a refusal, and a value that is stable, are no findings', async () => {
  const refuses = broken(() => Promise.reject(new Error('no')), {refusals: [Error]});
  expect(await execute(refuses, Buffer.from('abc'))).toBeUndefined();
  const reads = broken(input => input.toString(), {encode: value => value as string});
  expect(await execute(reads, Buffer.from('abc'))).toBeUndefined();
});

/** So many steps; their sum keeps them from being left out. */
const steps = (count: number): number => {
  let sum = 0;
  for (let i = 0; i < count; i++) sum = (sum + i * 31) % 1_000_003;
  return sum;
};
const grown = (decode: Target['decode']) => {
  const of = broken(decode, {seeds: ['abc']});
  return growth(
    of,
    new Random(1),
    () => undefined,
    () => false,
  );
};

test('48-6 the frame finds a decoder whose time grows with the square of its input, and not one that is linear', async () => {
  expect(await grown(input => steps((input.length / 8) ** 2))).toMatchObject({fault: {kind: 'growth'}});
  expect(await grown(input => steps(input.length * 50))).toBeUndefined();
});
