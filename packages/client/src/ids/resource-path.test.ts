// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {resourcePath} from './resource-path.ts';

test.each(['projects/../apis', '../api/v1/namespaces', 'projects/p/threats/.', '..'])(
  '49-2 a name out of an address leads to no other path: %s',
  name => {
    expect(() => resourcePath(name)).toThrow('is no resource name');
  },
);

test('49-2 other names are encoded, and may have dots', () => {
  const path = resourcePath('projects/a..b/locations/-/endpoints/x?y#z%2e');
  expect(new URL(path, 'https://h').pathname).toBe(path);
  expect(path).toBe('/v1/projects/a..b/locations/-/endpoints/x%3Fy%23z%252e');
});
