// SPDX-License-Identifier: Apache-2.0
import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {compatOf} from '../../packages/apiserver/src/base/compat.ts';

test('docs/reference/compat.md has one row for each row of the table of --compat', () => {
  const text = readFileSync('docs/reference/compat.md', 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+)` /gm)].map(match => match[1]);
  const properties = Object.keys(compatOf('spec')).filter(name => name !== 'mode');
  expect(rows.toSorted()).toEqual(properties.toSorted());
});
