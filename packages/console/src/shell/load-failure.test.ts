// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {isCodeMissing} from './load-failure.ts';

test('49-3 code of a page that cannot be fetched is known in each browser, and is no other error', () => {
  const wordings = [
    'Failed to fetch dynamically imported module: http://h/console/assets/page-x.js',
    'error loading dynamically imported module: http://h/console/assets/page-x.js',
    'Importing a module script failed.',
    'Unable to preload CSS for /console/assets/page-x.css',
  ];
  expect(wordings.filter(message => !isCodeMissing(new TypeError(message)))).toEqual([]);
  expect(isCodeMissing(new TypeError("Cannot read properties of undefined (reading 'rows')"))).toBe(false);
});
