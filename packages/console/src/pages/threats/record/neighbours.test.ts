// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import type {Threat} from '../model/threat-row.ts';
import {neighboursOf} from './neighbours.ts';
import {parseRecordName} from './record-name.ts';
import {backWith, listSearch} from './record-search.ts';

const ENDPOINT = 'projects/p/locations/l/endpoints/e';
const threat = (id: string, second: number): Threat =>
  ({id, endpoint: ENDPOINT, event_time: `2026-01-01T00:00:0${second}.000000Z`}) as Threat;
const nameOf = (id: string): string => `${ENDPOINT}/threats/${id}`;

test('49-3 the neighbours of a record are those of the list, also among equal times', () => {
  const own = threat('b', 3);
  const around = [threat('c', 3), threat('z', 1), own, threat('a', 3), threat('y', 2), threat('x', 4)];
  expect(neighboursOf(own, around)).toEqual({newer: nameOf('a'), older: nameOf('c')});
  expect(neighboursOf(threat('x', 4), around)).toEqual({newer: undefined, older: nameOf('a')});
  expect(neighboursOf(own, [])).toEqual({newer: undefined, older: undefined});
});

test('49-3 only the full name of one threat opens a record', () => {
  expect(parseRecordName(nameOf('i'))).toMatchObject({endpoint: ENDPOINT, id: 'i', project: 'p', endpointId: 'e'});
  for (const name of ['', ENDPOINT, nameOf('i/j'), 'projects/-/locations/l/endpoints/e/threats/i', nameOf('-')])
    expect(parseRecordName(name)).toBeUndefined();
});

test('49-3 the way back keeps the scope and the time of the list; another filter selects nothing', () => {
  const back = '?in=projects%2Fp%2Flocations%2F-%2Fendpoints%2F-&q=a&range=7d&mark=x&all=1';
  expect(listSearch(backWith(back, 'b=1'))).toMatchObject({
    ...{in: 'projects/p/locations/-/endpoints/-', q: 'b=1', range: '7d', mark: [], all: false},
  });
});
