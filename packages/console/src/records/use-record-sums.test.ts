// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {readSums} from './use-record-sums.ts';

const AT = Date.parse('2026-11-28T12:00:30Z');

test.each([
  ['all', ['2026-11-28T11:52:10.5Z'], '10s'],
  ['all', ['2026-11-20T00:00:00Z'], '3h'],
  ['all', [], '1d'],
  ['1h', ['2026-11-20T00:00:00Z'], '1m'],
] as const)('49-3 bars over %s of records since %j are %s wide', async (range, oldest, width) => {
  const asked: object[] = [];
  const client = {
    listRecords: async () => ({records: oldest.map(event_time => ({event_time})), nextPageToken: ''}),
    aggregateRecords: async (_name: string, _kind: string, query: object) => {
      asked.push(query);
      return {total: {records: 1}};
    },
  };
  const query = {name: 'e', filter: 'a=b', range: {range, from: '', to: ''}};
  const options = {group: '', at: AT, signal: new AbortController().signal};
  expect((await readSums(client as never, 'traffic', query, options)).width.text).toBe(width);
  const since = range === 'all' ? undefined : '2026-11-28T11:00:30Z';
  expect(asked).toMatchObject([{filter: 'a=b', histogram: width, since}]);
});
