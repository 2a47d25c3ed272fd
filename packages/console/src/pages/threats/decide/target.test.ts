// SPDX-License-Identifier: Apache-2.0
import {THREAT_LIST} from '@palisade/ids-wire';
import {expect, test} from 'vitest';
import {filterFault} from '../../../records/use-good-filter.ts';
import {type Chosen, selectsAll, targetOf} from './target.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const NAME = 'projects/p/locations/l/endpoints/e/threats/1';

/** As the page has it: a filter with a fault is not in the query. */
const chosen = (typed: string, all: boolean, more: Partial<Chosen> = {}): Chosen => {
  const fault = filterFault(typed, THREAT_LIST);
  const filter = fault === undefined ? typed : '';
  const query = {name: 'projects/-/locations/-/endpoints/-', filter, range: {range: '24h', from: '', to: ''}} as const;
  return {isAll: selectsAll(all, fault), query, names: new Set(), ...more};
};

test('49-3 with a fault in the filter nothing is decided for all that match, and rows by name still are', () => {
  for (const faulty of ['severity>=HIGH', 'alert_severity>=', '(']) {
    expect(targetOf(chosen(faulty, true), NOW), faulty).toBeUndefined();
    expect(targetOf(chosen(faulty, true, {names: new Set([NAME])}), NOW), faulty).toEqual({names: [NAME]});
    expect(targetOf(chosen(faulty, true, {row: NAME}), NOW), faulty).toEqual({names: [NAME]});
  }
});

test('49-3 all that match are those of the filter until now; without a selection it is the row of the keys', () => {
  expect(targetOf(chosen('alert_severity>=HIGH', true), NOW)).toMatchObject({
    filter: 'alert_severity>=HIGH',
    bounds: {until: expect.stringMatching(/^2026-01-02T00:00:00/)},
  });
  expect(targetOf(chosen(' ', true), NOW)).toMatchObject({filter: '*'});
  expect(targetOf(chosen('', false, {names: new Set([NAME]), row: 'other'}), NOW)).toEqual({names: [NAME]});
  expect(targetOf(chosen('', false, {row: NAME}), NOW)).toEqual({names: [NAME]});
  expect(targetOf(chosen('', false), NOW)).toBeUndefined();
});
