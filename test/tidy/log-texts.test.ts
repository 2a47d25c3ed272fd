// SPDX-License-Identifier: Apache-2.0
/** Lines of the log that the guides quote, as `text` with its level, are written by the product. */
import {expect, test} from 'vitest';
import {read, tracked} from './source-files.ts';

const quoted = tracked
  .filter(path => path.startsWith('docs/guides/'))
  .flatMap(path => [...read(path).matchAll(/`([^`]+)`(?:, | \()level (?:warn|error|info|debug)/g)])
  .map(([, text = '']) => text)
  .filter(text => !/[…\d]|--/.test(text)); // with a part that the program fills in

test('every quoted line of the log is in the sources', () => {
  expect(quoted.length).toBeGreaterThan(10);
  const sources = tracked
    .filter(path => /^packages\/.*\/src\/.*(?<!\.test)\.ts$/.test(path))
    .map(read)
    .join('\n');
  expect(quoted.filter(text => !sources.includes(text))).toEqual([]);
});
