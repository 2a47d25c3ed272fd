// SPDX-License-Identifier: Apache-2.0
import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {ENDPOINT_INPUTS, ENDPOINT_TRANSITIONS, type EndpointInput, VERB_OF_STATE} from './endpoint-state.ts';

const spec = readFileSync(new URL('./endpoint-state.md', import.meta.url), 'utf8');
const STATES = Object.keys(ENDPOINT_TRANSITIONS) as (keyof typeof ENDPOINT_TRANSITIONS)[];

const cells = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map(cell => cell.trim());

/** The transition table of the spec: state → input → outcome. */
const specified = (): Record<string, Record<string, string>> => {
  const lines = spec.split('\n');
  const head = lines.findIndex(line => line.startsWith('| from \\ input'));
  const [, ...inputs] = cells(lines[head] ?? '');
  const rows = lines.slice(head + 2, head + 2 + STATES.length).map(cells);
  return Object.fromEntries(
    rows.map(([state = '', ...outcomes]) => [state, Object.fromEntries(outcomes.map((o, i) => [inputs[i], o]))]),
  );
};

describe('the states of an endpoint', () => {
  test('I-072 the table in the code is the one in the spec', () => {
    expect(specified()).toEqual(ENDPOINT_TRANSITIONS);
  });

  test('every state meets every input', () => {
    for (const state of STATES)
      expect(Object.keys(ENDPOINT_TRANSITIONS[state]).sort()).toEqual([...ENDPOINT_INPUTS].sort());
  });

  test('I-072 no jump but none→CREATING→READY, READY→UPDATING→READY, READY→DELETING→gone, and a create that is undone', () => {
    const jumps = STATES.flatMap(state =>
      ENDPOINT_INPUTS.map((input: EndpointInput) => [state, ENDPOINT_TRANSITIONS[state][input]] as const),
    ).filter(([from, to]) => to !== 'refuse' && from !== to);
    expect(new Set(jumps.map(([from, to]) => `${from}→${to}`))).toEqual(
      new Set([
        'CREATING→READY',
        'CREATING→gone',
        'READY→UPDATING',
        'READY→DELETING',
        'UPDATING→READY',
        'DELETING→gone',
      ]),
    );
  });

  test('a state other than READY has the operation that leads out of it', () => {
    for (const state of STATES) {
      const leaves = Object.values(ENDPOINT_TRANSITIONS[state]).some(to => to !== 'refuse' && to !== state);
      expect(leaves).toBe(true);
      expect(VERB_OF_STATE[state] === undefined).toBe(state === 'READY');
    }
  });
});
