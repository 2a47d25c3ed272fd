// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {parseQuery, readSearch} from '../../../routing/search.ts';
import {THREATS_SEARCH} from './list-search.ts';

test.each([
  ['projects/p/locations/l/endpoints/-', 'projects/p/locations/l/endpoints/-'],
  ['projects/p/locations/../endpoints/e', ''],
  ['projects/p/locations/l/endpoints/.', ''],
  ['../api/v1/namespaces', ''],
])('49-2 an address asks for threats and nothing else: in=%s', (name, scope) => {
  expect(readSearch(THREATS_SEARCH, parseQuery(`?in=${name}`)).in).toBe(scope);
});
