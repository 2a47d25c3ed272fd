// SPDX-License-Identifier: Apache-2.0
import type {ProgramResult, RunProgram} from '@palisade/server/run-program';
import {describe, expect, test} from 'vitest';
import {executeAll, executeEach} from './execute.ts';

const STEPS = ['a', 'b', 'c'].map(name => ({argv: ['make', name], undo: ['unmake', name]}));

/** Fails for these lines, with these words. */
const host = (faults: Readonly<Record<string, string>>): {run: RunProgram; ran: string[]} => {
  const ran: string[] = [];
  const run = async (argv: readonly string[]): Promise<ProgramResult> => {
    const line = argv.join(' ');
    ran.push(line);
    return {code: faults[line] === undefined ? 0 : 2, stdout: '', stderr: faults[line] ?? ''};
  };
  return {run, ran};
};

describe('a plan', () => {
  test('43-4 a failed step undoes those before it, the last one first', async () => {
    const {run, ran} = host({'make c': 'RTNETLINK answers: File exists\n'});
    await expect(executeAll(run, STEPS)).rejects.toThrow(
      'make c: RTNETLINK answers: File exists; another program made the same meanwhile: run the command again',
    );
    expect(ran).toEqual(['make a', 'make b', 'make c', 'unmake b', 'unmake a']);
  });

  test('43-4 what cannot be undone is named', async () => {
    const {run} = host({'make b': 'no', 'unmake a': 'busy'});
    await expect(executeAll(run, STEPS)).rejects.toThrow('make b: no\nnot undone: unmake a: busy');
  });

  test('43-4 a missing permission is recognised', async () => {
    const {run} = host({'make a': 'RTNETLINK answers: Operation not permitted'});
    await expect(executeAll(run, STEPS)).rejects.toMatchObject({isForbidden: true});
  });

  test('43-4 a removal goes on after a fault and reports all of them', async () => {
    const {run, ran} = host({'make a': 'one', 'make b': 'two'});
    await expect(executeEach(run, STEPS)).rejects.toThrow('make a: one\nmake b: two');
    expect(ran).toEqual(['make a', 'make b', 'make c']);
  });
});
