// SPDX-License-Identifier: Apache-2.0
import {type ListSchema, listSchema} from '@palisade/ids-wire';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {cutPage, parseListRequest} from './list-page.ts';

type Item = {readonly name: string; readonly size: number};
const SCHEMA: ListSchema<Item> = listSchema<Item>(
  {name: {kind: 'string', get: i => i.name}, size: {kind: 'number', min: 0, max: 1_000_000, get: i => i.size}},
  i => [i.name],
);
const compare = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);

test('I-110 pages in an order, put together, are the whole list sorted, whatever the page size', () => {
  const sizes = fc.array(fc.integer({min: 0, max: 9}), {maxLength: 60});
  fc.assert(
    fc.property(sizes, fc.integer({min: 1, max: 12}), fc.boolean(), (all, pageSize, down) => {
      const items = all.map((size, i): Item => ({name: `n${String(i).padStart(2, '0')}`, size}));
      const orderBy = down ? 'size desc' : 'size';
      const names: string[] = [];
      let pageToken = '';
      do {
        const query = parseListRequest({pageSize, pageToken, filter: 'size<9', orderBy}, SCHEMA, ['test']);
        const page = cutPage(
          query,
          () => items,
          item => item.name,
        );
        expect(page.items.length).toBeLessThanOrEqual(pageSize);
        names.push(...page.items.map(item => item.name));
        pageToken = page.nextPageToken;
      } while (pageToken !== '');
      const wanted = items
        .filter(item => item.size < 9)
        .toSorted((a, b) => (down ? -1 : 1) * compare(a.size, b.size) || compare(a.name, b.name));
      expect(names).toEqual(wanted.map(item => item.name));
    }),
  );
});
