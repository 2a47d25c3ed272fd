// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {parseQuery, readSearch} from '../../../routing/search.ts';
import {EVERYWHERE, THREATS_SEARCH} from './list-search.ts';

test.each([
  ['projects/p/locations/l/endpoints/-', 'projects/p/locations/l/endpoints/-'],
  ['projects/p/locations/../endpoints/e', EVERYWHERE],
  ['projects/p/locations/l/endpoints/.', EVERYWHERE],
  ['../api/v1/namespaces', EVERYWHERE],
])('49-2 an address asks for threats and nothing else: in=%s', (name, scope) => {
  expect(readSearch(THREATS_SEARCH, parseQuery(`?in=${name}`)).in).toBe(scope);
});
